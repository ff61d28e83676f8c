// The table of functions in the library lapl_nvrtc, the only part of the program that is linked
// with NVRTC (kernels/machine/load_module.hpp).
#pragma once

#include <string>
#include <vector>

#include "kernels/cuda/run_time/compiled_kernels.hpp"

namespace lapl {

struct NvrtcModule {
  Cubin (*compile)(const KernelText& text, int architecture);  ///< see compile_cubin()
  /// all flags of a compilation
  std::vector<std::string> (*flags)(const KernelText& text, int architecture);
  std::string (*version)();  ///< of NVRTC, for example "13.0"
};

}  // namespace lapl
