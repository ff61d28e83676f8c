// Iterations that solve linear equations by products with the matrix: conjugate gradients (M. R.
// Hestenes and E. Stiefel, J. Res. Nat. Bur. Stand. 49, 409, 1952) and BiCGSTAB (H. A. van der
// Vorst, SIAM J. Sci. Stat. Comput. 13, 631, 1992), and GMRES (Y. Saad and M. H. Schultz, SIAM J.
// Sci. Stat. Comput. 7, 856, 1986), which needs more memory and does not break down. `equations`
// has functions multiply(x, product), precondition(r, z) and dot(a, b). Each changes x and its
// residuals until their norm is at most the limit, and counts iterations.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace lapl {

struct Iterations {
  double limit = 0;  ///< of the norm of residuals
  int most = 0;
  int threads = 1;
};

/// x += factor y
inline void add(std::vector<double>& x, double factor, const std::vector<double>& y, int threads) {
#pragma omp parallel for simd num_threads(threads) schedule(static)
  for (std::int64_t i = 0; i < std::ssize(x); ++i) x[i] += factor * y[i];
}
/// x = y + factor x
inline void scale_and_add(std::vector<double>& x, double factor, const std::vector<double>& y,
                          int threads) {
#pragma omp parallel for simd num_threads(threads) schedule(static)
  for (std::int64_t i = 0; i < std::ssize(x); ++i) x[i] = y[i] + factor * x[i];
}
/// x *= factor
inline void scale(std::vector<double>& x, double factor, int threads) {
#pragma omp parallel for simd num_threads(threads) schedule(static)
  for (std::int64_t i = 0; i < std::ssize(x); ++i) x[i] *= factor;
}

/// The same for several arrays.
using FieldArrays = std::vector<std::vector<double>>;
inline void add(FieldArrays& x, double factor, const FieldArrays& y, int threads) {
  for (std::size_t i = 0; i < x.size(); ++i) add(x[i], factor, y[i], threads);
}
inline void scale_and_add(FieldArrays& x, double factor, const FieldArrays& y, int threads) {
  for (std::size_t i = 0; i < x.size(); ++i) scale_and_add(x[i], factor, y[i], threads);
}
inline void scale(FieldArrays& x, double factor, int threads) {
  for (std::vector<double>& of : x) scale(of, factor, threads);
}

/// Returns false where the matrix is not definite.
template <class Equations, class Vector>
bool conjugate_gradients(const Equations& equations, Vector& x, Vector& residuals,
                         const Iterations& may, int& iterations) {
  Vector z = x, q = x;
  equations.precondition(residuals, z);
  Vector direction = z;
  double change = equations.dot(residuals, z);
  while (iterations < may.most) {
    ++iterations;
    equations.multiply(direction, q);
    const double curvature = equations.dot(direction, q);
    if (!(curvature > 0)) return false;
    const double step = change / curvature;
    add(x, step, direction, may.threads);
    add(residuals, -step, q, may.threads);
    if (!(std::sqrt(equations.dot(residuals, residuals)) > may.limit)) return true;
    equations.precondition(residuals, z);
    const double next = equations.dot(residuals, z);
    scale_and_add(direction, next / change, z, may.threads);
    change = next;
  }
  return true;
}

template <class Equations, class Vector>
void stabilized_gradients(const Equations& equations, Vector& x, Vector& residuals,
                          const Iterations& may, int& iterations) {
  const Vector shadow = residuals;
  Vector direction = residuals, y = x, v = x, z = x, t = x;
  double rho = equations.dot(shadow, residuals);
  while (iterations < may.most) {
    ++iterations;
    equations.precondition(direction, y);
    equations.multiply(y, v);
    const double alpha = rho / equations.dot(shadow, v);
    if (!std::isfinite(alpha)) return;  // the caller begins anew
    add(x, alpha, y, may.threads);
    add(residuals, -alpha, v, may.threads);
    if (!(std::sqrt(equations.dot(residuals, residuals)) > may.limit)) return;
    equations.precondition(residuals, z);
    equations.multiply(z, t);
    const double omega = equations.dot(t, residuals) / equations.dot(t, t);
    if (!std::isfinite(omega)) return;
    add(x, omega, z, may.threads);
    add(residuals, -omega, t, may.threads);
    if (!(std::sqrt(equations.dot(residuals, residuals)) > may.limit)) return;
    const double next = equations.dot(shadow, residuals);
    if (next == 0) return;
    const double beta = next / rho * (alpha / omega);
    rho = next;
    add(direction, -omega, v, may.threads);
    scale_and_add(direction, beta, residuals, may.threads);
  }
}

/// The goal of solve_linear.
struct LinearGoal {
  double tolerance = 0, norm = 0;  ///< of residuals, relative to the norm of the right side f
  int most_iterations = 0, threads = 1;
  bool is_definite = false;  ///< the matrix is symmetric and definite: conjugate gradients
};

/// Improves x until f - A x meets the goal, or only rounding is left of it; counts iterations, and
/// stores the last relative residual. Returns false if that is not reached. `equations` also has
/// residual(x, f, out) and size(x), the norm of x times the diagonal.
template <class Equations, class Vector>
bool solve_linear(const Equations& equations, Vector& x, const Vector& f, LinearGoal goal,
                  int& iterations, double& residual) {
  Vector residuals = f;
  // The residual that is left by iterations may differ from the true one, which decides.
  for (int round = 0;; ++round) {
    equations.residual(x, f, residuals);
    const double found = std::sqrt(equations.dot(residuals, residuals));
    residual = found / goal.norm;
    if (found <= goal.tolerance * goal.norm) return true;
    if (round > 0 && found <= std::min(0x1p-49 * equations.size(x), 1e-3 * goal.norm)) return true;
    if (!(found < std::numeric_limits<double>::infinity()) || round == 4 ||
        iterations >= goal.most_iterations)
      return false;
    const Iterations may{goal.tolerance * goal.norm, goal.most_iterations, goal.threads};
    if (goal.is_definite)
      goal.is_definite = conjugate_gradients(equations, x, residuals, may, iterations);
    else
      stabilized_gradients(equations, x, residuals, may, iterations);
  }
}

/// Directions of GMRES before it begins anew.
inline constexpr int most_directions = 30;

template <class Equations, class Vector>
void generalized_residuals(const Equations& equations, Vector& x, Vector& residuals,
                           const Iterations& may, int& iterations) {
  const auto norm = [&](const Vector& of) { return std::sqrt(equations.dot(of, of)); };
  for (double found = norm(residuals); found > may.limit && iterations < may.most;) {
    std::vector<Vector> basis = {residuals};
    scale(basis[0], 1 / found, may.threads);
    // The least squares problem of the factors of the basis, as an upper triangle by rotations.
    std::vector<std::vector<double>> triangle;
    std::vector<double> right = {found}, cosines, sines;
    Vector z = residuals;
    while (triangle.size() < most_directions && iterations < may.most &&
           std::abs(right.back()) > may.limit) {
      ++iterations;
      equations.precondition(basis.back(), z);
      Vector next = residuals;
      equations.multiply(z, next);
      std::vector<double>& column = triangle.emplace_back();
      for (const Vector& before : basis) {
        column.push_back(equations.dot(before, next));
        add(next, -column.back(), before, may.threads);
      }
      const double rest = norm(next);
      if (!std::isfinite(rest)) return;
      for (std::size_t i = 0; i + 1 < column.size(); ++i) {
        const double upper = column[i];
        column[i] = cosines[i] * upper + sines[i] * column[i + 1];
        column[i + 1] = cosines[i] * column[i + 1] - sines[i] * upper;
      }
      const double length = std::sqrt(column.back() * column.back() + rest * rest);
      if (length == 0) {  // the step changes nothing
        triangle.pop_back();
        break;
      }
      cosines.push_back(column.back() / length);
      sines.push_back(rest / length);
      column.back() = length;
      right.push_back(-sines.back() * right.back());
      right[right.size() - 2] *= cosines.back();
      if (rest == 0) break;
      scale(next, 1 / rest, may.threads);
      basis.push_back(std::move(next));
    }
    if (triangle.empty()) return;
    Vector sum = residuals, change = residuals, product = residuals;
    scale(sum, 0, may.threads);
    for (std::size_t i = triangle.size(); i-- > 0;) {
      double factor = right[i];
      for (std::size_t j = i + 1; j < triangle.size(); ++j) factor -= triangle[j][i] * right[j];
      right[i] = factor / triangle[i][i];
      add(sum, right[i], basis[i], may.threads);
    }
    equations.precondition(sum, change);
    add(x, 1, change, may.threads);
    equations.multiply(change, product);
    add(residuals, -1, product, may.threads);
    const double now = norm(residuals);
    if (!(now < 0.99 * found)) return;
    found = now;
  }
}

}  // namespace lapl
