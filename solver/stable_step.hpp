// Finds the largest stable step of a run and describes it and the run's own step to people.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "solver/equation/stages.hpp"
#include "solver/initial_field.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// The largest stable step, exact or estimated, or why it is unknown.
struct StableStep {
  /// Seconds: 0 where no step is stable, infinity where every one is, none where it is not known.
  std::optional<double> largest = {};
  bool estimated = false;
  std::string why_unknown = {};
  double growth = 0;  ///< StateModes::growth, if estimated
  /// Index of the first value whose rate is not finite (RatesNotFinite), so that any step fails.
  std::optional<std::int64_t> not_finite = {};
};

/// The steps that an estimate covers: `steps` steps from `time` (seconds) on. Their size must be
/// stable by the rates at all times that they meet.
struct Ahead {
  double time = 0;
  std::int64_t steps = 0;  ///< 0: only the rates at `time` count
};

/// The input of an estimate: parameter fields, initial fields, and the steps that it covers.
struct StateFields {
  CoefficientFields coefficients;
  WholeFields whole;
  Ahead ahead = {};
};

/// States with more values take too long to estimate interactively.
inline constexpr std::int64_t most_estimated_values = std::int64_t{1} << 22;

/// The largest stable step by the equation alone or, where it depends on the state, an estimate
/// from the fields that `load` returns. `system` has the config's formulas. States of more than
/// `most_values` are not estimated.
StableStep find_stable_step(const RunConfig& config, const FormulaSystem& system,
                            const std::function<StateFields()>& load,
                            std::int64_t most_values = most_estimated_values);

/// The same at `state`, which has every field, one after the other.
template <class T>
StableStep stable_step_at(RunConfig config, const FormulaSystem& system,
                          const CoefficientFields& coefficients, std::span<const T> state,
                          const Ahead& ahead, std::int64_t most_values = most_estimated_values);

/// find_stable_step as a function of the scheme. All explicit schemes share one estimate.
std::function<StableStep(TimeScheme)> stable_step_finder(
    const RunConfig& config, const FormulaSystem& system, const std::function<StateFields()>& load,
    std::int64_t most_values = most_estimated_values);

/// The number of stages that time.stages: auto selects: the fewest with a largest stable step (0.9
/// of it where estimated) of at least the run's step; none where most_stages do not suffice.
std::optional<int> automatic_stages(const RunConfig& config,
                                    const std::function<StableStep(TimeScheme)>& stable);

/// The step as text: "0.25 s", or why there is none; `at` says where an estimate was made.
std::string stable_step_text(const RunConfig& config, const StableStep& step,
                             const std::string& at = "at the initial state");

/// A warning about the run's step; empty where there is none. `at` says where an estimate was made.
std::string step_warning(const RunConfig& config, const FormulaSystem& system,
                         const StableStep& step, const std::string& at = "at the initial state");

/// Why no step is possible from the initial state: a rate is not finite there; else empty.
std::string why_no_step(const RunConfig& config, const StableStep& step);

/// A note for messages where time.step: auto follows from the largest stable step: a stable step
/// may still be inaccurate. Empty for linear equations with constant coefficients and without t.
std::string accuracy_note(const RunConfig& config, const FormulaSystem& system,
                          const StableStep& step);

/// The step in seconds that time.step: auto selects, 0.9 of the largest stable one; none where
/// there is no such number.
std::optional<double> automatic_step(const StableStep& step);

}  // namespace lapl
