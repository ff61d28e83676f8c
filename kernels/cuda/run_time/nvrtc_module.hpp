// The library lapl_nvrtc, which alone needs NVRTC (kernels/machine/load_module.hpp).
#pragma once

#include "kernels/cuda/run_time/compiled_kernels.hpp"

namespace lapl {

struct NvrtcModule {
  Cubin (*compile)(const KernelText& text, int architecture);  ///< compile_cubin
};

}  // namespace lapl
