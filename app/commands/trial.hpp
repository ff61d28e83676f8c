// Runs the first steps of a run and predicts the steps and the time of the whole run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/commands/run_backend.hpp"

namespace lapl {

/// The steps and the time of a run: exact, a guess, or bounds. Steps that vary can become longer or
/// shorter than those of the trial. If they have not settled, `steps` and `seconds` are lower
/// bounds.
struct Forecast {
  std::int64_t taken = 0;     ///< steps of the trial
  double reached = 0;         ///< simulated seconds at its end
  bool complete = false;      ///< the trial was the whole run
  double steps_a_second = 0;  ///< of wall-clock time, at the end of the trial
  std::int64_t steps = 0;     ///< of the whole run
  double seconds = 0;         ///< of wall-clock time, with `estimating`
  double estimating = 0;      ///< of wall-clock time, in which stable steps are estimated
  bool exact = false;         ///< the number of steps is known
  bool settled = true;        ///< the size of steps has settled
  /// if it has not settled: the most, if steps become no shorter; none if they become shorter
  std::optional<std::int64_t> most_steps = {};
  std::optional<double> most_seconds = {};
};

/// A point of a trial.
struct TrialPoint {
  double wall = 0;  ///< seconds of wall-clock time, without estimates
  std::int64_t step = 0;
  double time = 0;  ///< seconds of simulated time
};

/// The estimates of the stable step in a trial; steps by error include theirs.
struct TrialEstimates {
  std::int64_t count = 0;
  double wall = 0;    ///< seconds of wall-clock time
  double growth = 0;  ///< of the last one (StepEstimate)
};

/// A forecast from the points of a trial. The first point is its start.
Forecast make_forecast(const RunConfig& config, const std::vector<TrialPoint>& points,
                       const TrialEstimates& estimates, bool complete);

/// A backend of first_model at the start of a run.
template <class T>
std::unique_ptr<Backend<T>> backend_at(const Model& model, const BackendChoice& choice,
                                       const CoefficientFields& coefficients,
                                       const std::vector<T>& state);

/// Wall-clock seconds of a trial: at least so many, and more once code is compiled if the run takes
/// longer than a second. Shorter runs mostly go by before their code is compiled.
struct TrialSeconds {
  double least = 0, more = 0;
};

/// Runs from the state of `backend`, which is that of first_model, for so long or to the end, and
/// stores nothing. Throws as run does.
template <class T>
Forecast try_steps(std::unique_ptr<Backend<T>>& backend, const Model& model,
                   const BackendChoice& choice, const CoefficientFields& coefficients,
                   const TrialSeconds& seconds);

/// The config of a trial: without what a run does besides stepping, checking and estimating.
RunConfig config_of_trial(RunConfig config);

}  // namespace lapl
