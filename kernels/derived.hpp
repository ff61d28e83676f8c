// What follows from a state and is computed where it lives: results of the grid's shape.
#pragma once

#include <utility>
#include <variant>

#include "kernels/filter.hpp"
#include "kernels/problem.hpp"

namespace lapl {

/// What stages make of the state: the last array of `problem`, whose fields are those of the state.
template <class T>
struct StagesPlan {
  Problem<T> problem;
};

template <class T>
using DerivedPlan = std::variant<FilterPlan<T>, StagesPlan<T>>;

/// The 5-point Laplacian of a problem's first field, with the ghost values of its faces; in field
/// units per length squared, h^2 being `spacing_squared`. On two axes alone.
template <class T>
StagesPlan<T> laplacian_plan(const Problem<T>& problem, T spacing_squared) {
  StageTree tree = diffusion_tree(2, 0);
  const int difference = tree.operations[tree.results.front()].operands[1];
  tree.results = {tree.operate(Operation::quotient, difference, tree.number(spacing_squared))};
  Problem<T> made{.shape = problem.shape, .faces = problem.faces, .fields = problem.fields};
  made.faces.resize(problem.fields + 1, problem.faces.front());
  made.stages = {{.tree = without_unused(tree), .targets = {problem.fields}}};
  return {std::move(made)};
}

}  // namespace lapl
