// Finds the step or the number of stages that a config leaves open. The parameter `system` has the
// formulas of that config.
#pragma once

#include <cstdint>
#include <functional>

#include "solver/stable_step.hpp"

namespace lapl {

/// Loads the fields of a config.
using LoadFields = std::function<StateFields(const RunConfig&)>;

/// With more cells, the first step is computed on a coarser grid of the same extent.
inline constexpr std::int64_t most_cells_of_first_step = std::int64_t{1} << 20;

/// The first step in seconds of a run with time.tolerance, by the rates at the start
/// (solver/estimated_step.hpp), rounded to few digits. It is shorter than the time to the first
/// output or the end. If rates are not finite it is 0.9 of that time; a hundredth of this where a
/// large grid reads values from files. The controller corrects the step. Throws DeviceError if
/// memory does not suffice.
double automatic_first_step(const RunConfig& config, const FormulaSystem& system,
                            const LoadFields& load);

/// The result of a search for a step or for a number of stages.
struct FoundSteps {
  StableStep stable;   ///< the largest stable step, which decides; none with a tolerance
  bool found = false;  ///< false: no such step, or no such number of stages
};

/// Sets the run's step, for `time.step: auto`: with a tolerance the first step; else 0.9 of the
/// largest stable step, or a little less to divide the run's times. Without a tolerance, steps vary
/// if the largest stable step is an estimate, or if the config has time.meet or time.largest_step.
FoundSteps find_step(RunConfig& run, const FormulaSystem& system, const LoadFields& load);

/// Sets the number of stages of rkl2's super steps, for `time.stages: auto`.
FoundSteps find_stages(RunConfig& run, const FormulaSystem& system, const LoadFields& load);

}  // namespace lapl
