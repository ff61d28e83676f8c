// Parts of a stage that few cells need: what conditions at sides and at a mask's boundary compute.
// A stage has them as where(the cell is at the side, part, otherwise), whose part every cell would
// compute.
#pragma once

#include <vector>

#include "kernels/stages/stage_tree.hpp"

namespace lapl {

/// A stage, and the same without its rare parts.
struct RareParts {
  /// Gives the results of cells that need no rare part. Its operations have the places of the
  /// stage's, but choices of rare parts are none: what reads one reads the other operand.
  StageTree common;
  std::vector<bool> needed;  ///< for each operation, true if a result of `common` needs it
  /// A cell needs a rare part if one of these operations is not 0 there, or one of those is.
  std::vector<int> where_true, where_false;
  std::vector<bool> deciding;  ///< for each operation, true if one of these needs it

  bool any() const { return !where_true.empty() || !where_false.empty(); }
};
/// `varying` is true for the operations of which choices count; empty: all.
RareParts rare_parts(const StageTree& tree, const std::vector<bool>& varying = {});

}  // namespace lapl
