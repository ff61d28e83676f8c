// Which nodes of a grid are beside which nodes of the next coarser one, along an axis.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/solve/stencil_matrix.hpp"

namespace lapl {

using Index = std::array<std::int64_t, 3>;

inline constexpr std::int64_t coarsest = 4;  ///< nodes along an axis that is not made coarser

constexpr std::int64_t coarse_size(std::int64_t size) { return (size + 1) / 2; }

/// The parent of a node along an axis, or -1 if there is none; `last`: of a node between two.
constexpr std::int64_t parent(const PaddedGrid& fine, std::size_t axis, bool halved,
                              std::int64_t node, bool last) {
  if (!halved) return node;
  const std::int64_t at = node / 2 + (last ? 1 : 0);
  if (at < coarse_size(fine.size[axis])) return at;
  return fine.periodic[axis] ? 0 : -1;
}

/// The nodes along an axis that have a coarse node as a parent, and as which.
struct Child {
  std::int64_t node = 0;
  bool last = false;
};
struct Children {
  std::array<Child, 3> at{};
  int count = 0;
};
constexpr Children children(const PaddedGrid& fine, std::size_t axis, bool halved,
                            std::int64_t coarse) {
  if (!halved) return {{Child{coarse, false}}, 1};
  Children found;
  const std::int64_t size = fine.size[axis], node = 2 * coarse;
  const auto add = [&](std::int64_t at, bool last) { found.at[found.count++] = {at, last}; };
  if (node > 0)
    add(node - 1, true);
  else if (fine.periodic[axis] && size % 2 == 0)
    add(size - 1, true);
  add(node, false);
  if (node + 1 < size) add(node + 1, false);
  return found;
}

/// The distance along an axis from one node to another, of which one is at most beside the other.
inline std::int64_t distance(std::int64_t from, std::int64_t to, std::int64_t size, bool periodic) {
  const std::int64_t straight = to - from;
  if (!periodic || (straight >= -1 && straight <= 1)) return straight;
  return straight > 0 ? straight - size : straight + size;
}

}  // namespace lapl
