#pragma once

#include <cufftXt.h>

#include <string>

#include "kernels/error.hpp"

namespace lapl {

/// If `result` is not success, throws DeviceError with the call and cuFFT's error number.
inline void check_cufft(cufftResult result, const char* call) {
  if (result == CUFFT_SUCCESS) return;
  const std::string text = std::string("cuFFT: ") + call + ": error " + std::to_string(result);
  throw DeviceError(result == CUFFT_ALLOC_FAILED ? text + " (memory on the device)" : text);
}
#define LAPL_CUFFT(call) ::lapl::check_cufft((call), #call)

/// Owns the handle of a cuFFT plan. The caller creates the plan.
struct CufftPlan {
  CufftPlan() { LAPL_CUFFT(cufftCreate(&handle)); }
  CufftPlan(const CufftPlan&) = delete;
  CufftPlan& operator=(const CufftPlan&) = delete;
  ~CufftPlan() { cufftDestroy(handle); }
  cufftHandle handle = 0;
};

}  // namespace lapl
