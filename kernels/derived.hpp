// What follows from a state and is computed where it lives: results of the grid's shape.
#pragma once

#include <variant>

#include "kernels/filter.hpp"
#include "kernels/problem.hpp"

namespace lapl {

/// The 5-point Laplacian, with the ghost values of the faces; in field units per length squared.
template <class T>
struct LaplacianPlan {
  Faces<T> faces;
  T spacing_squared = 1;  ///< h^2
};

/// What stages make of the state: the last array of `problem`, whose fields are those of the state.
template <class T>
struct StagesPlan {
  Problem<T> problem;
};

template <class T>
using DerivedPlan = std::variant<LaplacianPlan<T>, FilterPlan<T>, StagesPlan<T>>;

}  // namespace lapl
