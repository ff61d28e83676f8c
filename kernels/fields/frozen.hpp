// Frozen cells: a step should change them, but the change is less than half a unit in their last
// place. Smooth fields in float32 freeze in this way (docs/numerics.md).
#pragma once

#include <cstdint>
#include <span>

#include "kernels/backend.hpp"

namespace lapl {

/// The number of cells whose Laplacian is not 0 and that a step, in the engines' arithmetic, leaves
/// unchanged.
template <class T>
std::int64_t frozen_cells(const Problem<T>& problem, std::span<const T> field);

}  // namespace lapl
