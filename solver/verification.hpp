// Finds silent errors, such as a bit that flips in memory: repeats a segment of the run from a copy
// of the state at its start and compares digests. Errors that happen in the same way twice, such as
// those of a stuck bit, are not found.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/backend.hpp"
#include "kernels/error.hpp"

namespace lapl {

/// Keeps one copy of the state in host memory. The constructor and verify() make a capture, so the
/// backend must have no other.
template <class T>
class Verification {
 public:
  /// `step`: that of the backend's current state. The first call of verify() repeats the steps
  /// after it.
  Verification(Backend<T>& backend, std::int64_t step) : backend_(backend) {
    keep(backend.capture().wait(), step);
  }

  /// Repeats the steps from the last verified one up to `step`, at most `steps_at_once(from)` per
  /// call of advance; the backend ends in the state of `step`. Throws NumericalError (steps, both
  /// digests) if the results differ.
  template <class StepsAtOnce>
  void verify(std::int64_t step, const StepsAtOnce& steps_at_once) {
    if (step == step_) return;
    const std::uint64_t first = backend_.capture().wait().digest;
    backend_.set_state(state_, step_);
    for (std::int64_t at = step_; at < step;) {
      const std::int64_t steps = std::min(steps_at_once(at), step - at);
      backend_.advance(steps);
      at += steps;
    }
    const Capture<T> capture = backend_.capture();
    const Captured<T> again = capture.wait();
    if (again.digest != first)
      throw NumericalError(
          "steps {} to {}: taken twice from the same state, they ended with digest {:#018x} and "
          "with {:#018x} (expected the same: memory or arithmetic of this machine has failed); "
          "nothing of these steps was stored",
          step_, step, first, again.digest);
    keep(again, step);
  }

  /// State digest at the last verified step.
  std::uint64_t digest() const { return digest_; }

 private:
  void keep(const Captured<T>& captured, std::int64_t step) {
    state_.assign(captured.state.begin(), captured.state.end());
    digest_ = captured.digest;
    step_ = step;
  }

  Backend<T>& backend_;
  std::vector<T> state_;
  std::uint64_t digest_ = 0;
  std::int64_t step_ = 0;
};

}  // namespace lapl
