// The largest stable step of a run, and what to tell people of it and of the run's own.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "solver/initial_field.hpp"
#include "solver/run_config.hpp"

namespace lapl {

struct StableStep {
  /// Seconds: 0 where no step is stable, infinity where each is; none where it is not known.
  std::optional<double> largest = {};
  bool estimated = false;
  std::string why_unknown = {};
};

/// What initial fields and coefficients an estimate reads.
struct StateFields {
  CoefficientFields coefficients;
  WholeFields whole;
};

/// Values of the state above which an estimate takes longer than people wait for one.
inline constexpr std::int64_t most_estimated_values = std::int64_t{1} << 22;

/// From the equation; where that does not say it, estimated with the fields that `load` gives, but
/// for states of more than `most_values`.
StableStep stable_step_of(const RunConfig& config, const std::function<StateFields()>& load,
                          std::int64_t most_values = most_estimated_values);

/// The same for other schemes than the run's, with one estimate for all.
std::function<StableStep(TimeScheme)> stable_steps_of(
    const RunConfig& config, const std::function<StateFields()>& load,
    std::int64_t most_values = most_estimated_values);

/// What time.stages: auto takes: the fewest of which the largest stable step, or 0.9 of it where it
/// is estimated, is at least the run's; none where most_stages are too few.
std::optional<int> automatic_stages(const RunConfig& config,
                                    const std::function<StableStep(TimeScheme)>& stable);

/// "0.25 s", or what there is in its place; `at`: where it is estimated.
std::string text_of(const StableStep& step, const std::string& at = "at the initial state");

/// Empty where there is nothing to warn of.
std::string step_warning(const RunConfig& config, const StableStep& step);

/// What time.step: auto takes: 0.9 of the largest stable step; none where there is no such number.
std::optional<double> automatic_step(const StableStep& step);

}  // namespace lapl
