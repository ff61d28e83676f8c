// Cells that a step cannot change, though it should: what it would add to them is less than half a
// unit in their last place. In float32 smooth fields freeze so (docs/numerics.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kernels/backend.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// Cells whose Laplacian is not 0 and that a step leaves as they are, in the engines' arithmetic.
template <class T>
std::int64_t frozen_cells(const Problem<T>& problem, std::span<const T> field);

/// What to tell people of a field in float32 of which 1% or more is frozen; empty for any other.
std::string frozen_warning(const RunConfig& config, std::span<const float> field);
/// Empty: there is no precision to advise.
std::string frozen_warning(const RunConfig& config, std::span<const double> field);

}  // namespace lapl
