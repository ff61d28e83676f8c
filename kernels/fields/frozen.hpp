// Cells that a step cannot change, though it should: what it would add to them is less than half a
// unit in their last place. In float32 smooth fields freeze so (docs/numerics.md).
#pragma once

#include <cstdint>
#include <span>

#include "kernels/backend.hpp"

namespace lapl {

/// Cells whose Laplacian is not 0 and that a step leaves as they are, in the engines' arithmetic.
template <class T>
std::int64_t frozen_cells(const Problem<T>& problem, std::span<const T> field);

}  // namespace lapl
