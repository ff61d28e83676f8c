// The value that a condition gives its own field: the solution w of w = c(w), found by Newton's
// method in a fixed number of steps, as operations of a stage.
#pragma once

#include <functional>

#include "kernels/stages/stage_tree.hpp"

namespace lapl {

/// Operations at one value w.
struct NewtonStep {
  int change = 0;   ///< c(w) - w
  int divisor = 0;  ///< 1 - c'(w)
  int next = 0;     ///< w + change / divisor
};

/// Steps of Newton's method where two do not suffice.
inline constexpr int newton_steps = 9;

/// Writes the search for w from the operation `start` to a tree. The result of two steps stays
/// where they are enough (less than a thousandth of w - start is missing). Elsewhere a search of
/// `steps` steps goes on: once c(w) - w has had both signs, w lies between two values, and a step
/// that would leave them, or leads on too slowly, is replaced by a division of what is between.
int condition_root(StageTree& tree, int start, const std::function<NewtonStep(int w)>& at,
                   int steps);

/// `w`, but not a number where another step of Newton's method, of which `at_w` is at w, would
/// change w - start by more than a hundredth.
int marked_if_unsolved(StageTree& tree, int start, int w, const NewtonStep& at_w);

}  // namespace lapl
