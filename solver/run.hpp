// The run itself: steps a backend to the end, hands out outputs and checkpoints on the way.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "kernels/backend.hpp"
#include "solver/make_problem.hpp"

namespace lapl {

struct Progress {
  std::int64_t step = 0;
  std::int64_t last_step = 0;
  double cells_per_second = 0;  ///< over the latest stretch of steps
  double seconds_left = 0;
};

/// What the state at a step is to be stored as, output, checkpoint or both.
struct Storing {
  std::int64_t step = 0;
  bool output = false;
  bool checkpoint = false;
  double cells_per_second = 0;  ///< since the last storing
};

/// Takes what a run makes.
template <class T>
class RunSink {
 public:
  virtual ~RunSink() = default;

  /// Stores the state. Called from a thread of its own, one call at a time, while stepping goes on.
  /// What it throws ends the run.
  virtual void store(const Storing& storing, const Captured<T>& captured) = 0;

  /// Takes the columns of probes.csv at a step. Called from the stepping thread.
  virtual void probed(std::int64_t step, std::span<const T> values) = 0;

  /// Called from the stepping thread about ten times a second.
  virtual void progress(const Progress& progress) = 0;
};

struct RunResult {
  std::int64_t step = 0;        ///< the last step taken
  std::string stopped_by;       ///< why it stopped before config.steps; else empty
  bool complete = false;        ///< at config.steps, or steady
  double stepping_seconds = 0;  ///< spent in the engine alone
  double seconds = 0;           ///< in all, with outputs and checkpoints
};

/// Looks at what step 0 would store, before anything is created for it. Throws NumericalError, as
/// run does, where a value or a sum over the values is not finite.
template <class T>
void require_finite_start(Backend<T>& backend, const Model& model);

/// RunResult::stopped_by of a run whose state has come to rest (limits.steady).
inline constexpr const char* stopped_by_steady = "steady";

/// Runs from `first_step` (the backend's present state) to config.steps. `stop_reason` is asked
/// after each stretch of about a tenth of a second: a text that is not empty ends the run early,
/// with a checkpoint. Throws NotFiniteError (naming step, row and column, with the values around)
/// where a value is not finite at a step that is stored or checked, or NumericalError (naming steps
/// and digests) where config.verify_every is set and steps taken again end with other bits; and
/// whatever the sink or the backend throws. Several ranks take the same way: a signal to one stops
/// all, and the first one's clock holds.
template <class T>
RunResult run(Backend<T>& backend, const Model& model, std::int64_t first_step, RunSink<T>& sink,
              const std::function<std::string()>& stop_reason);

}  // namespace lapl
