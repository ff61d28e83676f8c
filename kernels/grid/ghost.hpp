// The law of a face, for engines and for code compiled at run time.
#pragma once

#include "kernels/stages/arithmetic.hpp"

namespace lapl {

/// a + b * inside, to the bit: a constant does not read the value inside, and an even face keeps
/// signed zeros.
template <class T>
LAPL_HOST_DEVICE T ghost_of(T a, T b, T inside) {
  if (b == T(0)) return a;
  if (a == T(0)) return b == T(1) ? inside : b * inside;
  return fused_multiply_add(b, inside, a);
}

}  // namespace lapl
