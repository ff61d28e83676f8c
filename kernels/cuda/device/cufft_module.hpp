// The table of functions in the library lapl_cufft, the only part of the program that is linked
// with cuFFT (kernels/machine/load_module.hpp). The program's own functions of cuFFT's names
// (cufft_calls.cpp) load it at the first call.
#pragma once

#include <cufftXt.h>

namespace lapl {

struct CufftModule {
  decltype(&::cufftCreate) create;
  decltype(&::cufftDestroy) destroy;
  decltype(&::cufftSetAutoAllocation) set_auto_allocation;
  decltype(&::cufftSetStream) set_stream;
  decltype(&::cufftSetWorkArea) set_work_area;
  decltype(&::cufftXtMakePlanMany) make_plan;
  decltype(&::cufftXtExec) execute;
};

}  // namespace lapl
