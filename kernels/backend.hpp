// A backend is where the field lives: it holds the state, steps it with one engine, and hands out
// copies. solver/ drives one through this interface and never sees host or device memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels/derived.hpp"
#include "kernels/fields/not_finite.hpp"
#include "kernels/grid/block.hpp"
#include "kernels/problem.hpp"
#include "kernels/ranks/ranks.hpp"

namespace lapl {

/// Copies of the state at one step, in host memory, as a Capture holds them. Of several ranks each
/// has the rows that are its own.
template <class T>
struct Captured {
  RowRange rows;                                 ///< of the grid: all of them, but of ranks
  std::span<const T> state;                      ///< every field, one after the other
  std::int64_t cells = 0;                        ///< of a field, in these rows
  std::vector<std::span<const T>> derived;       ///< of each plan of set_derived, or none
  std::uint64_t digest = 0;                      ///< of the whole state (kernels/fields/digest.hpp)
  std::optional<std::int64_t> first_not_finite;  ///< index in the whole state of the first one
  Ranks* ranks = &only_rank();                   ///< that have the other rows

  std::span<const T> field(std::int64_t index) const {
    return state.subspan(index * cells, static_cast<std::size_t>(cells));
  }
};

/// What runs the steps, for people and for the provenance of files.
struct BackendDescription {
  std::string backend;       ///< "cpu" or "cuda"
  std::string engine;        ///< a name from engine_table
  std::string reason;        ///< why this engine
  std::string device;        ///< processor or GPU model
  std::string driver;        ///< CUDA driver and runtime versions; empty on a CPU
  int threads = 0;           ///< CPU threads; 0 on a GPU
  std::string setback = {};  ///< why it steps slower than it could, once that is known; else empty
};

template <class T>
class Backend;

/// Holds a backend's copies of the state at one step: while it or a copy of it lives, the backend
/// captures nothing else. The backend must outlive it.
template <class T>
class Capture {
 public:
  Capture() = default;
  Capture(Backend<T>& backend, std::shared_ptr<const void> held)
      : backend_(&backend), held_(std::move(held)) {}

  /// Waits until the copies are made. May be called from another thread.
  Captured<T> wait() const { return backend_->finish_capture(); }

 private:
  Backend<T>* backend_ = nullptr;
  std::shared_ptr<const void> held_;
};

template <class T>
class Backend {
 public:
  virtual ~Backend() = default;

  virtual BackendDescription description() const = 0;

  /// Sets the state: every field, one after the other, as it is after `step` steps; of several
  /// ranks each gives the rows that are its own.
  virtual void set_state(std::span<const T> state, std::int64_t step = 0) = 0;

  /// Those that step the state together, each of which calls the same functions of its backend.
  /// Captures have ranks of their own, for the thread that reads them.
  virtual Ranks& ranks() { return only_rank(); }

  /// The rows that set_state takes and captures hand out.
  virtual RowRange rows() const = 0;

  /// Where the state lies.
  virtual Block<T> block() = 0;

  /// Values of the present state at these indices of it.
  virtual std::vector<T> values_at(std::span<const std::int64_t> indices) = 0;

  /// Waits for code that is compiled while steps are taken otherwise, with the same bits.
  virtual void settle() {}

  /// Goes on by `steps` steps. May return early, but never before earlier calls are done.
  virtual void advance(std::int64_t steps) = 0;

  /// Starts a search of the present state for values that are not finite.
  virtual void start_finite_check() = 0;

  /// Ends that search (waits for it where need be): the first such value, with those around it as
  /// they were at the start.
  virtual std::optional<NotFinite<T>> finish_finite_check() = 0;

  /// What a capture can hold besides the state. To be called before the first
  /// capture. Throws DeviceError where memory does not suffice.
  virtual void set_derived(const std::vector<DerivedPlan<T>>& plans) = 0;

  /// Starts copying the present state and what follows from it to the host. Stepping may go on at
  /// once. Throws std::logic_error while an earlier capture is held.
  [[nodiscard]] Capture<T> capture(bool with_derived = false) {
    if (!held_.expired()) throw std::logic_error("capture: an earlier capture is still held");
    start_capture(with_derived);
    const auto held = std::make_shared<char>();
    held_ = held;
    return {*this, held};
  }

  /// Waits until every step is done; seconds spent in stepping alone since construction.
  virtual double stepping_seconds() = 0;

 private:
  friend class Capture<T>;
  virtual void start_capture(bool with_derived) = 0;
  virtual Captured<T> finish_capture() = 0;

  std::weak_ptr<const void> held_;
};

/// The present state: every field, one after the other; of several ranks the rows that are its own.
template <class T>
std::vector<T> copy_of_state(Backend<T>& backend) {
  const Capture<T> capture = backend.capture();
  const std::span<const T> state = capture.wait().state;
  return {state.begin(), state.end()};
}

/// Why no CUDA backend can be made here; empty where one can.
std::string cuda_unavailable();

/// Makes a CUDA device the one that this thread uses, where there are any: the index-th, counted
/// round and round.
void choose_device(int index);

/// Steps that an engine, or "auto", of a backend takes at once, where the grid has room for them.
template <class T>
std::int64_t steps_at_once(const Problem<T>& problem, const std::string& backend,
                           const std::string& engine);

/// CPU threads for a grid of this shape: one for each core that this process may use, but none for
/// so few cells that waiting for the others would take longer than stepping them.
int useful_threads(Shape shape);

/// Makes the backend for `engine` ("auto" or a name from engine_table) on "cpu" or "cuda".
/// Throws DeviceError where the device is missing, not compiled in, or has too little memory (the
/// message gives bytes needed and available); ConfigError for an engine of another backend.
/// `threads` of 0: useful_threads.
template <class T>
std::unique_ptr<Backend<T>> make_backend(const std::string& backend, const std::string& engine,
                                         const Problem<T>& problem, int threads);

}  // namespace lapl
