// Host memory aligned to cache lines. The threads that will work on it touch it first, so that each
// page lies on the NUMA node of its thread.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "kernels/machine/available_memory.hpp"

namespace lapl {

template <class T>
class HostBuffer {
 public:
  HostBuffer() = default;

  /// `size` zeros, split among `threads` threads as by OpenMP's static schedule. Throws DeviceError
  /// if memory does not suffice.
  HostBuffer(std::int64_t size, int threads) : size_(size) {
    // Large buffers use pages of 2 MiB if the system grants them, for fewer address look-ups.
    constexpr std::size_t large_page = 2 << 20;
    const std::size_t all = static_cast<std::size_t>(size) * sizeof(T);
    const std::size_t alignment = all < 8 * large_page ? 64 : large_page;
    const std::size_t bytes = (all + alignment - 1) / alignment * alignment;
    data_.reset(static_cast<T*>(std::aligned_alloc(alignment, bytes)));
    if (!data_) throw_out_of_memory(bytes);
    if (alignment == large_page) ::madvise(data_.get(), bytes, MADV_HUGEPAGE);  // only a hint
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
