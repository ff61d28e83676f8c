// Messages about runs that end because no step is accurate or stable.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/backend.hpp"
#include "solver/run_config.hpp"
#include "solver/step_control.hpp"

namespace lapl {

/// The message where the largest stable step after `step` is too short to change the time.
std::string words_on_tiny_step(const RunConfig& config, std::int64_t step, double time,
                               double longest);

/// The message where the last error requires that the step after `step` be shorter than the limit.
std::string words_on_refused_size(const RunConfig& config, const StepControl& control,
                                  std::int64_t step);

/// The message where no step after `step` is known to be stable; `why` says what an estimate found.
std::string words_on_unknown_step(const RunConfig& config, std::int64_t step, double time,
                                  const std::string& why);

/// The message where the step after `step` has this error (in units of the tolerance) and a shorter
/// one is forbidden. The backend has just taken that step; the function undoes it.
template <class T>
std::string words_on_refused_step(Backend<T>& backend, const RunConfig& config,
                                  const StepControl& control, std::int64_t step, double error);

}  // namespace lapl
