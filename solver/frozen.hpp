// What to tell people of cells that stand still.
#pragma once

#include <span>
#include <string>

#include "kernels/frozen.hpp"
#include "kernels/ranks/ranks.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// What to tell people of a field in float32 of which 1% or more is frozen; empty for any other.
std::string frozen_warning(const RunConfig& config, RowRange rows, std::span<const float> field,
                           Ranks& ranks = only_rank());
/// Empty: there is no precision to advise.
std::string frozen_warning(const RunConfig& config, RowRange rows, std::span<const double> field,
                           Ranks& ranks = only_rank());

}  // namespace lapl
