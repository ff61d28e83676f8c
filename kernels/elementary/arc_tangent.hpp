// The arc tangent, of a number and of a quotient.
//
// For 0 <= a <= b the angle of a / b is that of t = a / b, or 1/8 of a turn and that of
// t = (a - b) / (a + b) where a / b is above tan(pi / 8), so that |t| <= tan(pi / 8): the addition
// formula (Abramowitz & Stegun, Handbook of Mathematical Functions, 1964, section 4.4). Of t, a
// quotient with what rounding takes from it, a minimax polynomial (scripts/minimax) has the angle.
// Other angles are this one to or from 1/4 or 1/2 of a turn.
#pragma once

#include "kernels/elementary/circular_reduction.hpp"

namespace lapl::elementary {

/// (atan(t) - t) / t^3 of z = t^2, |t| <= tan(pi / 8); 2^-35 and 2^-64 of atan(t) are missing.
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

/// The angle between an axis and the line to (x, y), x >= 0 and y >= 0; of the negative axis where
/// `is_behind`. The greater one is neither zero, infinite nor so large or small that sums overflow
/// or quotients' remainders are lost.
template <class T>
LAPL_HOST_DEVICE T angle_in_half_turn(T y, T x, bool is_behind) {
  const bool is_steep = y > x;
  const T a = select(is_steep, x, y), b = select(is_steep, y, x);
  const bool is_wide = a > b * T(0x1.a8279ap-2);  // tan(pi / 8)
  const Pair<T> t = normalized(
      quotient(select(is_wide, sum(-b, a), {a, T(0)}), select(is_wide, sum(b, a), {b, T(0)})));
  const T z = t.high * t.high;
  // The derivative, 1 / (1 + z), is 1 - z in what is left of t.
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

/// The arc tangent.
template <class T>
LAPL_HOST_DEVICE T arc_tangent(T x) {
  constexpr T limit = T(Bits<T>(1) << (Format<T>::fraction_bits + 4));  // from here on pi / 2
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
  // The greater one comes to between 2 and 4, or to less where it was subnormal.
  const Bits<T> exponent = bits_of(size) >> fraction_bits;
  const T scale = power_of_two<T>(Bits<T>(2 * bias + 1) - exponent - Bits<T>(exponent == 0));
  // Zeros and infinities by ones.
  const bool is_infinite = size == infinity;
  T above = select(is_infinite, T(y_size == infinity), y_size * scale);
  T beside = select(is_infinite, T(x_size == infinity), x_size * scale);
  beside = select(size == T(0), T(1), beside);
  const bool is_behind = (bits_of(x) & sign_bit<T>) != 0;
  T angle = angle_in_half_turn(above, beside, is_behind);
  // A small angle is its tangent, rounded once where it is subnormal.
  const T small = T(1) / T(Bits<T>(1) << (fraction_bits / 2 + 4));
  angle = select(!is_behind & (y_size < x_size * small), y_size / x_size, angle);
  angle = select((x != x) | (y != y), Format<T>::not_a_number, angle);
  return with_sign(angle, y);
}

}  // namespace lapl::elementary
