// CUDA kernels that are compiled at run time, loaded and launched through the CUDA driver. The
// driver's library is opened at the first use, so the program also starts on a machine without it.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <initializer_list>
#include <string>

namespace lapl {

/// A cooperative launch runs all blocks at the same time, or fails.
enum class Launch : std::uint8_t { plain, cooperative };

/// A kernel of a KernelModule, valid while the module lives. All functions throw DeviceError.
class Kernel {
 public:
  Kernel() = default;
  explicit Kernel(CUfunction function) : function_(function) {}
  explicit operator bool() const { return function_ != nullptr; }

  void allow_shared_bytes(int bytes) const;
  /// Blocks of `threads` threads that can run at the same time on one multiprocessor.
  int blocks_of_processor(int threads, int shared_bytes) const;
  void launch(dim3 blocks, dim3 threads, int shared_bytes, cudaStream_t stream,
              std::initializer_list<const void*> arguments, Launch how = Launch::plain) const;

 private:
  CUfunction function_ = nullptr;
};

/// Owns machine code that is loaded on the current device.
class KernelModule {
 public:
  KernelModule() = default;
  explicit KernelModule(const std::string& cubin);
  KernelModule(KernelModule&& other) noexcept;
  KernelModule& operator=(KernelModule&& other) noexcept;
  /// Unloads the code. No kernel of the module may still be running.
  ~KernelModule();

  Kernel kernel(const std::string& name) const;

 private:
  CUmodule module_ = nullptr;
};

}  // namespace lapl
