// Device time of stretches of work in a stream, at most two of which are under way.
#pragma once

#include <array>

#include "kernels/cuda/device/stream.hpp"

namespace lapl {

/// Between start() and stop() lies one stretch. Not for use from two threads.
class StepClock {
 public:
  void start(cudaStream_t stream) { stretches_[now_].start.record(stream); }

  /// Ends the stretch in the stream, then waits for the end of the one before.
  void stop(cudaStream_t stream) {
    stretches_[now_].stop.record(stream);
    stretches_[now_].open = true;
    now_ = 1 - now_;
    settle(stretches_[now_]);
  }

  /// Waits for every stretch; seconds in all of them.
  double seconds() {
    for (Stretch& stretch : stretches_) settle(stretch);
    return seconds_;
  }

 private:
  struct Stretch {
    Event start, stop;
    bool open = false;  // not yet in seconds_
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
  double seconds_ = 0;
};

}  // namespace lapl
