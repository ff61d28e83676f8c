// Host memory for a field: aligned to cache lines, and touched first by the threads that will work
// on it, so that each page lies near its thread on machines with several memory nodes.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "kernels/available_memory.hpp"

namespace lapl {

template <class T>
class HostBuffer {
 public:
  HostBuffer() = default;

  /// `size` zeros, shared out among `threads` threads as OpenMP's static schedule does.
  /// Throws DeviceError where memory does not suffice.
  HostBuffer(std::int64_t size, int threads) : size_(size) {
    const std::size_t bytes = (static_cast<std::size_t>(size) * sizeof(T) + 63) / 64 * 64;
    data_.reset(static_cast<T*>(std::aligned_alloc(64, bytes)));
    if (!data_) throw_out_of_memory(bytes);
    T* data = data_.get();
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::int64_t i = 0; i < size; ++i) data[i] = T(0);
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::int64_t size() const { return size_; }
  std::span<const T> view() const { return {data_.get(), static_cast<std::size_t>(size_)}; }

 private:
  struct Free {
    void operator()(T* data) const { std::free(data); }
  };
  std::unique_ptr<T, Free> data_;
  std::int64_t size_ = 0;
};

}  // namespace lapl
