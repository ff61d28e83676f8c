#include "kernels/cuda/device/cufft_module.hpp"

extern "C" const lapl::CufftModule lapl_cufft;
const lapl::CufftModule lapl_cufft = {cufftCreate,    cufftDestroy,     cufftSetAutoAllocation,
                                      cufftSetStream, cufftSetWorkArea, cufftXtMakePlanMany,
                                      cufftXtExec};
