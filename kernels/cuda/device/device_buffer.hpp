// Owners of device memory and of page-locked host memory. Only page-locked memory can be copied
// asynchronously.
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

/// Owns `size` uninitialised values of T, or nothing; move-only.
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

/// Allocates `size` values on the device. Throws DeviceError if they do not fit.
template <class T>
DeviceBuffer<T> device_buffer(std::int64_t size) {
  const std::size_t bytes = static_cast<std::size_t>(size) * sizeof(T);
  void* pointer = nullptr;
  if (const cudaError_t error = cudaMalloc(&pointer, bytes); error != cudaSuccess)
    throw allocation_error(bytes, "device memory", error);
  return {pointer, size};
}

/// Allocates `size` values of page-locked host memory. Throws DeviceError if the host cannot lock
/// them.
template <class T>
PinnedBuffer<T> pinned_buffer(std::int64_t size) {
  const std::size_t bytes = static_cast<std::size_t>(size) * sizeof(T);
  void* pointer = nullptr;
  if (const cudaError_t error = cudaMallocHost(&pointer, bytes); error != cudaSuccess)
    throw allocation_error(bytes, "page-locked host memory", error);
  return {pointer, size};
}

}  // namespace lapl
