// The interface of CPU engines, and the functions that make them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/backend.hpp"
#include "kernels/grid/double_buffer.hpp"

namespace lapl {

template <class T>
class CpuEngine {
 public:
  virtual ~CpuEngine() = default;

  /// Takes `steps` steps from the state after `first_step` steps. The result is in buffers.current.
  virtual void advance(DoubleBuffer<T>& buffers, std::int64_t first_step, std::int64_t steps) = 0;

  /// Changes the times of steps. Engines whose steps never change need not do it.
  virtual void set_clock(const StepTimes& /*clock*/) {}

  /// Called when something else than a step or Backend::undo_step has changed the state.
  virtual void forget_state() {}

  /// The number of threads of a step. All other parallel work of the run uses as many: OpenMP ends
  /// the threads that a smaller team leaves out, and fails if it cannot start new ones later.
  virtual int threads() const = 0;

  /// Waits until no code is being compiled in the background.
  virtual void settle() {}

  /// A message that says how the engine steps now; empty if it has only one way.
  virtual std::string how() { return {}; }

  /// A message that says why it steps more slowly than it could; empty if it does not, or not
  /// known.
  virtual std::string setback() { return {}; }
};

template <class T>
struct CompiledStages;

/// An engine that takes the whole grid through one stage after the other.
template <class T>
class StageEngine : public CpuEngine<T> {
 public:
  /// Calls these functions from now on. Keeps a reference.
  virtual void use(const CompiledStages<T>& compiled) = 0;
};

/// Computes a derived output by interpreting stages.
template <class T>
class StagesValue {
 public:
  virtual ~StagesValue() = default;

  /// Reads the `state` at `time`; writes the cells of one field to `output`.
  virtual void apply(const T* state, double time, T* output) = 0;
};
template <class T>
std::unique_ptr<StagesValue<T>> make_stages_value(const StagesPlan<T>& plan, int threads);

template <class T>
std::unique_ptr<CpuEngine<T>> make_reference_engine(const Problem<T>& problem, int threads);
template <class T>
std::unique_ptr<StageEngine<T>> make_interpreted_engine(const Problem<T>& problem, int threads);
/// An engine whose stages are compiled functions of a row. A pass takes at most `most_steps` steps.
template <class T>
std::unique_ptr<CpuEngine<T>> make_compiled_engine(const Problem<T>& problem, int threads,
                                                   int most_steps);
template <class T>
std::unique_ptr<CpuEngine<T>> make_blocked_engine(const Problem<T>& problem, int threads);
/// The engine of linear equations, and of etdrk2 and etdrk4: for these, `rates` makes the fields of
/// Problem::exponential's problem their rates, one step at a time.
template <class T>
std::unique_ptr<CpuEngine<T>> make_spectral_engine(const Problem<T>& problem, int threads,
                                                   std::unique_ptr<CpuEngine<double>> rates);

}  // namespace lapl
