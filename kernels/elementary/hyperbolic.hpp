// The hyperbolic sine and cosine, (e^x -+ e^-x) / 2. With |x| = k * log 2 + r they are
//
//   2^(k - 1) -+ 2^(-k - 1) + (2^(k - 1) (e^r - 1) -+ 2^(-k - 1) (e^-r - 1)),
//
// These terms lose no digits to cancellation: for k = 0 the powers of two in the sine vanish
// exactly.
#pragma once

#include "kernels/elementary/exponential.hpp"

namespace lapl::elementary {

/// sinh |x| / 4 if `sign` is -1, cosh |x| / 4 if it is 1; a quarter, so that no power of 2
/// overflows.
template <class T>
LAPL_HOST_DEVICE T quarter_of_hyperbolic(T x, T sign) {
  constexpr T limit = sizeof(T) == 4 ? T(90) : T(711);  // above this, both overflow
  constexpr Bits<T> bias = Format<T>::exponent_bias;
  const T size = absolute(x);
  const auto [exponent, r] = reduced_exponent(Pair<T>{select(size > limit, limit, size), T(0)});
  const T rising = power_of_two<T>(exponent - bias - 3);
  // For k above 60, 2^-k is far below the last place of the result; 2^-60 does as well.
  const Bits<T> k = exponent - 2 * bias;
  const T falling = sign * power_of_two<T>(bias - 3 - (k < 60 ? k : Bits<T>(60)));
  const Pair<T> up = exponential_less_one(rising, r);
  const Pair<T> down = exponential_less_one(falling, Pair<T>{-r.high, -r.low});
  const Pair<T> result = sum(sum(rising, falling), sum(up, down));
  return result.high + result.low;
}

template <class T>
LAPL_HOST_DEVICE T hyperbolic_sine(T x) {
  constexpr T small = T(1) / T(Bits<T>(1) << (Format<T>::fraction_bits / 2 + 2));
  const T size = absolute(x);
  return with_sign(select(size < small, size, quarter_of_hyperbolic(x, T(-1)) * T(4)), x);
}

template <class T>
LAPL_HOST_DEVICE T hyperbolic_cosine(T x) {
  return quarter_of_hyperbolic(x, T(1)) * T(4);
}

}  // namespace lapl::elementary
