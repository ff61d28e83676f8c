// Sine, cosine and tangent. circular_reduction.hpp reduces the angle to within an eighth of a turn;
// the leading terms of the series are carried with their rounding errors (Muller, Elementary
// Functions, 3rd edition, 2016), and the rest is a minimax polynomial (scripts/minimax).
#pragma once

#include "kernels/elementary/circular_reduction.hpp"

namespace lapl::elementary {

/// (sin(r) - r) / r^3 as a function of z = r^2, |r| <= pi / 4. Relative error of sin(r): 2^-37 in
/// float, 2^-68 in double.
LAPL_HOST_DEVICE float sine_tail(float z) {
  return polynomial(z, -0x1.555556p-3f, 0x1.111108p-7f, -0x1.a00eb2p-13f, 0x1.6ca184p-19f);
}
LAPL_HOST_DEVICE double sine_tail(double z) {
  return polynomial(z, -0x1.5555555555555p-3, 0x1.111111111110bp-7, -0x1.a01a01a018a67p-13,
                    0x1.71de3a533013p-19, -0x1.ae64528cdf33fp-26, 0x1.61208be0fc93fp-33,
                    -0x1.aaa2136a2457bp-41);
}
/// (cos(r) - 1 + r^2 / 2) / r^4 as a function of z = r^2, |r| <= pi / 4. Relative error of cos(r):
/// 2^-32 in float, 2^-64 in double.
LAPL_HOST_DEVICE float cosine_tail(float z) {
  return polynomial(z, 0x1.555548p-5f, -0x1.6c0b62p-10f, 0x1.99afa6p-16f);
}
LAPL_HOST_DEVICE double cosine_tail(double z) {
  return polynomial(z, 0x1.555555555554bp-5, -0x1.6c16c16c14f8ap-10, 0x1.a01a019c8390ap-16,
                    -0x1.27e4f7ea377c9p-22, 0x1.1ee9d7529243fp-29, -0x1.8fa465f5db197p-37);
}

/// sin(r) and cos(r) as normalized pairs.
template <class T>
struct SineAndCosine {
  Pair<T> sine, cosine;
};
template <class T>
LAPL_HOST_DEVICE SineAndCosine<T> sine_and_cosine(Pair<T> r) {
  const Pair<T> z = product(r.high, r.high);
  // sin(r) = r + r * (z * tail). Near pi / 4 the second term is a ninth of the first, so its
  // rounding error counts.
  const T tail = sine_tail(z.high);
  const Pair<T> change = product(z.high, tail);
  const T change_low = fused_multiply_add(z.low, tail, change.low);
  const T sine = fused_multiply_add(r.high, change.high, r.high);
  const T sine_low = fused_multiply_add(r.high, change.high, r.high - sine);
  const T sine_of_low = fused_multiply_add(T(-.5) * z.high, r.low, r.low);
  const T cosine_of_low = fused_multiply_add(T(-.5), z.low, -r.high * r.low);
  const Pair<T> leading = sum(T(1), T(-.5) * z.high);
  const T cosine_low =
      leading.low + fused_multiply_add(z.high * z.high, cosine_tail(z.high), cosine_of_low);
  return {sum(sine, sine_low + fused_multiply_add(r.high, change_low, sine_of_low)),
          sum(leading.high, cosine_low)};
}

/// `value`, negated if the second last bit of `quarters`, a number of quarter turns, is set: then
/// the angle is in the second half of a turn.
template <class T>
LAPL_HOST_DEVICE T negated_in_second_half(T value, Bits<T> quarters) {
  return from_bits<T>(as_bits(value) ^ ((quarters << (Format<T>::size - 2)) & sign_bit<T>));
}

/// Each struct computes its function from an angle's reduced magnitude and the sign of `x`. For odd
/// numbers of quarter turns, sine and cosine are swapped.
struct Sine {
  template <class T>
  LAPL_HOST_DEVICE static T of(Angle<T> angle, T x) {
    const auto [sine, cosine] = sine_and_cosine(angle.r);
    const T value = select((angle.quarters & 1) != 0, cosine.high, sine.high);
    return with_sign(negated_in_second_half(value, angle.quarters), x);
  }
};
struct Cosine {
  template <class T>
  LAPL_HOST_DEVICE static T of(Angle<T> angle, T) {
    const auto [sine, cosine] = sine_and_cosine(angle.r);
    const T value = select((angle.quarters & 1) != 0, sine.high, cosine.high);
    return negated_in_second_half(value, angle.quarters + 1);
  }
};
struct Tangent {
  template <class T>
  LAPL_HOST_DEVICE static T of(Angle<T> angle, T x) {
    const auto [sine, cosine] = sine_and_cosine(angle.r);
    const bool is_odd = (angle.quarters & 1) != 0;
    const Pair<T> above = select(is_odd, cosine, sine), below = select(is_odd, sine, cosine);
    const Pair<T> q = quotient(above, below);
    return with_sign(negated_in_second_half(q.high + q.low, angle.quarters << 1), x);
  }
};

/// True if an angle needs no branch: then each quick function has the bits of its function.
template <class T>
LAPL_HOST_DEVICE bool is_short_angle(T x) {
  return absolute(x) <= greatest_short_angle<T>;
}
template <class T>
LAPL_HOST_DEVICE T quick_sine(T x) {
  return Sine::of(reduced_angle(absolute(x)), x);
}
template <class T>
LAPL_HOST_DEVICE T quick_cosine(T x) {
  return Cosine::of(reduced_angle(absolute(x)), x);
}
template <class T>
LAPL_HOST_DEVICE T quick_tangent(T x) {
  return Tangent::of(reduced_angle(absolute(x)), x);
}

template <class Function, class T>
LAPL_HOST_DEVICE T of_angle(T x) {
  Angle<T> angle = reduced_angle(absolute(x));
  if (!is_short_angle(x)) angle = reduced_huge_angle(absolute(x));
  return Function::of(angle, x);
}

template <class T>
LAPL_HOST_DEVICE T sine(T x) {
  return of_angle<Sine>(x);
}
template <class T>
LAPL_HOST_DEVICE T cosine(T x) {
  return of_angle<Cosine>(x);
}
template <class T>
LAPL_HOST_DEVICE T tangent(T x) {
  return of_angle<Tangent>(x);
}

}  // namespace lapl::elementary
