// What follows from a state and is computed where it lives: results of the grid's shape.
#pragma once

#include <stdexcept>
#include <variant>

#include "kernels/filter.hpp"
#include "kernels/problem.hpp"

namespace lapl {

/// The 5-point Laplacian of a problem's first field, with the ghost values of its faces; in field
/// units per length squared. On two axes alone: std::logic_error on one and three, whose Laplacian
/// takes stages.
template <class T>
struct LaplacianPlan {
  LaplacianPlan(const Problem<T>& problem, T h_squared)
      : faces(problem.faces.front()), spacing_squared(h_squared) {
    if (problem.shape.axes != 2) throw std::logic_error("the 5-point Laplacian is of two axes");
  }
  Faces<T> faces;
  T spacing_squared;  ///< h^2
};

/// What stages make of the state: the last array of `problem`, whose fields are those of the state.
template <class T>
struct StagesPlan {
  Problem<T> problem;
};

template <class T>
using DerivedPlan = std::variant<LaplacianPlan<T>, FilterPlan<T>, StagesPlan<T>>;

}  // namespace lapl
