// The error function: erf x = 1 - e^f with f = log erfc x. (Cody, Rational Chebyshev approximations
// for the error function, 1969, also uses an exponential, with a factor for each interval.) f grows
// no faster than a parabola, so one polynomial in x suffices up to the x from which erf x rounds to
// 1. scripts/minimax weights the polynomial's error by its effect on erf x, which falls as x grows.
// The first two terms are carried with their rounding errors, and e^f - 1 loses no digits for small
// f.
#pragma once

#include "kernels/elementary/exponential.hpp"

namespace lapl::elementary {

/// (log erfc x + 2 / sqrt(pi) * x + 2 / pi * x^2) / x^3. Relative error of erf x: 2^-32 in float,
/// 2^-60 in double.
LAPL_HOST_DEVICE float error_function_tail(float x) {
  return polynomial(x, -0x1.a4f4c4p-4f, 0x1.395efep-6f, 0x1.cd43p-13f, -0x1.c5739cp-10f,
                    0x1.55cdc6p-11f, -0x1.95799ep-14f, -0x1.d5ca66p-17f, 0x1.3e5fd4p-17f,
                    -0x1.dd1ecep-20f, 0x1.0b530ap-23f);
}
LAPL_HOST_DEVICE double error_function_tail(double x) {
  return polynomial(
      x, -0x1.a4f4e2a1b4a37p-4, 0x1.39668594e82a5p-6, 0x1.b6b68492993cap-13, -0x1.bca6740902867p-10,
      0x1.3564f7d357a41p-11, -0x1.b2000f756777ep-16, -0x1.0e9f9825cae5bp-14, 0x1.f3cb66c3caaa1p-16,
      -0x1.d883f5f11d2b5p-19, -0x1.680556df13ec8p-19, 0x1.a7725a9eee148p-20, -0x1.a2650a9adf6c3p-23,
      -0x1.fa5c650a53f38p-23, 0x1.a7f7911c8b1ddp-23, -0x1.87b1bbc9c6daep-24, 0x1.04f7d9f975d95p-25,
      -0x1.0bea926121772p-27, 0x1.afb92b52d5bcap-30, -0x1.104edee8a78e3p-32, 0x1.084a6c0f813f9p-35,
      -0x1.7d970f36d5f49p-39, 0x1.8217bc4c27a9p-43, -0x1.e87bb0311d4c7p-48, 0x1.22a79c4493ea4p-53);
}

/// The first two coefficients of f, -2 / sqrt(pi) and -2 / pi, each as a sum of two numbers.
template <class T>
struct ErrorFunction;
template <>
struct ErrorFunction<float> {
  static constexpr float first = -0x1.20dd76p+0f, first_rest = 0x1.f7ac92p-25f,
                         second = -0x1.45f306p-1f, second_rest = -0x1.b9391p-26f;
};
template <>
struct ErrorFunction<double> {
  static constexpr double first = -0x1.20dd750429b6dp+0, first_rest = -0x1.1ae3a914fed8p-56,
                          second = -0x1.45f306dc9c883p-1, second_rest = 0x1.6b01ec5417056p-55;
};

template <class T>
LAPL_HOST_DEVICE T error_function(T x) {
  using Terms = ErrorFunction<T>;
  constexpr T limit = sizeof(T) == 4 ? T(3.9375) : T(5.9375);  // above this, erf x rounds to 1
  const Pair<T> size{select(absolute(x) > limit, limit, absolute(x)), T(0)};
  const Pair<T> tail{size.high * error_function_tail(size.high), T(0)};
  const Pair<T> slope = sum(Pair<T>{Terms::first, Terms::first_rest},
                            product(size, sum(Pair<T>{Terms::second, Terms::second_rest}, tail)));
  auto [exponent, r] = reduced_exponent(product(size, slope));
  r.low = fused_multiply_add(r.high, r.low, r.low);
  const T scale = power_of_two<T>(exponent - Format<T>::exponent_bias);
  const Pair<T> e = sum(sum(T(-1), scale), exponential_less_one(scale, r));
  // For small x, erf x is 2 / sqrt(pi) * x; a subnormal result must be rounded only once.
  constexpr T small = T(1) / T(Bits<T>(1) << (Format<T>::fraction_bits / 2 + 3));
  constexpr T slope_less_one = -T(1) - Terms::first - Terms::first_rest;
  return select(absolute(x) < small, fused_multiply_add(x, slope_less_one, x),
                with_sign(-(e.high + e.low), x));
}

}  // namespace lapl::elementary
