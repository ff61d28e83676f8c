// Finds the first of steps by error, for `time.step: auto`.
#pragma once

#include <cstdint>
#include <functional>

#include "solver/run_config.hpp"
#include "solver/stable_step.hpp"

namespace lapl {

/// The first step of larger grids is that of fewer cells at the same place.
inline constexpr std::int64_t most_cells_of_first_step = std::int64_t{1} << 20;

/// A hundredth of the time in which a field would change by its largest value (Hairer, Norsett and
/// Wanner, Solving Ordinary Differential Equations I (1993), section II.4), in few digits. Where
/// that is not known, since rates are not finite or large fields come from files, the first
/// output, or a hundredth of it. The controller corrects the step. `load` loads the fields of a
/// config. Throws DeviceError where memory does not suffice.
double first_step_of(const RunConfig& config,
                     const std::function<StateFields(const RunConfig&)>& load);

}  // namespace lapl
