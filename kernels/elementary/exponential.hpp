// The exponential function and the hyperbolic tangent.
//
// x = k * log 2 + r with an integer k and |r| <= log 2 / 2 (Cody & Waite, Software Manual for the
// Elementary Functions, 1980). A minimax polynomial (scripts/minimax) gives e^r, the exponent bits
// give 2^k. Rounding errors of r and of the leading terms are carried along (Muller, Elementary
// Functions, 3rd edition, 2016, chapters 4 and 11).
#pragma once

#include "kernels/elementary/format.hpp"

namespace lapl::elementary {

/// The number k * log 2 + r.high + r.low. `exponent` is k + 2 * exponent_bias. It is never
/// negative, and both of its halves are biased exponents of normal numbers.
template <class T>
struct Exponent {
  Bits<T> exponent;
  Pair<T> r;
};

/// If |x| is larger, e^x overflows or is zero.
template <class T>
constexpr T exponent_limit = sizeof(T) == 4 ? T(120) : T(800);

/// Reduces x.high + x.low, where |x.high| <= exponent_limit and x.low is much smaller.
template <class T>
LAPL_HOST_DEVICE Exponent<T> reduced_exponent(Pair<T> x) {
  constexpr T shift = to_last_bits<T> + T(2 * Format<T>::exponent_bias);
  const T shifted = fused_multiply_add(x.high, Format<T>::one_over_log_two, shift);
  const T k = shifted - shift;
  const T first = fused_multiply_add(-k, Format<T>::log_two, x.high);  // exact
  return {as_bits(shifted) & 0xfff,
          sum(first, fused_multiply_add(-k, Format<T>::log_two_rest, x.low))};
}

/// (exp(r) - 1 - r - r^2 / 2) / r^3 for |r| <= log 2 / 2. Relative error of exp(r) - 1: 2^-32 in
/// float, 2^-61 in double. (The fit fixes the coefficient of r^2 at exactly 1 / 2.)
LAPL_HOST_DEVICE float exponential_tail(float r) {
  return polynomial(r, 0x1.555554p-3f, 0x1.5554b2p-5f, 0x1.11118ap-7f, 0x1.6d71f8p-10f,
                    0x1.a032ep-13f);
}
LAPL_HOST_DEVICE double exponential_tail(double r) {
  return polynomial(r, 0x1.5555555555559p-3, 0x1.555555555553fp-5, 0x1.111111110f6dap-7,
                    0x1.6c16c16c1f07cp-10, 0x1.a01a01afd3e65p-13, 0x1.a01a017bc56e2p-16,
                    0x1.71ddf87ea997ep-19, 0x1.27e5362e0bc67p-22, 0x1.af5e7527a9383p-26,
                    0x1.1ee88588b4f87p-29);
}

/// exp(x.high + x.low) of a normalized pair.
template <class T>
LAPL_HOST_DEVICE T exponential_of_pair(Pair<T> x) {
  const auto [exponent, r] = reduced_exponent(x);
  const Pair<T> leading = sum(T(1), r.high);
  const T from_square = fused_multiply_add(r.high, exponential_tail(r.high), T(.5));
  const T tail = fused_multiply_add(r.high * r.high, from_square, r.low);
  // Two factors, because 2^k may overflow or be subnormal although the result is normal.
  const Bits<T> half = exponent >> 1;
  return (leading.high + (leading.low + tail)) * power_of_two<T>(half) *
         power_of_two<T>(exponent - half);
}

template <class T>
LAPL_HOST_DEVICE T exponential(T x) {
  constexpr T limit = exponent_limit<T>;
  x = select(x > limit, limit, x);
  x = select(x < -limit, -limit, x);
  return exponential_of_pair(Pair<T>{x, T(0)});
}

/// scale * (e^r - 1) for |r| <= log 2 / 2, without cancellation for small r.
template <class T>
LAPL_HOST_DEVICE Pair<T> exponential_less_one(T scale, Pair<T> r) {
  const Pair<T> square = product(r.high, r.high);
  const Pair<T> leading = sum(r.high, T(.5) * square.high);
  const T tail = fused_multiply_add(r.high * square.high, exponential_tail(r.high),
                                    fused_multiply_add(T(.5), square.low, r.low));
  return {scale * leading.high, scale * (leading.low + tail)};
}

/// The hyperbolic tangent: E / (E + 2) with E = e^(2|x|) - 1 = (2^k - 1) + 2^k * (e^r - 1).
template <class T>
LAPL_HOST_DEVICE T hyperbolic_tangent(T x) {
  constexpr T limit = sizeof(T) == 4 ? T(20) : T(44);  // above this, the result rounds to 1
  const T twice = absolute(x) * T(2);
  const auto [exponent, r] = reduced_exponent(Pair<T>{select(twice > limit, limit, twice), T(0)});
  const T scale = power_of_two<T>(exponent - Format<T>::exponent_bias);
  const Pair<T> rest = exponential_less_one(scale, r);
  const Pair<T> e = normalized(sum(sum(scale, T(-1)), rest));
  const Pair<T> e_plus_two = normalized(sum(sum(scale, T(1)), rest));
  const Pair<T> result = quotient(e, e_plus_two);
  return with_sign(result.high + result.low, x);
}

}  // namespace lapl::elementary
