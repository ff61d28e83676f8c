#pragma once

#include <chrono>
#include <memory>
#include <type_traits>

#include "kernels/cuda/device/cuda_check.hpp"

namespace lapl {

/// Owns a stream that does not wait for the default stream; move-only.
class Stream {
 public:
  Stream() {
    cudaStream_t stream = nullptr;
    LAPL_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    stream_.reset(stream);
  }
  operator cudaStream_t() const { return stream_.get(); }

 private:
  struct Destroy {
    void operator()(cudaStream_t stream) const noexcept {
      LAPL_CUDA_NO_THROW(cudaStreamDestroy(stream));
    }
  };
  std::unique_ptr<std::remove_pointer_t<cudaStream_t>, Destroy> stream_;
};

/// Owns an event, a point in a stream's work. Waiting for it sleeps instead of spinning, so that
/// the processors stay free for writing files. Before the first record() every wait returns at
/// once.
class Event {
 public:
  Event() {
    cudaEvent_t event = nullptr;
    LAPL_CUDA(cudaEventCreateWithFlags(&event, cudaEventBlockingSync));
    event_.reset(event);
  }
  operator cudaEvent_t() const { return event_.get(); }

  void record(cudaStream_t stream) { LAPL_CUDA(cudaEventRecord(*this, stream)); }
  /// Work that is enqueued in `stream` after this call waits for the event.
  void wait_in(cudaStream_t stream) const { LAPL_CUDA(cudaStreamWaitEvent(stream, *this, 0)); }
  void wait() const { LAPL_CUDA(cudaEventSynchronize(*this)); }
  /// The same for short work whose result the next launch needs: looks again and again for 0.2 ms
  /// before it sleeps, because waking takes longer than a small step.
  void wait_awake() const {
    const auto began = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - began < std::chrono::microseconds(200)) {
      const cudaError_t state = cudaEventQuery(*this);
      if (state != cudaErrorNotReady) return LAPL_CUDA(state);
    }
    wait();
  }

 private:
  struct Destroy {
    void operator()(cudaEvent_t event) const noexcept {
      LAPL_CUDA_NO_THROW(cudaEventDestroy(event));
    }
  };
  std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, Destroy> event_;
};

}  // namespace lapl
