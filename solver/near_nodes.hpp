// The nodes beside a position, with the weights of linear interpolation.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/stages/tree_at.hpp"

namespace lapl {

/// Indices along planes, rows and columns, and a weight; all weights add up to 1.
using NearNode = std::pair<std::array<std::int64_t, 3>, double>;

/// `index` counts nodes along each axis. The node after the last is the first.
inline std::vector<NearNode> nodes_around(const std::array<double, 3>& index, Shape shape) {
  std::vector<NearNode> nodes = {{{}, 1}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double below = std::floor(index[axis]), share = index[axis] - below;
    std::vector<NearNode> split;
    for (const NearNode& node : nodes)
      for (const auto& [more, weight] : {std::pair(0, 1 - share), std::pair(1, share)}) {
        if (weight == 0) continue;
        split.emplace_back(node.first, node.second * weight);
        split.back().first[axis] =
            wrapped(static_cast<std::int64_t>(below) + more, by_axis(shape)[axis]);
      }
    nodes = std::move(split);
  }
  return nodes;
}

/// The index, of a node or between nodes, of a position along an axis whose first node is at
/// `first`; rounding does not count.
inline double node_index(double position, double first, double spacing) {
  const double index = (position - first) / spacing;
  return std::abs(index - std::round(index)) < 1e-9 ? std::round(index) : index;
}
/// True if a position is at most half a cell beyond the first or last of so many nodes, but for the
/// rounding of positions.
inline bool is_in_grid(double position, double first, double spacing, std::int64_t nodes) {
  const double index = (position - first) / spacing;
  const double rounding =
      1e-9 + 0x1p-51 * (std::abs(position) + std::abs(first)) / std::abs(spacing);
  return index >= -0.5 - rounding && index <= static_cast<double>(nodes) - 0.5 + rounding;
}

}  // namespace lapl
