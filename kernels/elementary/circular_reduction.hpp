// Splits an angle x into quarter turns and a remainder: x = n * pi / 2 + r, |r| <= pi / 4.
#pragma once

#include "kernels/elementary/format.hpp"

namespace lapl::elementary {

/// n modulo a power of two that is at least 4, and r.
template <class T>
struct Angle {
  Bits<T> quarters;
  Pair<T> r;
};

/// pi / 2 as the sum of three numbers, each with full precision.
template <class T>
struct QuarterTurn;
template <>
struct QuarterTurn<float> {
  static constexpr float first = 0x1.921fb6p+0f, second = -0x1.777a5cp-25f,
                         third = -0x1.ee59dap-50f, inverse = 0x1.45f306p-1f;
};
template <>
struct QuarterTurn<double> {
  static constexpr double first = 0x1.921fb54442d18p+0, second = 0x1.1a62633145c07p-54,
                          third = -0x1.f1976b7ed8fbcp-110, inverse = 0x1.45f306dc9c883p-1;
};

/// The largest angle for reduced_angle. Up to it, x - n * pi / 2 never cancels so many digits that
/// pi / 2 as a sum of three numbers is not precise enough.
template <class T>
constexpr T greatest_short_angle = sizeof(T) == 4 ? T(0x1p15) : T(0x1p22);

/// Reduces 0 <= x <= greatest_short_angle (Cody & Waite 1980). The fused multiply-add for `first`
/// is exact although n * Quarter::first has too many digits: the difference is a multiple of the
/// last place of x or of Quarter::first, and at most about 1.
template <class T>
LAPL_HOST_DEVICE Angle<T> reduced_angle(T x) {
  using Quarter = QuarterTurn<T>;
  const T shifted = fused_multiply_add(x, Quarter::inverse, to_last_bits<T>);
  const T n = shifted - to_last_bits<T>;
  const T first = fused_multiply_add(-n, Quarter::first, x);
  const Pair<T> second = product(-n, Quarter::second);
  const Pair<T> r = sum(first, second.high);
  return {as_bits(shifted), {r.high, r.low + fused_multiply_add(-n, Quarter::third, second.low)}};
}

/// The 32-bit word `index` of a row of 64 zero bits followed by the binary digits of 2 / pi.
LAPL_HOST_DEVICE unsigned int two_over_pi(int index) {
  static constexpr unsigned int words[] = {
      0x00000000, 0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599,
      0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c,
      0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639,
      0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f,
      0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7,
      0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab};
  return words[index];
}

/// Reduces any x >= 1 / 1024, infinity and NaN included (Payne & Hanek, Radian reduction for
/// trigonometric functions, 1983). It computes only those digits of x * 2 / pi, the angle in
/// quarter turns, that are below 4 and not too small to matter.
LAPL_HOST_DEVICE Angle<double> reduced_huge_angle(double x) {
  using Word = unsigned int;
  using Long = unsigned long long;
  if (!(x < Format<double>::infinity)) return {0, {x - x, 0.}};
  // x = mantissa * 2^exponent. The first digit of 2 / pi that counts weighs 2^(1 - exponent).
  const Long bits = as_bits(x);
  const int exponent = static_cast<int>(bits >> 52) - 1075;
  const Long mantissa = (bits & 0xfffffffffffff) | 0x10000000000000;
  const int start = exponent - 2 + 64;

  // mantissa * 192 digits of 2 / pi, modulo 4: 2 bits before the binary point, 190 after it.
  Word parts[6] = {};
  Long carry = 0, upper_carry = 0;
  for (int i = 5; i >= 0; --i) {
    const int word = (start >> 5) + i;
    const Long both = (Long(two_over_pi(word)) << 32) | two_over_pi(word + 1);
    const Long digits = (both >> (32 - (start & 31))) & 0xffffffff;
    carry += digits * (mantissa & 0xffffffff) + parts[i];
    parts[i] = static_cast<Word>(carry);
    carry >>= 32;
    upper_carry += digits * (mantissa >> 32);
    if (i > 0) parts[i - 1] = static_cast<Word>(upper_carry);
    upper_carry >>= 32;
  }

  // Rounds to the nearest integer: subtracts 1 from a fraction of at least one half, and stores the
  // result as sign and magnitude.
  const bool is_negative = (parts[0] >> 29) & 1;
  const Long flip = is_negative ? ~0ull : 0;
  const Long high = ((Long(parts[0]) << 34) | (Long(parts[1]) << 2) | (parts[2] >> 30)) ^ flip;
  const Long low = ((Long(parts[2]) << 34) | (Long(parts[3]) << 2) | (parts[4] >> 30)) ^ flip;
  const Pair<double> upper =
      sum(static_cast<double>(high >> 11) * 0x1p-53,
          static_cast<double>(((high & 0x7ff) << 42) | (low >> 22)) * 0x1p-106);
  const Pair<double> fraction{upper.high,
                              upper.low + static_cast<double>(low & 0x3fffff) * 0x1p-128};
  const Pair<double> r =
      product(fraction, Pair<double>{QuarterTurn<double>::first, QuarterTurn<double>::second});
  return {(parts[0] >> 30) + is_negative,
          is_negative ? Pair<double>{-r.high, -r.low} : Pair<double>{r.high, r.low}};
}
LAPL_HOST_DEVICE Angle<float> reduced_huge_angle(float x) {
  const Angle<double> angle = reduced_huge_angle(static_cast<double>(x));
  const float high = static_cast<float>(angle.r.high);
  return {static_cast<unsigned int>(angle.quarters),
          {high, static_cast<float>(angle.r.high - static_cast<double>(high))}};
}

}  // namespace lapl::elementary
