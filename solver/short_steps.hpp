// Warns of steps that stay so short that the run gets nowhere, for example at a singularity of the
// solution that the state passes only because the tolerance allows errors.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "solver/step_control.hpp"
#include "solver/units.hpp"

namespace lapl {

class ShortSteps {
 public:
  static constexpr double far = 1e10;  ///< number of steps to the next time that must be met
  static constexpr std::int64_t enough = 10'000;

  /// Called after `steps` steps of one size. Returns a warning, once, if the next time that must be
  /// met was more than `far` such steps away after each of the last `enough` steps.
  std::string after(std::int64_t steps, const StepControl& control, std::string_view time_unit) {
    const double left = control.steps_to_target();
    count_ = left > far ? count_ + steps : 0;
    if (count_ < enough || reported_) return {};
    reported_ = true;
    return fmt::format(
        "the last {} steps were so short that the next output, time.meet or end stayed more than "
        "{:.0e} steps away (expected limits.smallest_step, which ends a run with such steps; the "
        "last one is {})",
        enough, far, with_unit(fmt::format("{:.3g}", control.state().clock.step), time_unit));
  }

 private:
  std::int64_t count_ = 0;
  bool reported_ = false;
};

}  // namespace lapl
