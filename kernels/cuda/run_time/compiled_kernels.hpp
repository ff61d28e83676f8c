// CUDA C++ text that the program wrote for this run, compiled by NVRTC for the current device and
// loaded. A background thread compiles it or reads it from the cache. It is the GPU's counterpart
// of kernels/cpu/compiler/compiled_code.hpp, but starts no process. NVRTC generates machine code,
// so the driver has nothing to compile or to cache.
#pragma once

#include <future>
#include <map>
#include <string>
#include <vector>

#include "kernels/cuda/device/driver.hpp"

namespace lapl {

/// Text to compile; all of it comes from this program. CUDA kernels are `extern "C" __global__`.
struct KernelText {
  std::string source;
  /// text of each header, by NAME in #include "NAME"
  std::map<std::string, std::string> headers = {};
  std::vector<std::string> flags = {};  ///< added after the flags that fix the arithmetic
};

/// Machine code, or the reason why there is none.
struct Cubin {
  std::string code;
  std::string unavailable;  ///< the reason why there is no code; else empty
  std::string messages;     ///< NVRTC's messages, at most 2000 characters, for internal errors
};

/// Compiles for compute capability `architecture` / 10, for example 90; needs no device. The code
/// uses no fused multiply-add unless the text does, rounds divisions and roots to nearest, and
/// preserves subnormal numbers.
Cubin compile_cubin(const KernelText& text, int architecture);
/// Like compile_cubin, but with the cache of kernels/machine/code_cache.hpp.
Cubin cached_cubin(const KernelText& text, int architecture);

/// CUDA kernels that a background thread compiles. Not thread-safe.
class CompiledKernels {
 public:
  /// Starts the compiler and returns at once. The destructor waits for it, one or two seconds at
  /// most as a rule.
  explicit CompiledKernels(KernelText text);
  CompiledKernels(const CompiledKernels&) = delete;
  CompiledKernels& operator=(const CompiledKernels&) = delete;
  /// True once the compiler has ended: kernels are loaded, or unavailable() says why not. Never
  /// waits.
  bool ready();
  void wait();

  const std::string& unavailable() const { return cubin_.unavailable; }
  const std::string& messages() const { return cubin_.messages; }

  /// Requires that ready() is true and unavailable() is empty.
  Kernel kernel(const std::string& name) const { return module_.kernel(name); }

 private:
  std::future<Cubin> compiling_;
  Cubin cubin_;
  KernelModule module_;
};

}  // namespace lapl
