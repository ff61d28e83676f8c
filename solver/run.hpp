// Steps a backend to the end and hands out outputs and checkpoints on the way.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/backend.hpp"
#include "solver/make_problem.hpp"
#include "solver/stable_step.hpp"
#include "solver/step_control.hpp"

namespace lapl {

/// How far a run is, reported about ten times a second.
struct Progress {
  std::int64_t step = 0;
  std::int64_t last_step = 0;
  double time = 0;              ///< simulated, in seconds
  double cells_per_second = 0;  ///< over the latest stretch of about a tenth of a second
  double seconds_left = 0;
};

/// Says whether the state at a step is stored as output, checkpoint or both.
struct Storing {
  std::int64_t step = 0;
  bool output = false;
  bool checkpoint = false;
  double cells_per_second = 0;  ///< since the state was last stored
  double time = 0;
  double time_step = 0;                             ///< dt in seconds; 0 at step 0 with a tolerance
  std::optional<StepState> steps = {};              ///< the controller's state, if steps vary
  SolveReport solves = {};                          ///< how the last solves went
  std::vector<const OutputDataset*> datasets = {};  ///< what an output holds, of Model::outputs
};

/// Receives the outputs, checkpoints, probes and progress of a run.
template <class T>
class RunSink {
 public:
  virtual ~RunSink() = default;

  /// Stores the state. Called from a background thread, one call at a time, while stepping goes on.
  /// An exception ends the run.
  virtual void store(const Storing& storing, const Captured<T>& captured) = 0;

  /// Where the last state is, for the message of a run that cannot go on from it.
  virtual std::string last_state_words() const { return {}; }

  /// Receives the values of probes.csv at a step. Called from the stepping thread.
  virtual void probed(std::int64_t step, double time, std::span<const T> values) = 0;

  /// Called from the stepping thread about ten times a second.
  virtual void progress(const Progress& progress) = 0;
};

/// On the first rank: estimates the longest stable step of a state (every field, one after the
/// other) for the steps ahead.
template <class T>
using EstimateStep = std::function<StepEstimate(std::span<const T> state, const Ahead& ahead)>;

/// Returns a backend whose rkl2 steps have `stages` stages, to be used instead of the run's. The
/// caller must set its state.
template <class T>
using OtherStages = std::function<Backend<T>&(std::int64_t stages)>;

/// Lets the steps of a run vary.
template <class T>
struct VaryingSteps {
  std::optional<StepState> from = {};  ///< the controller's state, of a restart
  EstimateStep<T> estimate = {};       ///< asked every config.stability_checks() steps
  /// called on the first rank if an estimate has changed the size of steps to `size`; in runs whose
  /// steps all have `size`, if that is longer than the estimate or no step is known to be stable
  std::function<void(std::int64_t step, double size)> report = {};
  /// called on the first rank with a warning
  std::function<void(std::int64_t step, const std::string& what)> warn = {};
  OtherStages<T> with_other_stages = {};  ///< for rkl2 with a tolerance
};

/// How a run ended.
struct RunResult {
  std::int64_t step = 0;          ///< the last step taken
  std::string stopped_by;         ///< reason for stopping before config.steps; empty otherwise
  bool complete = false;          ///< reached config.steps, a steady state or limits.stop
  double stepping_seconds = 0;    ///< in the engine alone
  double estimating_seconds = 0;  ///< for estimates of the largest stable step
  double seconds = 0;             ///< in all, with outputs and checkpoints
};

/// RunResult::stopped_by of a run that has reached a steady state (limits.steady).
inline constexpr const char* stopped_by_steady = "steady";

/// RunResult::stopped_by of a run that meets limits.stop.
inline constexpr const char* stopped_by_condition = "limits.stop";
/// True for reasons that complete a run before its last step.
inline bool completes(std::string_view stopped_by) {
  return stopped_by == stopped_by_steady || stopped_by == stopped_by_condition;
}

/// RunResult::stopped_by of a run that config.stops_at has stopped.
inline constexpr const char* stopped_by_plan = "stops_at";

/// Runs from `first_step` (the backend's current state) to config.steps. `stop_reason` is asked
/// about ten times a second; a text that is not empty ends the run early with a checkpoint. So is
/// `checkpoint_was_asked`, if given; true makes a checkpoint, and the run goes on. Throws
/// NotFiniteError (step, cell, values around it) where a stored or checked state is not finite,
/// NumericalError (steps, digests) where config.verify_every is set and repeated steps give other
/// bits, and whatever the sink or the backend throws. Collective: a signal to one rank stops all,
/// and the first rank's clock counts.
template <class T>
RunResult run(Backend<T>& backend, const Model& model, std::int64_t first_step, RunSink<T>& sink,
              const std::function<std::string()>& stop_reason, const VaryingSteps<T>& steps = {},
              const std::function<bool()>& checkpoint_was_asked = {});

}  // namespace lapl
