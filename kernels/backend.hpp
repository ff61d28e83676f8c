// A backend stores the state, steps it with one engine, and copies it out. solver/ uses it through
// this interface and never touches host or device memory itself.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels/derived.hpp"
#include "kernels/fields/found_value.hpp"
#include "kernels/grid/block.hpp"
#include "kernels/problem.hpp"
#include "kernels/ranks/ranks.hpp"

namespace lapl {

/// The copies of the state at one step, in host memory, that a Capture keeps. With several ranks,
/// each has only the rows it owns.
template <class T>
struct Captured {
  /// rows of the grid in this copy: all, or this rank's
  RowRange rows;
  std::span<const T> state;  ///< every field, one after the other
  std::int64_t cells = 0;    ///< cells of one field in these rows
  /// for each plan of set_derived, or empty; whoever reads the capture may change its values
  std::vector<std::span<T>> derived;
  std::uint64_t digest = 0;  ///< of the whole state (kernels/fields/digest.hpp)
  /// index in the whole state of the first such value
  std::optional<std::int64_t> first_not_finite;
  Ranks* ranks = &only_rank();  ///< the ranks that have the other rows

  std::span<const T> field(std::int64_t index) const {
    return state.subspan(index * cells, static_cast<std::size_t>(cells));
  }
};

/// The backend, engine and device of a run, for people and for the provenance in files.
struct BackendDescription {
  std::string backend;
  std::string engine;
  std::string reason;  ///< why this engine was chosen
  std::string device;  ///< model of the processor or GPU
  std::string driver;  ///< versions of the CUDA driver and runtime; empty on a CPU
  int threads = 0;     ///< CPU threads; 0 on a GPU
  /// why steps are slower than they could be; empty if they are not or it is not yet known
  std::string setback = {};
};

template <class T>
class Backend;

/// Consecutive arrays of a state: its fields, then the error of the last step where the problem
/// measures it.
struct StateArrays {
  int first = 0, count = 1;
};

/// A reduction of the magnitudes in such arrays.
template <class T>
struct Reduced {
  double largest = 0;  ///< NaN if a value is NaN
  std::optional<FoundValue<T>>
      first;  ///< the first that reaches the bound; its index is in the state
};

/// Keeps a backend's copies of the state at one step. While it or a copy of it lives, the backend
/// makes no other capture. The backend must outlive it.
template <class T>
class Capture {
 public:
  Capture() = default;
  Capture(Backend<T>& backend, std::shared_ptr<const void> held)
      : backend_(&backend), kept_(std::move(held)) {}

  /// Waits until the copies are made. May be called from another thread.
  Captured<T> wait() const { return backend_->finish_capture(); }

 private:
  Backend<T>* backend_ = nullptr;
  std::shared_ptr<const void> kept_;
};

template <class T>
class Backend {
 public:
  virtual ~Backend() = default;

  virtual BackendDescription description() const = 0;

  /// Sets the state after `step` steps: every field, one after the other. With several ranks, each
  /// gives the rows it owns.
  virtual void set_state(std::span<const T> state, std::int64_t step = 0) = 0;

  /// The ranks that step the state together; all of them call the same functions of their backends.
  /// Captures have ranks of their own, for the thread that reads them.
  virtual Ranks& ranks() { return only_rank(); }

  /// The rows that set_state expects and captures contain.
  virtual RowRange rows() const = 0;

  /// A view of the current state in memory.
  virtual Block<T> block() = 0;

  /// Values of the current state at `indices`.
  virtual std::vector<T> values_at(std::span<const std::int64_t> indices) = 0;

  /// Waits for code that is being compiled; until then other code runs the steps, with the same
  /// bits.
  virtual void settle() {}

  /// Runs `steps` steps. It may return before they are done, but not before the previous call's
  /// are.
  virtual void advance(std::int64_t steps) = 0;

  /// Sets the times and the size of steps from the current state on. Need not be called where steps
  /// have one size.
  virtual void set_clock(const StepTimes& clock) = 0;

  /// Undoes the last call of advance, which must have been of one step.
  virtual void undo_step() = 0;

  /// Starts to reduce arrays of the current state over the grid: the largest magnitude, and the
  /// first value whose magnitude is `bound` or more (infinity finds values that are not finite).
  /// The function that it returns waits for the result, which is the same on all ranks. Steps may
  /// be run meanwhile.
  [[nodiscard]] virtual std::function<Reduced<T>()> reduce(StateArrays arrays, double bound) = 0;

  /// Sets the derived outputs that captures can contain besides the state; must be called before
  /// the first capture. Throws DeviceError if memory does not suffice.
  virtual void set_derived(const std::vector<DerivedOutput<T>>& plans) = 0;

  /// Starts to copy the current state, and its derived outputs if asked for, to the host. Steps may
  /// be taken at once. Throws std::logic_error while an earlier capture is held.
  [[nodiscard]] Capture<T> capture(bool with_derived = false) {
    if (!kept_.expired()) throw std::logic_error("capture: an earlier capture is still held");
    start_capture(with_derived);
    const auto held = std::make_shared<char>();
    kept_ = held;
    return {*this, held};
  }

  /// Seconds spent in steps since construction; waits until every step is done.
  virtual double stepping_seconds() = 0;

 private:
  friend class Capture<T>;
  virtual void start_capture(bool with_derived) = 0;
  virtual Captured<T> finish_capture() = 0;

  std::weak_ptr<const void> kept_;
};

/// A copy of the current state: every field, one after the other. With several ranks, only the rows
/// that this rank owns.
template <class T>
std::vector<T> copy_of_state(Backend<T>& backend) {
  const Capture<T> capture = backend.capture();
  const std::span<const T> state = capture.wait().state;
  return {state.begin(), state.end()};
}

/// The largest error of the last step, relative to what the tolerance allows; NaN if it is not a
/// number. The error is the array after so many `fields`.
template <class T>
double largest_error(Backend<T>& backend, int fields) {
  return backend.reduce({fields, 1}, std::numeric_limits<double>::infinity())().largest;
}

/// Why no CUDA backend can be made on this machine; empty if one can.
std::string cuda_unavailable();
/// False if it is certain, without starting CUDA, that none can be made.
bool has_cuda_driver();

/// Makes CUDA device `index`, modulo their number, the device of this thread. Does nothing without
/// a device.
void choose_device(int index);

/// Steps that the given engine, or "auto", runs in one pass, if the grid is large enough for them.
template <class T>
std::int64_t steps_at_once(const Problem<T>& problem, const std::string& backend,
                           const std::string& engine);

/// CPU threads for a grid of this shape: one for each core that the process may use, but fewer on a
/// small grid, where waiting for each other would take longer than the work on `fewest_cells`.
int useful_threads(Shape shape, std::int64_t fewest_cells = 32768);
template <class T>
int useful_threads(const Problem<T>& problem) {
  return problem.exponential ? useful_threads(problem.shape, 16384) : useful_threads(problem.shape);
}

/// Makes a backend, "cpu" or "cuda", with `engine`, which is "auto" or a name from engine_table. If
/// `threads` is 0, it uses useful_threads. Throws DeviceError if the device is missing, not
/// compiled in or has too little memory (with the bytes needed and available), ConfigError if the
/// engine belongs to another backend.
template <class T>
std::unique_ptr<Backend<T>> make_backend(const std::string& backend, const std::string& engine,
                                         const Problem<T>& problem, int threads);

}  // namespace lapl
