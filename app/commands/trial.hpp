// A trial runs the first steps of a run, and forecasts the steps and the time of the whole run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "io/run/run_backend.hpp"

namespace lapl {

/// The steps and the time of a run: exact, a guess, or bounds. Steps that vary can become longer or
/// shorter than those of the trial. If their size has not settled, `steps` and `seconds` are lower
/// bounds.
struct Forecast {
  std::int64_t taken = 0;     ///< steps of the trial
  double reached = 0;         ///< simulated time that it reached
  bool complete = false;      ///< the trial was the whole run
  double steps_a_second = 0;  ///< of wall-clock time, at the end of the trial
  std::int64_t steps = 0;     ///< of the whole run
  double seconds = 0;         ///< wall-clock time of all steps, with `estimating`
  double estimating = 0;      ///< wall-clock time of estimates of the stable step
  bool exact = false;         ///< the number of steps is known
  bool settled = true;        ///< the size of steps has settled
  /// upper bounds, if the size has not settled and steps do not become shorter; else none
  std::optional<std::int64_t> most_steps = {};
  std::optional<double> most_seconds = {};
};

/// A point of a trial.
struct TrialPoint {
  double wall = 0;  ///< seconds of wall-clock time, without estimates
  std::int64_t step = 0;
  double time = 0;  ///< simulated
};

/// The estimates of the stable step in a trial; with a tolerance, their time counts as stepping.
struct TrialEstimates {
  std::int64_t count = 0;
  double wall = 0;    ///< seconds of wall-clock time
  double growth = 0;  ///< StepEstimate::growth of the last estimate
};

/// A forecast from the points of a trial, the first of which is its start. `complete`: the trial
/// has taken all steps.
Forecast make_forecast(const RunConfig& config, const std::vector<TrialPoint>& points,
                       const TrialEstimates& estimates, bool complete);

/// A backend of first_model at step 0, whose fields have the values `state`, one field after the
/// other.
template <class T>
std::shared_ptr<Backend<T>> backend_at(const Model& model, const BackendChoice& choice,
                                       const CoefficientFields& coefficients,
                                       const std::vector<T>& state);

/// Wall-clock seconds of a trial: `least`, and then, if the run takes longer than a second, `more`
/// with compiled code. Shorter runs mostly end before their code is compiled.
struct TrialSeconds {
  double least = 0, more = 0;
};

/// Runs from the state of `backend`, which has first_model, for `seconds` or to the end of the run,
/// and stores nothing. Throws as run() does.
template <class T>
Forecast try_steps(std::shared_ptr<Backend<T>>& backend, const Model& model,
                   const BackendChoice& choice, const CoefficientFields& coefficients,
                   const TrialSeconds& seconds);

/// The config of a trial: without checkpoints and limits.wall_time, and without outputs where they
/// do not change the steps.
RunConfig config_of_trial(RunConfig config);

}  // namespace lapl
