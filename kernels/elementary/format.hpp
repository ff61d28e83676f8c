// The basis of the elementary functions: bits of numbers, selection without branches, arithmetic of
// twice the precision. It includes no standard header, because NVRTC provides none.
#pragma once

#include "kernels/stages/arithmetic.hpp"

namespace lapl::elementary {

/// The format of a number: IEEE 754 binary32 or binary64.
template <class T>
struct Format;
template <>
struct Format<float> {
  using Bits = unsigned int;
  static constexpr int size = 32, fraction_bits = 23, exponent_bias = 127;
  static constexpr float infinity = __builtin_bit_cast(float, 0x7f800000u);
  static constexpr float not_a_number = __builtin_bit_cast(float, 0x7fc00000u);
  static constexpr float least_normal = 0x1p-126f, root_half = 0x1.6a09e6p-1f;
  static constexpr float one_over_log_two = 0x1.715476p+0f;
  // log 2 as a sum. The first part has few digits, so that its product with any exponent is exact.
  static constexpr float log_two = 0x1.62e4p-1f, log_two_rest = 0x1.7f7d1cp-20f;
};
template <>
struct Format<double> {
  using Bits = unsigned long long;
  static constexpr int size = 64, fraction_bits = 52, exponent_bias = 1023;
  static constexpr double infinity = __builtin_bit_cast(double, 0x7ff0000000000000ull);
  static constexpr double not_a_number = __builtin_bit_cast(double, 0x7ff8000000000000ull);
  static constexpr double least_normal = 0x1p-1022, root_half = 0x1.6a09e667f3bcdp-1;
  static constexpr double one_over_log_two = 0x1.71547652b82fep+0;
  static constexpr double log_two = 0x1.62e42fefa3p-1, log_two_rest = 0x1.3de6af278ece6p-42;
};
template <class T>
using Bits = typename Format<T>::Bits;

template <class T>
LAPL_HOST_DEVICE Bits<T> as_bits(T number) {
  return __builtin_bit_cast(Bits<T>, number);
}
template <class T>
LAPL_HOST_DEVICE T from_bits(Bits<T> bits) {
  return __builtin_bit_cast(T, bits);
}

/// condition ? a : b. On a CPU it uses masks: GCC would move the arithmetic of a or b into a
/// branch, and then could not vectorise the loop.
template <class T>
LAPL_HOST_DEVICE T select(bool condition, T a, T b) {
#ifdef __CUDA_ARCH__
  return condition ? a : b;
#else
  const Bits<T> mask = condition ? ~Bits<T>(0) : Bits<T>(0);
  return from_bits<T>((as_bits(a) & mask) | (as_bits(b) & ~mask));
#endif
}

template <class T>
constexpr Bits<T> sign_bit = Bits<T>(1) << (Format<T>::size - 1);

template <class T>
LAPL_HOST_DEVICE T absolute(T x) {
  return from_bits<T>(as_bits(x) & ~sign_bit<T>);
}
/// `x` with its sign flipped if `of` is negative.
template <class T>
LAPL_HOST_DEVICE T with_sign(T x, T of) {
  return from_bits<T>(as_bits(x) ^ (as_bits(of) & sign_bit<T>));
}

/// 2^(biased - exponent_bias), where `biased` must be the biased exponent of a normal number.
template <class T>
LAPL_HOST_DEVICE T power_of_two(Bits<T> biased) {
  return from_bits<T>(biased << Format<T>::fraction_bits);
}

/// If |x| is small, the last bits of the fraction of x + to_last_bits are x rounded to an integer.
template <class T>
constexpr T to_last_bits = T(3 * (Bits<T>(1) << (Format<T>::fraction_bits - 1)));

/// first + x * (second + x * (third + ...))
template <class T>
LAPL_HOST_DEVICE T polynomial(T, T only) {
  return only;
}
template <class T, class... Rest>
LAPL_HOST_DEVICE T polynomial(T x, T first, Rest... rest) {
  return fused_multiply_add(x, polynomial(x, rest...), first);
}

/// A number high + low of twice the precision ("double-double": Dekker 1971).
template <class T>
struct Pair {
  T high, low;
};
template <class T>
LAPL_HOST_DEVICE Pair<T> select(bool condition, Pair<T> a, Pair<T> b) {
  return {select(condition, a.high, b.high), select(condition, a.low, b.low)};
}

/// Exactly a + b, if |a| >= |b| or a is zero or a multiple of b's last place (Dekker's Fast2Sum).
template <class T>
LAPL_HOST_DEVICE Pair<T> sum(T a, T b) {
  const T high = a + b;
  return {high, (a - high) + b};
}
/// a * b, exactly.
template <class T>
LAPL_HOST_DEVICE Pair<T> product(T a, T b) {
  const T high = a * b;
  return {high, fused_multiply_add(a, b, -high)};
}
template <class T>
LAPL_HOST_DEVICE Pair<T> product(Pair<T> a, Pair<T> b) {
  const Pair<T> p = product(a.high, b.high);
  return {p.high, p.low + fused_multiply_add(a.high, b.low, a.low * b.high)};
}
/// a + b to about twice the precision, if |a| >= |b|.
template <class T>
LAPL_HOST_DEVICE Pair<T> sum(Pair<T> a, Pair<T> b) {
  const Pair<T> s = sum(a.high, b.high);
  return {s.high, s.low + (a.low + b.low)};
}

/// The same number, normalized: `high` is the number rounded to nearest.
template <class T>
LAPL_HOST_DEVICE Pair<T> normalized(Pair<T> a) {
  return sum(a.high, a.low);
}

/// a / b of normalized pairs to about twice the precision: a quotient in T and its correction from
/// the remainder. The result need not be normalized.
template <class T>
LAPL_HOST_DEVICE Pair<T> quotient(Pair<T> a, Pair<T> b) {
  const T inverse = T(1) / b.high;
  const T q = a.high * inverse;
  const T rest = fused_multiply_add(-q, b.high, a.high) + fused_multiply_add(-q, b.low, a.low);
  return {q, rest * inverse};
}

}  // namespace lapl::elementary
