// Kernels that are compiled at run time, loaded and launched by CUDA's driver. Its library is
// opened when it is first needed: the program starts where there is none.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <initializer_list>
#include <string>

namespace lapl {

enum class Launch : std::uint8_t { plain, cooperative };  ///< all blocks at once

/// A kernel of a KernelModule, as long as that lives. All functions throw DeviceError.
class Kernel {
 public:
  Kernel() = default;
  explicit Kernel(CUfunction function) : function_(function) {}
  explicit operator bool() const { return function_ != nullptr; }

  void allow_shared_bytes(int bytes) const;
  /// That run at once on a multiprocessor.
  int blocks_of_processor(int threads, int shared_bytes) const;
  void launch(unsigned blocks, dim3 threads, int shared_bytes, cudaStream_t stream,
              std::initializer_list<const void*> arguments, Launch how = Launch::plain) const;

 private:
  CUfunction function_ = nullptr;
};

/// Machine code on the current device.
class KernelModule {
 public:
  KernelModule() = default;
  explicit KernelModule(const std::string& cubin);
  KernelModule(KernelModule&& other) noexcept;
  KernelModule& operator=(KernelModule&& other) noexcept;
  /// Nothing of it may be at work on the device any more.
  ~KernelModule();

  Kernel kernel(const std::string& name) const;

 private:
  CUmodule module_ = nullptr;
};

}  // namespace lapl
