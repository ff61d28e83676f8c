// The parts of the finer grid that a coarse node reads, as lists of moves in padded arrays. They
// hold for inner nodes: those whose neighbours' neighbours need no test of an edge.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/solve/coarse_nodes.hpp"

namespace lapl {

using Halved = std::array<bool, 3>;

/// A parent of a node.
struct ParentTerm {
  std::size_t set = 0;    ///< its number
  std::int64_t move = 0;  ///< from the coarse node's place in the fine grid to the node
  int to = 0;             ///< number of the offset from the coarse node to the parent
};
/// An entry of a child's row, and the parents of the node that it is for.
struct EntryTerm {
  int offset = 0;
  std::vector<ParentTerm> parents;
};
/// A node that has the coarse node as its parent number `set`.
struct ChildTerm {
  std::size_t set = 0;
  std::int64_t move = 0;  ///< from the coarse node's place in the fine grid
  std::vector<EntryTerm> entries;
};

/// True if a coarse node is inner along an axis.
inline bool is_inner(const PaddedGrid& fine, std::size_t axis, bool halved, std::int64_t coarse) {
  const std::int64_t size = fine.size[axis];
  if (!halved) return size == 1 || (coarse >= 1 && coarse + 1 < size);
  return coarse >= 1 && 2 * coarse + 2 < size;
}

/// The children of an inner coarse node, in the order of children(); `offsets` are those of the
/// matrix.
inline std::vector<ChildTerm> children_of_inner(const PaddedGrid& fine, const Halved& halved,
                                                const std::vector<int>& offsets) {
  const auto reach = [&](std::size_t axis) { return halved[axis] ? 1 : 0; };
  std::vector<ChildTerm> found;
  for (int i = -reach(0); i <= reach(0); ++i)
    for (int j = -reach(1); j <= reach(1); ++j)
      for (int k = -reach(2); k <= reach(2); ++k) {
        const std::array<int, 3> child = {i, j, k};
        ChildTerm& of_child = found.emplace_back();
        for (std::size_t axis = 0; axis < 3; ++axis) {
          of_child.move += child[axis] * fine.stride[axis];
          of_child.set |= child[axis] < 0 ? std::size_t{1} << axis : 0;
        }
        for (const int offset : offsets) {
          EntryTerm& of_entry = of_child.entries.emplace_back();
          of_entry.offset = offset;
          std::array<int, 3> there{};
          std::size_t odd = 0;
          for (std::size_t axis = 0; axis < 3; ++axis) {
            there[axis] = child[axis] + stencil_offset(offset)[axis];
            odd |= halved[axis] && there[axis] % 2 != 0 ? std::size_t{1} << axis : 0;
          }
          for (std::size_t set = 0; set < 8; ++set) {
            if ((set & ~odd) != 0) continue;
            ParentTerm& parent = of_entry.parents.emplace_back();
            parent.set = set;
            std::array<int, 3> to{};
            for (std::size_t axis = 0; axis < 3; ++axis) {
              parent.move += there[axis] * fine.stride[axis];
              const int down = there[axis] >= 0 ? there[axis] / 2 : -((1 - there[axis]) / 2);
              to[axis] = halved[axis] ? down + static_cast<int>(set >> axis & 1) : there[axis];
            }
            parent.to = offset_number(to[0], to[1], to[2]);
          }
        }
      }
  return found;
}

}  // namespace lapl
