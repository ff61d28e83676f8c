// The power function x^y = exp(y * log x). The logarithm needs about ten bits more than the result,
// because the exponential function turns absolute errors into relative ones (Muller, Elementary
// Functions, 3rd edition, 2016, section 11.6).
#pragma once

#include "kernels/elementary/exponential.hpp"
#include "kernels/elementary/logarithm.hpp"

namespace lapl::elementary {

/// (atanh(s) - s) / s^3 = 1/3 + z * (1/5 + z * (1/7 + ...)), z = s^2, from its first two
/// coefficients and the rest of the series.
template <class T>
LAPL_HOST_DEVICE Pair<T> area_tail(Pair<T> z, Pair<T> third, Pair<T> fifth, T rest) {
  return sum(third, product(z, sum(fifth, {z.high * rest, T(0)})));
}
/// The same for |s| <= (sqrt(2) - 1) / (sqrt(2) + 1). Relative error of atanh(s): 2^-35 in float,
/// 2^-65 in double.
LAPL_HOST_DEVICE Pair<float> area_tail(Pair<float> z) {
  return area_tail(z, {0x1.555556p-2f, -0x1.555556p-27f}, {0x1.99999ap-3f, -0x1.99999ap-29f},
                   polynomial(z.high, 0x1.2475a2p-3f, 0x1.d9d3bp-4f));
}
LAPL_HOST_DEVICE Pair<double> area_tail(Pair<double> z) {
  return area_tail(z, {0x1.5555555555555p-2, 0x1.5555555555555p-56},
                   {0x1.999999999999ap-3, -0x1.999999999999ap-57},
                   polynomial(z.high, 0x1.24924924927cbp-3, 0x1.c71c71c65a67fp-4,
                              0x1.745d17d72dc14p-4, 0x1.3b137843b397dp-4, 0x1.111dcbfa7f15ep-4,
                              0x1.de9ee9aadfe02p-5, 0x1.e7dc8ad21166bp-5));
}

/// log x of a positive number x = 2^k * m, as k * log 2 + 2 * atanh((m - 1) / (m + 1)).
template <class T>
LAPL_HOST_DEVICE Pair<T> long_logarithm(T x) {
  const auto [k, m] = split(x);
  const Pair<T> s = quotient(Pair<T>{m - T(1), T(0)}, sum(T(1), m));
  const Pair<T> square = product(s, s);
  const Pair<T> area = sum(s, product(product(s, square), area_tail(square)));
  return normalized(sum(Pair<T>{k * Format<T>::log_two, k * Format<T>::log_two_rest},
                        Pair<T>{T(2) * area.high, T(2) * area.low}));
}

/// x^y, with the special values of C's pow.
template <class T>
LAPL_HOST_DEVICE T power(T x, T y) {
  constexpr T infinity = Format<T>::infinity, limit = exponent_limit<T>;
  // all numbers of at least this size are integers
  constexpr T integers_only = T(Bits<T>(1) << Format<T>::fraction_bits);
  const T size = absolute(x), y_size = absolute(y);

  Pair<T> log = long_logarithm(size);
  log.high = select(size < infinity, log.high, size);  // infinity and NaN stay
  log.high = select(size == T(0), -infinity, log.high);
  const T exponent = y * log.high;
  const T low = fused_multiply_add(y, log.high, -exponent) + y * log.low;
  const T at_most = select(exponent > limit, limit, exponent);
  T result = exponential_of_pair(Pair<T>{select(at_most < -limit, -limit, at_most),
                                         select(absolute(exponent) <= limit, low, T(0))});
  result = select((size == T(1)) & (y == y), T(1), result);

  const bool is_small = y_size < integers_only;
  // Rounds to an integer, whose last bit is the last bit of the sum.
  const T shifted = y_size + integers_only;
  const bool is_integer = !is_small | (shifted - integers_only == y_size);
  const Bits<T> is_odd = as_bits(select(is_small, shifted, y_size)) &
                         Bits<T>(is_integer & (y_size < T(2) * integers_only));
  result = from_bits<T>(as_bits(result) ^ (as_bits(x) & (is_odd << (Format<T>::size - 1))));
  result = select((x < T(0)) & (size < infinity) & !is_integer, Format<T>::not_a_number, result);
  return select((x == T(1)) | (y == T(0)), T(1), result);
}

}  // namespace lapl::elementary
