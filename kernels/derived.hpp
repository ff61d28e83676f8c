// What follows from a field and is computed where it lives: results of the grid's shape.
#pragma once

#include <variant>

#include "kernels/face.hpp"
#include "kernels/filter.hpp"

namespace lapl {

/// The 5-point Laplacian, with the ghost values of the faces; in field units per length squared.
template <class T>
struct LaplacianPlan {
  Faces<T> faces;
  T spacing_squared = 1;  ///< h^2
};

template <class T>
using DerivedPlan = std::variant<LaplacianPlan<T>, FilterPlan<T>>;

}  // namespace lapl
