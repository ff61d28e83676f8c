// Finds the first of steps by error, for `time.step: auto`.
#pragma once

#include <cstdint>
#include <functional>

#include "solver/run_config.hpp"
#include "solver/stable_step.hpp"

namespace lapl {

/// The first step of larger grids is that of fewer cells at the same place.
inline constexpr std::int64_t most_cells_of_first_step = std::int64_t{1} << 20;

/// The first step by the rates at the start (solver/estimated_step.hpp), at most to the first
/// output, in few digits. Where it is not known, since rates are not finite or large fields come
/// from files, the first output, or a hundredth of it. The controller corrects the step. `load`
/// loads the fields of a config. Throws DeviceError where memory does not suffice.
double first_step_of(const RunConfig& config,
                     const std::function<StateFields(const RunConfig&)>& load);

}  // namespace lapl
