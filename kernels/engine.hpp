// The interface of engines, on a CPU or a GPU.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/grid/double_buffer.hpp"
#include "kernels/problem.hpp"

namespace lapl {

/// Steps the fields of a problem. On a GPU, fields are laid out by field_layout<T>(problem.shape),
/// and the engine enqueues its work in the CUDA stream that it was made with.
template <class T>
class Engine {
 public:
  virtual ~Engine() = default;

  /// Steps `steps` times from the state after `first_step` steps. The result is in buffers.current.
  /// On a GPU, the steps are only enqueued; the call copies no field, and waits for the device only
  /// while code is compiled.
  virtual void advance(DoubleBuffer<T>& buffers, std::int64_t first_step, std::int64_t steps) = 0;

  /// Sets the times and the size of steps. Engines whose steps depend on neither ignore the call.
  virtual void set_clock(const StepTimes& /*clock*/) {}

  /// Called when something other than a step or Backend::undo_step has changed the state.
  virtual void forget_state() {}

  /// Where the last step stores the largest magnitude of its errors (Problem::measures_error), on a
  /// GPU at its end, negative until then; null if the engine does not find it. An error that is NaN
  /// makes it NaN.
  virtual const double* largest_error() const { return nullptr; }

  /// The number of threads of a step on a CPU. All other parallel work of the run uses the same
  /// number: OpenMP ends the threads that a smaller team leaves out, and fails if it cannot start
  /// new ones later.
  virtual int threads() const { return 1; }

  /// Waits until no code is being compiled in the background.
  virtual void settle() {}

  /// A message on how the engine steps now; empty if there is only one way to step.
  virtual std::string how() { return {}; }

  /// The reason why the engine steps more slowly than it could; empty if there is none or none is
  /// known.
  virtual std::string setback() { return {}; }
};

}  // namespace lapl
