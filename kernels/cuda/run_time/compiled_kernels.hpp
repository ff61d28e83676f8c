// CUDA C++ that this program has written for the run at hand, compiled for the current device by
// NVRTC in a thread beside the run, or by another member of the sweep that it belongs to, and
// loaded. What kernels/cpu/compiler/compiled_code.hpp is for a CPU; here no file is written and no
// process started, and machine code leaves the driver nothing to compile and to keep.
#pragma once

#include <future>
#include <map>
#include <string>
#include <vector>

#include "kernels/cuda/device/driver.hpp"

namespace lapl {

/// What is to be compiled, all of it from this program. Kernels are `extern "C" __global__`.
struct KernelText {
  std::string source;
  std::map<std::string, std::string> headers = {};  ///< by NAME in #include "NAME"
  std::vector<std::string> flags = {};              ///< after those that fix the arithmetic
};

/// Machine code, or why there is none.
struct Cubin {
  std::string code;
  std::string unavailable;  ///< for people; empty where there is code
  std::string messages;     ///< NVRTC's, at most 2000 characters, for an internal error
};

/// For compute capability `architecture` / 10, such as 90: it needs no device. Products are rounded
/// before they are added to, divisions and roots are rounded to nearest, subnormal numbers are
/// kept.
Cubin compile_cubin(const KernelText& text, int architecture);
/// The same, by way of a file that others share (kernels/machine/shared_kernels.hpp), or -1.
Cubin shared_cubin(int file, const KernelText& text, int architecture);

/// For one thread at a time.
class CompiledKernels {
 public:
  /// Starts to compile, and does not wait for it. The destructor does: some tenths of a second.
  explicit CompiledKernels(KernelText text);
  CompiledKernels(const CompiledKernels&) = delete;
  CompiledKernels& operator=(const CompiledKernels&) = delete;
  /// Whether it is known how it ended: loaded, or unavailable() says why not. Never waits.
  bool ready();
  /// Until ready().
  void wait();

  const std::string& unavailable() const { return cubin_.unavailable; }
  const std::string& messages() const { return cubin_.messages; }

  /// Once ready(), unless unavailable().
  Kernel kernel(const std::string& name) const { return module_.kernel(name); }

 private:
  std::future<Cubin> compiling_;
  Cubin cubin_;
  KernelModule module_;
};

}  // namespace lapl
