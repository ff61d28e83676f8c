// A backend stores the state (all fields of a run), steps it with one engine, and copies it to the
// host. solver/ uses it through this interface and never touches host or device memory itself.
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
#include "kernels/solve/grid_equations.hpp"

namespace lapl {

/// The copies of the state at one step, in host memory, that a Capture keeps. With several ranks,
/// each has only the rows it owns.
template <class T>
struct Captured {
  /// rows of the grid in this copy: all, or those that this rank owns
  RowRange rows;
  std::span<const T> state;  ///< every field, one after the other
  std::int64_t cells = 0;    ///< cells of one field in these rows
  /// the derived outputs, one for each plan of set_derived; empty if capture() was not asked for
  /// them; the reader may change their values
  std::vector<std::span<T>> derived;
  std::uint64_t digest = 0;  ///< of the whole state on all ranks (kernels/fields/digest.hpp)
  /// index in the whole state of the first NaN or infinity
  std::optional<std::int64_t> first_not_finite;
  Ranks* ranks = &only_rank();  ///< the ranks that have the other rows, for the thread that reads

  std::span<const T> field(std::int64_t index) const {
    return state.subspan(index * cells, static_cast<std::size_t>(cells));
  }
};

/// The backend, engine and device of a run, as text for people and for the records in files.
struct BackendDescription {
  std::string backend;
  std::string engine;
  std::string reason;  ///< why this engine was chosen
  std::string device;  ///< model of the processor or GPU
  std::string driver;  ///< versions of the CUDA driver and runtime; empty on a CPU
  int threads = 0;     ///< CPU threads; 0 on a GPU
  /// why steps are slower than they could be; empty if there is no reason or none is known yet
  std::string setback = {};
};

template <class T>
class Backend;

/// Arrays `first` to first + count - 1 of a state. The fields come first, then the error of the
/// last step if the problem measures it (Problem::measures_error).
struct StateArrays {
  int first = 0, count = 1;
};

/// The result of Backend::reduce.
template <class T>
struct Reduced {
  double largest = 0;  ///< the largest magnitude; NaN if a value is NaN
  /// the first value whose magnitude reaches the bound; its index is in the state
  std::optional<FoundValue<T>> first;
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
  /// A thread that reads a capture uses Captured::ranks instead, so that messages do not mix.
  virtual Ranks& ranks() { return only_rank(); }

  /// The rows of the grid that set_state reads and captures contain.
  virtual RowRange rows() const = 0;

  /// A view of the current state in memory.
  virtual Block<T> block() = 0;

  /// Waits for everything that the device of the state does, also for other users of block(). A
  /// state on the host has none.
  virtual void wait_for_device() {}

  /// Values at `indices` in the current state: field * cells of the grid + index of the cell.
  virtual std::vector<T> values_at(std::span<const std::int64_t> indices) = 0;

  /// Waits for code that is being compiled. Until it is ready, steps use other code, which gives
  /// the same bits.
  virtual void settle() {}

  /// Runs `steps` steps. Returns when the steps of the previous call are done; its own steps may
  /// still be running.
  virtual void advance(std::int64_t steps) = 0;

  /// Sets the times and the size of the steps from the current state on. Need not be called if all
  /// steps have the size that the problem gives.
  virtual void set_clock(const StepTimes& clock) = 0;

  /// Undoes the last call of advance, which must have been of one step.
  virtual void undo_step() = 0;

  /// Starts to reduce arrays of the current state over the grid: finds the largest magnitude, and
  /// the first value whose magnitude is `bound` or more (infinity finds values that are not
  /// finite). The function that it returns waits for the result, which is the same on all ranks.
  /// Until then, more steps may be run.
  [[nodiscard]] virtual std::function<Reduced<T>()> reduce(StateArrays arrays, double bound) = 0;

  /// Sets the derived outputs that captures can contain besides the state; must be called before
  /// the first capture. Throws DeviceError if memory does not suffice.
  virtual void set_derived(const std::vector<DerivedOutput<T>>& plans) = 0;

  /// True if a value of the derived output with `after` others after it, which stages compute, is
  /// below or above 0 in the current state. No capture may be held. Collective.
  virtual bool any_of_derived(std::size_t after) = 0;

  /// Starts to copy the current state to the host, and with `with_derived` its derived outputs. The
  /// next steps may be run at once. Throws std::logic_error while an earlier capture exists.
  [[nodiscard]] Capture<T> capture(bool with_derived = false) {
    if (!kept_.expired()) throw std::logic_error("capture: an earlier capture is still held");
    start_capture(with_derived);
    const auto held = std::make_shared<char>();
    kept_ = held;
    return {*this, held};
  }

  /// Seconds spent in steps since construction; waits until every step is done.
  virtual double stepping_seconds() = 0;
  /// How the last solves over the grid went; 0 on ranks that do not solve.
  virtual SolveReport last_solves() const { return {}; }

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

/// The largest error of the last step, divided by the tolerance; NaN if an error is NaN. Array
/// `fields` of the state, the one after the fields, has the errors.
template <class T>
double largest_error(Backend<T>& backend, int fields) {
  return backend.reduce({fields, 1}, std::numeric_limits<double>::infinity())().largest;
}

/// The reason why no CUDA backend can be made on this machine; empty if one can.
std::string cuda_unavailable();
/// False if no CUDA backend can be made. Looks only for a driver, so true is not certain.
bool has_cuda_driver();

/// Makes CUDA device `index`, modulo the number of devices, the current device of this thread. Does
/// nothing if there is no device.
void choose_device(int index);

/// The number of steps that the given engine, or the one that "auto" means, computes in one pass
/// over the grid, if the grid is large enough.
template <class T>
std::int64_t steps_at_once(const Problem<T>& problem, const std::string& backend,
                           const std::string& engine);

/// CPU threads for a grid of this shape: one for each core that the process may use, but at most
/// one for every `fewest_cells` cells, since with less work threads would mostly wait for each
/// other.
int useful_threads(Shape shape, std::int64_t fewest_cells = 32768);
template <class T>
int useful_threads(const Problem<T>& problem) {
  return problem.exponential ? useful_threads(problem.shape, 16384) : useful_threads(problem.shape);
}

/// Makes backend "cpu" or "cuda" with `engine`: "auto" or a name from all_engines(). If `threads`
/// is 0, it uses useful_threads(). Throws DeviceError if the device is missing, not compiled in or
/// has too little memory (with the bytes needed and available), ConfigError if the engine belongs
/// to another backend.
template <class T>
std::unique_ptr<Backend<T>> make_backend(const std::string& backend, const std::string& engine,
                                         const Problem<T>& problem, int threads);

}  // namespace lapl
