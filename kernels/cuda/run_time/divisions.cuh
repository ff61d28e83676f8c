// Divisions in kernels compiled at run time. The compiler's division branches, so a thread that
// computes several cells waits for each division before it starts the next. Cells are therefore
// computed with quick divisions first, and once more where these are not sure to be right.
#pragma once

#include "kernels/stages/operations.hpp"

namespace lapl {

struct ExactDivision {
  template <class T>
  __device__ __forceinline__ T operator()(T a, T b) const {
    return quotient(a, b);
  }
};

/// a / b in float32 by Markstein's steps (IBM Journal of Research and Development 34 (1990), 111),
/// those of the compiler's division without its branch: rounded as a division if suits() is true,
/// which is so as long as no operand is below 2^-60 or above 2^60 in magnitude, but for a = 0.
struct QuickDivision {
  float least = 1, most = 1;  // magnitudes of operands

  __device__ __forceinline__ float operator()(float a, float b) {
    const bool is_zero = a == 0;
    const float size = is_zero ? 1 : fabsf(a);
    least = fminf(least, fminf(size, fabsf(b)));
    most = fmaxf(most, fmaxf(size, fabsf(b)));
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b));
    r = __fmaf_rn(r, __fmaf_rn(-b, r, 1), r);
    const float q = product(a, r);
    const float rounded = fused_multiply_add(r, fused_multiply_add(-b, q, a), q);
    return is_zero ? q : rounded;
  }
  __device__ __forceinline__ bool suits() const { return least >= 0x1p-60f && most <= 0x1p60f; }
};

/// Calls make(divide) for cells of a thread, or of a whole warp: with quick divisions, and again
/// with exact ones if need be. All lanes must call it.
template <class Stage, class T, class Make>
__device__ __forceinline__ void make_cells(const Make& make) {
  if constexpr (Stage::divides && sizeof(T) == sizeof(float)) {
    QuickDivision divide;
    make(divide);
    if (!__any_sync(0xffffffffu, !divide.suits())) return;
  }
  make(ExactDivision());
}

}  // namespace lapl
