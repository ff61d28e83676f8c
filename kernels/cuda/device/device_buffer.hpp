// Owners of device memory and of page-locked host memory, which alone is copied asynchronously.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/cuda/device/cuda_check.hpp"

namespace lapl {

struct FreeDevice {
  void operator()(void* pointer) const noexcept { LAPL_CUDA_NO_THROW(cudaFree(pointer)); }
};
struct FreePinned {
  void operator()(void* pointer) const noexcept { LAPL_CUDA_NO_THROW(cudaFreeHost(pointer)); }
};

/// `size` values of T, uninitialised; move-only. Empty until assigned.
template <class T, class Free>
class Buffer {
 public:
  Buffer() = default;
  Buffer(void* pointer, std::int64_t size) : pointer_(static_cast<T*>(pointer)), size_(size) {}

  T* data() const { return pointer_.get(); }
  std::int64_t size() const { return size_; }

 private:
  std::unique_ptr<T, Free> pointer_;
  std::int64_t size_ = 0;
};
template <class T>
using DeviceBuffer = Buffer<T, FreeDevice>;
template <class T>
using PinnedBuffer = Buffer<T, FreePinned>;

inline DeviceError allocation_error(std::size_t bytes, const char* where, cudaError_t error) {
  cudaGetLastError();
  return DeviceError(std::to_string(bytes) + " bytes of " + where +
                     " could not be allocated: " + cudaGetErrorString(error));
}

/// Throws DeviceError where the device has no room for `size` values.
template <class T>
DeviceBuffer<T> device_buffer(std::int64_t size) {
  const std::size_t bytes = static_cast<std::size_t>(size) * sizeof(T);
  void* pointer = nullptr;
  if (const cudaError_t error = cudaMalloc(&pointer, bytes); error != cudaSuccess)
    throw allocation_error(bytes, "device memory", error);
  return {pointer, size};
}

/// Throws DeviceError where the host cannot lock that much memory.
template <class T>
PinnedBuffer<T> pinned_buffer(std::int64_t size) {
  const std::size_t bytes = static_cast<std::size_t>(size) * sizeof(T);
  void* pointer = nullptr;
  if (const cudaError_t error = cudaMallocHost(&pointer, bytes); error != cudaSuccess)
    throw allocation_error(bytes, "page-locked host memory", error);
  return {pointer, size};
}

}  // namespace lapl
