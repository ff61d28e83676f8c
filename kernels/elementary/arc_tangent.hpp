// The arc tangent of a number and of a quotient.
//
// For 0 <= a <= b the angle of a / b is atan(t) with t = a / b. If a / b is above tan(pi / 8), the
// angle is 1/8 of a turn plus atan(t) with t = (a - b) / (a + b), so that |t| <= tan(pi / 8)
// (addition formula: Abramowitz & Stegun, Handbook of Mathematical Functions, 1964, section 4.4). t
// is computed with its rounding error; a minimax polynomial (scripts/minimax) gives its arc
// tangent. Other angles are 1/4 or 1/2 of a turn plus or minus such an angle.
#pragma once

#include "kernels/elementary/circular_reduction.hpp"

namespace lapl::elementary {

/// (atan(t) - t) / t^3 as a function of z = t^2, |t| <= tan(pi / 8). Relative error of atan(t):
/// 2^-35 in float, 2^-64 in double.
LAPL_HOST_DEVICE float arc_tangent_tail(float z) {
  return polynomial(z, -0x1.555554p-2f, 0x1.999918p-3f, -0x1.247ed6p-3f, 0x1.c463a2p-4f,
                    -0x1.5b2e0ap-4f, 0x1.8498eep-5f);
}
LAPL_HOST_DEVICE double arc_tangent_tail(double z) {
  return polynomial(z, -0x1.5555555555554p-2, 0x1.9999999999649p-3, -0x1.24924924755bdp-3,
                    0x1.c71c71b740fdp-4, -0x1.745d14b85e824p-4, 0x1.3b136e0f2a421p-4,
                    -0x1.110c7113cea1ap-4, 0x1.e171df3a1641cp-5, -0x1.ab7cb53996527p-5,
                    0x1.70ea31a7031p-5, -0x1.1230e6864f9c7p-5, 0x1.f1ce52b48b607p-7);
}

/// The angle between the positive x axis, or the negative one if `is_behind`, and the line to (x,
/// y), for x >= 0 and y >= 0. The larger of x and y is nonzero, finite and of medium size, so that
/// sums do not overflow and remainders of quotients do not underflow.
template <class T>
LAPL_HOST_DEVICE T angle_in_half_turn(T y, T x, bool is_behind) {
  const bool is_steep = y > x;
  const T a = select(is_steep, x, y), b = select(is_steep, y, x);
  const bool is_wide = a > b * T(0x1.a8279ap-2);  // tan(pi / 8)
  const Pair<T> t = normalized(
      quotient(select(is_wide, sum(-b, a), {a, T(0)}), select(is_wide, sum(b, a), {b, T(0)})));
  const T z = t.high * t.high;
  // 1 - z approximates the derivative 1 / (1 + z) well enough for the small t.low.
  const T low =
      fused_multiply_add(t.high * z, arc_tangent_tail(z), fused_multiply_add(-z, t.low, t.low));
  using Quarter = QuarterTurn<T>;
  const T eighths = select(is_wide, T(.5), T(0));
  const Pair<T> angle =
      sum(Pair<T>{eighths * Quarter::first, eighths * Quarter::second}, Pair<T>{t.high, low});
  const T quarters = select(is_steep, T(1), select(is_behind, T(2), T(0)));
  const T sign = select(is_steep == is_behind, T(1), T(-1));
  const Pair<T> result = sum(Pair<T>{quarters * Quarter::first, quarters * Quarter::second},
                             Pair<T>{sign * angle.high, sign * angle.low});
  return result.high + result.low;
}

template <class T>
LAPL_HOST_DEVICE T arc_tangent(T x) {
  constexpr T limit = T(Bits<T>(1) << (Format<T>::fraction_bits + 4));  // above, atan is pi / 2
  const T size = absolute(x);
  return with_sign(angle_in_half_turn(select(size > limit, limit, size), T(1), false), x);
}

/// The angle from the x axis to (x, y), between -pi and pi, with the special values of C's atan2.
template <class T>
LAPL_HOST_DEVICE T polar_angle(T y, T x) {
  constexpr T infinity = Format<T>::infinity;
  constexpr int fraction_bits = Format<T>::fraction_bits, bias = Format<T>::exponent_bias;
  const T y_size = absolute(y), x_size = absolute(x);
  const T size = select(y_size > x_size, y_size, x_size);
  // Scales the larger coordinate to between 2 and 4, or to less if it was subnormal.
  const Bits<T> exponent = as_bits(size) >> fraction_bits;
  const T scale = power_of_two<T>(Bits<T>(2 * bias + 1) - exponent - Bits<T>(exponent == 0));
  // Infinite coordinates become 1, and finite ones next to them 0; (0, 0) becomes (1, 0).
  const bool is_infinite = size == infinity;
  T above = select(is_infinite, T(y_size == infinity), y_size * scale);
  T beside = select(is_infinite, T(x_size == infinity), x_size * scale);
  beside = select(size == T(0), T(1), beside);
  const bool is_behind = (as_bits(x) & sign_bit<T>) != 0;
  T angle = angle_in_half_turn(above, beside, is_behind);
  // If y / x is small, the angle rounds to y / x. A subnormal result must be rounded only once.
  const T small = T(1) / T(Bits<T>(1) << (fraction_bits / 2 + 4));
  angle = select(!is_behind & (y_size < x_size * small), y_size / x_size, angle);
  angle = select((x != x) | (y != y), Format<T>::not_a_number, angle);
  return with_sign(angle, y);
}

}  // namespace lapl::elementary
