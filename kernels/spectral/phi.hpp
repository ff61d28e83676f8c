// The functions phi_1(z) = (e^z - 1)/z, phi_2(z) = (phi_1(z) - 1)/z and phi_3(z) = (phi_2(z) -
// 1/2)/z of exponential schemes, within 4 eps for every z. For |z| <= 5 they are computed as series
// without cancellation, since all terms are positive:
//
//   z > 0   phi_k(z) = sum z^n/(n + k)!
//   z < 0   phi_k(z) = e^z/(k - 1)! sum (-z)^n/(n! (n + k))     (Kummer's transformation)
//
// Matrices are halved until they are small, and the results doubled as often: with e = e^Z,
//
//   phi_k(2 Z) = 2^-k (e phi_k(Z) + sum over j from 1 to k of phi_j(Z)/(k - j)!)
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace lapl {

struct Phi {
  double one = 1, two = 0.5, three = 1.0 / 6;
};

inline constexpr int phi_terms = 40;

/// The coefficients of z^n: 1/(n! (n + k)) for negative z; if k is 0, 1/(n + 3)!, those of phi_3.
constexpr std::array<double, phi_terms> phi_series(int k) {
  std::array<double, phi_terms> series = {};
  long double factorial = k == 0 ? 6 : 1;
  for (int n = 0; n < phi_terms; ++n) {
    if (n > 0) factorial *= k == 0 ? n + 3 : n;
    series[static_cast<std::size_t>(n)] =
        static_cast<double>(1 / (k == 0 ? factorial : factorial * (n + k)));
  }
  return series;
}

template <int k>
double phi_sum(double z, int terms) {
  static constexpr auto series = phi_series(k);
  double sum = 0;
  for (int n = terms; n-- > 0;) sum = std::fma(sum, z, series[static_cast<std::size_t>(n)]);
  return sum;
}

inline Phi phi_values(double z) {
  constexpr double reach = 5;
  const double size = std::abs(z);
  if (!(size <= reach)) {
    const double one = std::expm1(z) / z, two = (one - 1) / z;
    return {one, two, (two - 0.5) / z};
  }
  const int terms = size <= 0.5 ? 14 : size <= 2 ? 24 : phi_terms;
  if (z < 0) {
    const double factor = std::exp(z);
    return {std::expm1(z) / z, factor * phi_sum<2>(size, terms),
            factor / 2 * phi_sum<3>(size, terms)};
  }
  const double three = phi_sum<0>(z, terms), two = std::fma(z, three, 0.5);
  return {std::fma(z, two, 1), two, three};
}

/// The largest number of rows of a matrix, and so of fields that a linear part couples.
inline constexpr int most_coupled = 8;
/// The functions of square matrices of `size` rows, stored row by row.
template <int size>
class PhiOfMatrix {
 public:
  using Matrix = std::array<double, size * size>;

  /// Computes the functions of a matrix, and phi_1 of half of it.
  void compute(const Matrix& z) {
    double norm = 0;
    for (int row = 0; row < size; ++row) {
      double sum = 0;
      for (int column = 0; column < size; ++column) sum += std::abs(z[row * size + column]);
      norm = std::max(norm, sum);
    }
    int halvings = 1;
    if (norm > 1 && std::isfinite(norm)) halvings += std::ilogb(norm) + 1;
    const double part = std::ldexp(1.0, -halvings);
    Matrix small = {};
    for (int i = 0; i < size * size; ++i) small[i] = z[i] * part;
    static constexpr auto series = phi_series(0);
    three = {};
    for (int n = 16; n-- > 0;) three = plus(series[n], product(small, three));
    two = plus(0.5, product(small, three));
    one = plus(1, product(small, two));
    Matrix exponential = plus(1, product(small, one));
    for (int i = 0; i < halvings; ++i) {
      half = one;
      const Matrix a = product(exponential, one), b = product(exponential, two),
                   c = product(exponential, three);
      for (int at = 0; at < size * size; ++at) {
        three[at] = (c[at] + one[at] / 2 + two[at] + three[at]) / 8;
        two[at] = (b[at] + one[at] + two[at]) / 4;
        one[at] = (a[at] + one[at]) / 2;
      }
      exponential = product(exponential, exponential);
    }
  }

  Matrix half = {};  ///< phi_1 of half the matrix
  Matrix one = {}, two = {}, three = {};

 private:
  Matrix product(const Matrix& a, const Matrix& b) const {
    Matrix made = {};
    for (int row = 0; row < size; ++row)
      for (int column = 0; column < size; ++column) {
        double sum = 0;
        for (int i = 0; i < size; ++i) sum += a[row * size + i] * b[i * size + column];
        made[row * size + column] = sum;
      }
    return made;
  }
  Matrix plus(double number, Matrix to) const {
    for (int i = 0; i < size; ++i) to[i * size + i] += number;
    return to;
  }
};

}  // namespace lapl
