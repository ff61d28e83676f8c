#include "solver/equation/growth.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace lapl {
namespace {

// The largest stable step. `ends` are steps in ascending order, the first one stable; bisects the
// first interval whose upper end is unstable. Infinity if all ends are stable; 0 if the result is
// below `least`, where rounding hides the sign of the growth.
template <class IsStable>
double end_of_stable(const std::vector<double>& ends, double least, const IsStable& is_stable) {
  for (std::size_t part = 1; part < ends.size(); ++part) {
    double low = ends[part - 1], high = ends[part];
    if (is_stable(high)) continue;
    for (double middle; middle = low + (high - low) / 2, middle > low && middle < high;)
      (is_stable(middle) ? low : high) = middle;
    return low < least ? 0 : low;
  }
  return any_step;
}

std::vector<double> even_ends(double longest) {
  constexpr int parts = 64;
  std::vector<double> ends;
  for (int part = 0; part <= parts; ++part) ends.push_back(longest * part / parts);
  return ends;
}

// Intervals that are short at both ends, where the stability polynomial of many stages oscillates
// fastest.
std::vector<double> rkl2_ends(int stages, bool damping) {
  const int parts = 16 * stages;
  const double longest = damping_end(stages) + 4;
  if (damping) return {damping_end(stages), longest};
  std::vector<double> ends;
  for (int part = 0; part <= parts; ++part)
    ends.push_back(longest * (1 - std::cos(std::numbers::pi * part / parts)) / 2);
  return ends;
}

// The largest stable step of leapfrog for the wave u' = v, v' = -w^2 u - g v, whose rates are a
// complex pair. Its factors solve f^2 - (2 - g dt - (w dt)^2) f + 1 - g dt = 0; the first reaches
// -1 where (w dt)^2 + 2 g dt = 4.
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
    for (int made = 0; made < row; ++made)  // rows before this one are already updated
      for (int column = 0; column < n; ++column)
        factors.at(row, column) += dt * rate.at(row, made) * factors.at(made, column);
  }
  return factors;
}

}  // namespace

StepChange scheme_change(TimeScheme scheme) {
  return {.order = table_row(scheme.kind).order,
          .beyond = table_row(scheme.kind).beyond,
          .stages = scheme.stages.value_or(0)};
}

Complex mode_change(TimeScheme scheme, Complex z) { return mode_change(scheme_change(scheme), z); }

double largest_step(TimeScheme scheme, Complex rate, double tolerance) {
  const double size = std::abs(rate);
  if (size == 0) return any_step;
  Complex direction = rate / size;
  if (std::abs(direction.real()) < 1e-12) direction = {0, direction.imag()};
  if (direction.imag() == 0 && direction.real() > 0) return any_step;
  if (scheme.kind == Scheme::leapfrog && direction.imag() != 0) return largest_wave_step(rate);
  const bool one_stage = scheme.kind == Scheme::euler || scheme.kind == Scheme::leapfrog;
  if (one_stage && tolerance == 0 && direction.real() <= 0)
    return 2 * std::abs(direction.real()) / size;
  const bool is_rkl2 = scheme.kind == Scheme::rkl2, damping = direction.imag() == 0;
  if (is_rkl2 && damping && *scheme.stages % 2 == 0) return damping_end(*scheme.stages) / size;
  const auto is_stable = [&](double r) {
    return excess(scheme, direction, r) <= (r <= 1 ? tolerance : 0);
  };
  const std::vector<double> ends = is_rkl2 ? rkl2_ends(*scheme.stages, damping) : even_ends(4);
  return end_of_stable(ends, one_stage ? 1e-6 : 1e-3, is_stable) / size;
}

double excess(TimeScheme scheme, Complex rate, double dt) {
  return std::log(std::norm(1.0 + mode_change(scheme, dt * rate))) / 2 -
         std::max(0.0, 2 * dt * rate.real());
}

double largest_leapfrog_step(const SquareMatrix& rate, double upto) {
  double size = 0;
  for (const Complex value : eigenvalues(rate)) size = std::max(size, std::abs(value));
  if (size == 0) return any_step;
  const auto is_stable = [&](double dt) {
    constexpr double rounding = 1e-7;  // a double eigenvalue changes by about sqrt(2^-53)
    return leapfrog_excess(rate, dt) <= rounding;
  };
  if (upto < any_step && is_stable(upto)) return any_step;
  return end_of_stable(even_ends(std::min(upto, 8 / size)), 1e-3 / size, is_stable);
}

double leapfrog_excess(const SquareMatrix& rate, double dt) {
  double growth = 0, most = 0;
  for (const Complex value : eigenvalues(rate)) growth = std::max(growth, value.real());
  for (const Complex value : eigenvalues(leapfrog_factors(rate, dt)))
    most = std::max(most, std::abs(value));
  return std::log(most) - 2 * growth * dt;
}

}  // namespace lapl
