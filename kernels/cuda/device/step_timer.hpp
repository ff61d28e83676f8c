#pragma once

#include <array>
#include <utility>

#include "kernels/cuda/device/stream.hpp"

namespace lapl {

/// Sums the device time of stretches, each from start() to stop() in a stream. At most two
/// stretches are unfinished at the same time. Not thread-safe.
class StepTimer {
 public:
  /// Begins a stretch in the stream, unless one is under way.
  void start(cudaStream_t stream) {
    if (!std::exchange(running_, true)) stretches_[now_].start.record(stream);
  }

  /// Ends the stretch that is under way, if any, in the stream, then waits until the one before has
  /// ended.
  void stop(cudaStream_t stream) {
    if (!std::exchange(running_, false)) return;
    stretches_[now_].stop.record(stream);
    stretches_[now_].open = true;
    now_ = 1 - now_;
    settle(stretches_[now_]);
  }

  /// Seconds in all stretches; waits until they have ended.
  double seconds() {
    for (Stretch& stretch : stretches_) settle(stretch);
    return seconds_;
  }

 private:
  struct Stretch {
    Event start, stop;
    bool open = false;  // ended, but not yet added to seconds_
  };

  void settle(Stretch& stretch) {
    if (!stretch.open) return;
    stretch.stop.wait();
    float milliseconds = 0;
    LAPL_CUDA(cudaEventElapsedTime(&milliseconds, stretch.start, stretch.stop));
    seconds_ += 1e-3 * static_cast<double>(milliseconds);
    stretch.open = false;
  }

  std::array<Stretch, 2> stretches_;
  int now_ = 0;
  bool running_ = false;
  double seconds_ = 0;
};

}  // namespace lapl
