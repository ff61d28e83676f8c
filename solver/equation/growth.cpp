#include "solver/equation/growth.hpp"

#include <algorithm>
#include <cmath>

namespace lapl {
namespace {

Complex factor(Scheme scheme, Complex z) {
  switch (scheme) {
    case Scheme::euler:
    case Scheme::leapfrog: return 1.0 + z;
    case Scheme::heun: return 1.0 + z * (1.0 + z / 2.0);
    case Scheme::ssprk3: return 1.0 + z * (1.0 + z / 2.0 * (1.0 + z / 3.0));
    case Scheme::rk4: return 1.0 + z * (1.0 + z / 2.0 * (1.0 + z / 3.0 * (1.0 + z / 4.0)));
  }
  return 1;
}

// The end of the stable steps from 0 on, of which none is longer than `longest`; infinity where
// there is no end. One that is below `least` is none at all: rounding hides its sign there.
template <class IsStable>
double end_of_stable(double longest, double least, const IsStable& is_stable) {
  constexpr int parts = 64;
  for (int part = 1; part <= parts; ++part) {
    double high = longest * part / parts;
    if (is_stable(high)) continue;
    double low = longest * (part - 1) / parts;
    for (double middle; middle = low + (high - low) / 2, middle > low && middle < high;)
      (is_stable(middle) ? low : high) = middle;
    return low < least ? 0 : low;
  }
  return any_step;
}

// u' = v, v' = -w^2 u - g v with rates that are a complex pair: of factors f^2 - (2 - g dt -
// (w dt)^2) f + 1 - g dt the first reaches -1 where (w dt)^2 + 2 g dt = 4.
double largest_wave_step(Complex rate) {
  const double friction = std::max(0.0, -2 * rate.real()), square = std::norm(rate);
  return 4 / (friction + std::sqrt(friction * friction + 4 * square));
}

SquareMatrix leapfrog_factors(const SquareMatrix& rate, double dt) {
  const int n = rate.size;
  SquareMatrix factors(n);
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column < n; ++column)
      factors.at(row, column) = column < row ? 0 : dt * rate.at(row, column);
    factors.at(row, row) += 1;
    for (int made = 0; made < row; ++made)  // newest values
      for (int column = 0; column < n; ++column)
        factors.at(row, column) += dt * rate.at(row, made) * factors.at(made, column);
  }
  return factors;
}

}  // namespace

double largest_step(Scheme scheme, Complex rate, double tolerance) {
  const double size = std::abs(rate);
  if (size == 0) return any_step;
  Complex direction = rate / size;
  if (std::abs(direction.real()) < 1e-12) direction = {0, direction.imag()};
  if (direction.imag() == 0 && direction.real() > 0) return any_step;
  if (scheme == Scheme::leapfrog && direction.imag() != 0) return largest_wave_step(rate);
  const bool one_stage = scheme == Scheme::euler || scheme == Scheme::leapfrog;
  if (one_stage && tolerance == 0 && direction.real() <= 0) return -2 * direction.real() / size;
  const auto is_stable = [&](double r) {
    return excess(scheme, direction, r) <= (r <= 1 ? tolerance : 0);
  };
  return end_of_stable(4, one_stage ? 1e-6 : 1e-3, is_stable) / size;
}

double excess(Scheme scheme, Complex rate, double dt) {
  return std::log(std::norm(factor(scheme, dt * rate))) / 2 - std::max(0.0, 2 * dt * rate.real());
}

double largest_leapfrog_step(const SquareMatrix& rate, double upto) {
  double size = 0;
  for (const Complex value : eigenvalues(rate)) size = std::max(size, std::abs(value));
  if (size == 0) return any_step;
  const auto is_stable = [&](double dt) {
    constexpr double rounding = 1e-7;  // of eigenvalues that are nearly the same two
    return leapfrog_excess(rate, dt) <= rounding;
  };
  if (upto < any_step && is_stable(upto)) return any_step;
  return end_of_stable(std::min(upto, 8 / size), 1e-3 / size, is_stable);
}

double leapfrog_excess(const SquareMatrix& rate, double dt) {
  double growth = 0, most = 0;
  for (const Complex value : eigenvalues(rate)) growth = std::max(growth, value.real());
  for (const Complex value : eigenvalues(leapfrog_factors(rate, dt)))
    most = std::max(most, std::abs(value));
  return std::log(most) - 2 * growth * dt;
}

}  // namespace lapl
