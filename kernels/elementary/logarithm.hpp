// The natural logarithm.
//
// x = 2^k * m with m between sqrt(1/2) and sqrt(2), and log x = k * log 2 + log m (Cody & Waite
// 1980). The leading terms of log m are carried with their rounding errors; the rest is a minimax
// polynomial (scripts/minimax).
#pragma once

#include "kernels/elementary/format.hpp"

namespace lapl::elementary {

/// The number 2^exponent * mantissa, with the mantissa between sqrt(1/2) and sqrt(2).
template <class T>
struct Split {
  T exponent, mantissa;
};

/// Splits a positive number, which may be subnormal. For zero, infinity and NaN the result is
/// unspecified.
template <class T>
LAPL_HOST_DEVICE Split<T> split(T x) {
  constexpr int fraction_bits = Format<T>::fraction_bits;
  constexpr Bits<T> one = Bits<T>(1) << fraction_bits;
  const bool is_subnormal = x < Format<T>::least_normal;
  x = select(is_subnormal, x * T(4 * one), x);
  const Bits<T> start = as_bits(Format<T>::root_half);
  const Bits<T> shifted = as_bits(x) - start + Format<T>::exponent_bias * one;
  // Converts the exponent to floating point by its bits, because AVX2 cannot convert 64-bit
  // integers.
  const T biased = from_bits<T>((shifted >> fraction_bits) | as_bits(T(one)));
  const T bias = T(one + Format<T>::exponent_bias);
  return {biased - select(is_subnormal, bias + T(fraction_bits + 2), bias),
          from_bits<T>((shifted & (one - 1)) + start)};
}

/// log(1 + f) - f + f^2 / 2 for sqrt(1/2) <= 1 + f <= sqrt(2). Relative error of log(1 + f): 2^-30
/// in float, 2^-59 in double. In double a division halves the length of the polynomial: with s = f
/// / (2 + f), log(1 + f) = 2 * atanh(s) = f - f^2 / 2 + s * (f^2 / 2 + (2 * atanh(s) - 2 * s) / s).
LAPL_HOST_DEVICE float logarithm_tail(float f, float square) {
  return f * square *
         polynomial(f, 0x1.555548p-2f, -0x1.000006p-2f, 0x1.99a4b6p-3f, -0x1.555c4ep-3f,
                    0x1.233768p-3f, -0x1.fc220ap-4f, 0x1.e6f06cp-4f, -0x1.de3c12p-4f,
                    0x1.1457ap-4f);
}
LAPL_HOST_DEVICE double logarithm_tail(double f, double square) {
  const double s = f / (2. + f), z = s * s;
  const double rest = polynomial(z, 0x1.5555555555592p-1, 0x1.999999997fe6ap-2,
                                 0x1.24924941e85f8p-2, 0x1.c71c520fa8c81p-3, 0x1.74663dc6517e1p-3,
                                 0x1.39a1d4206a954p-3, 0x1.2f0487e2e985ep-3);
  return s * fused_multiply_add(z, rest, .5 * square);
}

template <class T>
LAPL_HOST_DEVICE T logarithm(T x) {
  const auto [k, m] = split(x);
  const T f = m - T(1);
  const Pair<T> square = product(f, f);
  const Pair<T> leading = sum(f, T(-.5) * square.high);
  const Pair<T> high = sum(k * Format<T>::log_two, leading.high);
  const T low = fused_multiply_add(T(-.5), square.low, leading.low);
  T result = high.high + (high.low + (fused_multiply_add(k, Format<T>::log_two_rest, low) +
                                      logarithm_tail(f, square.high)));
  result = select(x < Format<T>::infinity, result, x);  // infinity and NaN stay
  result = select(x == T(0), -Format<T>::infinity, result);
  return select(x < T(0), Format<T>::not_a_number, result);
}

}  // namespace lapl::elementary
