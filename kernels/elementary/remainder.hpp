// The remainder of a division by flooring, as Python's %: a - b * floor(a / b), with the sign of b.
//
// The quotient is rounded, so its floor may be too large by 1 where a / b is just below an integer:
// then the remainder has the wrong sign and b is added. The remainder itself is exact: it is a
// multiple of the last place of a or b, and smaller than b. If the quotient is so large that its
// floor may be off by more, multiples of 2^k b are subtracted first, as in long division.
#pragma once

#include "kernels/elementary/format.hpp"

namespace lapl::elementary {

#ifdef __CUDACC_RTC__  // NVRTC lacks GCC's builtins
LAPL_HOST_DEVICE float floored(float a) { return floorf(a); }
LAPL_HOST_DEVICE double floored(double a) { return floor(a); }
#else
LAPL_HOST_DEVICE float floored(float a) { return __builtin_floorf(a); }
LAPL_HOST_DEVICE double floored(double a) { return __builtin_floor(a); }
#endif

/// The largest |a / b| for which the floor of the rounded quotient is at most 1 too large.
template <class T>
constexpr T largest_quotient = T(Bits<T>(1) << (Format<T>::fraction_bits - 2));

/// A number below largest_quotient * b with the same remainder by b as a; a and b are positive and
/// finite.
template <class T>
LAPL_HOST_DEVICE T shortened(T a, T b) {
  while (a / largest_quotient<T> >= b) {
    T multiple = b;
    while (a / multiple >= largest_quotient<T>) multiple *= largest_quotient<T>;
    const T rest = fused_multiply_add(-floored(a / multiple), multiple, a);
    a = rest < T(0) ? rest + multiple : rest;
  }
  return a;
}

/// The remainder of a by b from `rest`, a positive number with the same remainder by |b| as |a|.
template <class T>
LAPL_HOST_DEVICE T remainder_from(T rest, T a, T b) {
  constexpr T infinity = Format<T>::infinity;
  const T size = absolute(b);
  const T quotient = floored(rest / size);
  rest = select(size == infinity, rest, fused_multiply_add(-quotient, size, rest));
  rest = select(rest < T(0), rest + size, rest);
  // Now rest is the remainder of the magnitudes.
  const bool opposite = ((as_bits(a) ^ as_bits(b)) & sign_bit<T>) != 0;
  rest = select(opposite & (rest > T(0)), size - rest, rest);
  rest = select(absolute(a) < infinity, rest, Format<T>::not_a_number);
  return with_sign(rest, b);
}

/// True if a division needs no branch: then quick_remainder has the bits of floored_remainder.
template <class T>
LAPL_HOST_DEVICE bool is_short_division(T a, T b) {
  const T size = absolute(b), divided = absolute(a);
  const bool is_long = divided >= size * largest_quotient<T>;
  const bool divides = size > T(0), is_finite = divided < Format<T>::infinity;
  return !(is_long & divides & is_finite);
}
template <class T>
LAPL_HOST_DEVICE T quick_remainder(T a, T b) {
  return remainder_from(absolute(a), a, b);
}

/// The remainder of a by b. If it is 0, it has the sign of b; it is NaN if b is 0 or a is not
/// finite.
template <class T>
LAPL_HOST_DEVICE T floored_remainder(T a, T b) {
  T rest = absolute(a);
  if (!is_short_division(a, b)) rest = shortened(rest, absolute(b));
  return remainder_from(rest, a, b);
}

}  // namespace lapl::elementary
