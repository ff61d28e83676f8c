// The condition of a face, for host, device and code compiled at run time.
#pragma once

#include "kernels/stages/arithmetic.hpp"

namespace lapl {

/// a + b * inside. A constant condition (b = 0) does not read `inside`, and an even face (a = 0, b
/// = 1) preserves the sign of zero.
template <class T>
LAPL_HOST_DEVICE T ghost_value(T a, T b, T inside) {
  if (b == T(0)) return a;
  if (a == T(0)) return b == T(1) ? inside : b * inside;
  return fused_multiply_add(b, inside, a);
}

}  // namespace lapl
