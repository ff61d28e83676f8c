// Finds the step or the number of stages that a config leaves open. `system` is that of the config.
#pragma once

#include <cstdint>
#include <functional>

#include "solver/stable_step.hpp"

namespace lapl {

/// Loads the fields of a config.
using LoadFields = std::function<StateFields(const RunConfig&)>;

/// The first step of larger grids is that of fewer cells at the same place.
inline constexpr std::int64_t most_cells_of_first_step = std::int64_t{1} << 20;

/// The first step by the rates at the start (solver/estimated_step.hpp), at most to the first
/// output, in few digits. Where it is not known, since rates are not finite or large fields come
/// from files, the first output, or a hundredth of it. The controller corrects the step. Throws
/// DeviceError where memory does not suffice.
double automatic_first_step(const RunConfig& config, const FormulaSystem& system,
                            const LoadFields& load);

/// The result of a search for a step or for a number of stages.
struct FoundSteps {
  StableStep stable;   ///< the largest stable step, by which it was found; none with a tolerance
  bool found = false;  ///< false: no such step, or no such number of stages
};

/// Sets the run's step, for `time.step: auto`: the first step with a tolerance; else 0.9 of the
/// largest stable one, or a little less to divide the run's times. Steps vary then if that is an
/// estimate, or if the run meets times or has a largest step.
FoundSteps find_step(RunConfig& run, const FormulaSystem& system, const LoadFields& load);

/// Sets the number of stages of super steps, for `time.stages: auto`.
FoundSteps find_stages(RunConfig& run, const FormulaSystem& system, const LoadFields& load);

}  // namespace lapl
