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

// The extremes of the magnitudes of operands, in a form that needs few instructions. Divisions of
// magnitudes between 2^-60 and 2^60, or 2^-400 and 2^400, neither overflow nor underflow.
struct FloatRange {
  float least = 1, most = 1;
  __device__ __forceinline__ void add(float a, float b) {
    least = fminf(least, fminf(fabsf(a), fabsf(b)));
    most = fmaxf(most, fmaxf(fabsf(a), fabsf(b)));
  }
  __device__ __forceinline__ bool suits() const { return least >= 0x1p-60f && most <= 0x1p60f; }
};
struct DoubleRange {
  int least = exponent(1), most = exponent(1);
  static __device__ __forceinline__ int exponent(double a) {
    return __double2hiint(a) & 0x7fffffff;
  }
  __device__ __forceinline__ void add(double a, double b) {
    least = min(least, min(exponent(a), exponent(b)));
    most = max(most, max(exponent(a), exponent(b)));
  }
  __device__ __forceinline__ bool suits() const {
    return least >= exponent(0x1p-400) && most <= exponent(0x1p400);
  }
};
__device__ __forceinline__ FloatRange operand_range(float) { return {}; }
__device__ __forceinline__ DoubleRange operand_range(double) { return {}; }

__device__ __forceinline__ float reciprocal(float b) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b));
  return __fmaf_rn(r, __fmaf_rn(-b, r, 1), r);
}
__device__ __forceinline__ double reciprocal(double b) {
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(b));
  double e = __fma_rn(-b, r, 1);
  e = __fma_rn(e, e, e);
  r = __fma_rn(r, e, r);
  return __fma_rn(r, __fma_rn(-b, r, 1), r);
}

/// a / b by Markstein's steps (IBM Journal of Research and Development 34 (1990), 111): rounded as
/// a division where suits() is true, whose operands are all those before.
template <class T>
struct QuickDivision {
  decltype(operand_range(T())) range;

  __device__ __forceinline__ T operator()(T a, T b) {
    const bool is_zero = a == T(0);
    range.add(is_zero ? T(1) : a, b);
    const T r = reciprocal(b), q = product(a, r);
    const T rounded = fused_multiply_add(r, fused_multiply_add(-b, q, a), q);
    return is_zero ? q : rounded;
  }
};

/// Calls make(divide) for cells of a thread, or of a whole warp: with quick divisions, and again
/// with exact ones if need be. All lanes must call it.
template <class Stage, class T, class Make>
__device__ __forceinline__ void make_cells(const Make& make) {
  if constexpr (Stage::divides) {
    QuickDivision<T> divide;
    make(divide);
    if (!__any_sync(0xffffffffu, !divide.range.suits())) return;
  }
  make(ExactDivision());
}

}  // namespace lapl
