// a * b + c in one rounding, as an explicit call. Compilers must neither introduce nor split it.
#pragma once

#include "kernels/platform.hpp"

namespace lapl {

#ifdef __CUDACC_RTC__  // NVRTC lacks GCC's builtins
LAPL_HOST_DEVICE float fused_multiply_add(float a, float b, float c) { return __fmaf_rn(a, b, c); }
LAPL_HOST_DEVICE double fused_multiply_add(double a, double b, double c) {
  return __fma_rn(a, b, c);
}
#else
LAPL_HOST_DEVICE float fused_multiply_add(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
LAPL_HOST_DEVICE double fused_multiply_add(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
#endif

}  // namespace lapl
