// Owner of a cuFFT plan, and the check of every cuFFT call.
#pragma once

#include <cufftXt.h>

#include <string>

#include "kernels/error.hpp"

namespace lapl {

/// Throws DeviceError with the call and cuFFT's error number where `result` is one.
inline void check_cufft(cufftResult result, const char* call) {
  if (result == CUFFT_SUCCESS) return;
  const std::string text = std::string("cuFFT: ") + call + ": error " + std::to_string(result);
  throw DeviceError(result == CUFFT_ALLOC_FAILED ? text + " (memory on the device)" : text);
}
#define LAPL_CUFFT(call) ::lapl::check_cufft((call), #call)

/// A plan's handle, without a plan yet.
struct CufftPlan {
  CufftPlan() { LAPL_CUFFT(cufftCreate(&handle)); }
  CufftPlan(const CufftPlan&) = delete;
  CufftPlan& operator=(const CufftPlan&) = delete;
  ~CufftPlan() { cufftDestroy(handle); }
  cufftHandle handle = 0;
};

}  // namespace lapl
