// Derived outputs: arrays of the grid's shape that are computed from a state.
#pragma once

#include <utility>
#include <variant>

#include "kernels/filters/filter.hpp"
#include "kernels/problem.hpp"

namespace lapl {

/// A filter of a field, or a problem whose stages compute the output from the fields of the state
/// into the problem's last array.
template <class T>
using DerivedOutput = std::variant<FilterPlan<T>, Problem<T>>;

/// The 5-point Laplacian of array 0 on two axes, in field units per length squared, for a spacing h
/// of the nodes; `spacing_squared` is h^2.
inline StageTree laplacian_tree(double spacing_squared) {
  StageTree tree = diffusion_tree(2, 0);
  const int difference = tree.operations[tree.results.front()].operands[1];
  tree.results = {tree.operate(Operation::quotient, difference, tree.number(spacing_squared))};
  return without_unused(tree);
}

}  // namespace lapl
