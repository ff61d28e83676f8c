// What a CPU engine is: it takes steps from one of two buffers to the other (Jacobi).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/backend.hpp"
#include "kernels/grid/double_buffer.hpp"
#include "kernels/stages/code_text.hpp"

namespace lapl {

template <class T>
class CpuEngine {
 public:
  virtual ~CpuEngine() = default;

  /// Takes `steps` steps from the state after `first_step` steps; the result is in
  /// buffers.current.
  virtual void advance(DoubleBuffer<T>& buffers, std::int64_t first_step, std::int64_t steps) = 0;

  /// Threads that it steps on. Whatever else is done in a run takes as many: OpenMP ends those that
  /// a smaller team leaves out, and cannot go on where no new ones can be started.
  virtual int threads() const = 0;

  /// Waits for what is compiled meanwhile.
  virtual void settle() {}

  /// How it steps just now, for people; empty where there is one way.
  virtual std::string how() { return {}; }

  /// Why it steps in a slower way than it was made for, once that is known; else empty.
  virtual std::string setback() { return {}; }
};

/// What stages make of a state, interpreted.
template <class T>
class StagesValue {
 public:
  virtual ~StagesValue() = default;

  /// `state` after `step` steps; `output`: the cells of one field.
  virtual void apply(const T* state, std::int64_t step, T* output) = 0;
};
template <class T>
std::unique_ptr<StagesValue<T>> make_stages_value(const StagesPlan<T>& plan, int threads);

template <class T>
std::unique_ptr<CpuEngine<T>> make_reference_engine(const Problem<T>& problem, int threads);
template <class T>
std::unique_ptr<CpuEngine<T>> make_interpreted_engine(const Problem<T>& problem, int threads);
/// `most_steps`: that pieces of the grid go through in the cache.
template <class T>
std::unique_ptr<CpuEngine<T>> make_compiled_engine(const Problem<T>& problem, int threads,
                                                   int most_steps);
/// What such an engine has compiled.
template <class T>
CodeText code_of_steps(const Problem<T>& problem);
template <class T>
std::unique_ptr<CpuEngine<T>> make_blocked_engine(const Problem<T>& problem, int threads);
template <class T>
std::unique_ptr<CpuEngine<T>> make_spectral_engine(const Problem<T>& problem, int threads);

}  // namespace lapl
