#include "solver/equation/eigenvalues.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "kernels/fields/pcg64.hpp"

namespace lapl {

namespace {

// The matrix that Arnoldi's method makes of -k + D (a second difference) with noise of 1e-10 k and
// a basis that is made orthogonal once: the noise is most of its newest vectors, so they are not
// orthogonal.
SquareMatrix nearly_a_multiple(double k, double d, Pcg64& generator) {
  constexpr int cells = 32, size = 24;
  const auto uniform = [&] { return static_cast<double>(generator.next() >> 11) * 0x1p-53 - 0.5; };
  const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (int i = 0; i < cells; ++i) sum += a[i] * b[i];
    return sum;
  };
  std::vector<std::vector<double>> basis(size + 1, std::vector<double>(cells));
  for (int i = 0; i < cells; ++i) basis[0][i] = (i % 2 == 0 ? 0.5 : -0.5) + uniform();
  SquareMatrix made(size);
  for (int column = 0; column < size; ++column) {
    std::vector<double>& newest = basis[column];
    std::vector<double>& next = basis[column + 1];
    const double length = std::sqrt(dot(newest, newest));
    if (column > 0) made.at(column, column - 1) = length;
    for (double& value : newest) value /= length;
    for (int i = 0; i < cells; ++i)
      next[i] = d * (newest[(i + 1) % cells] + newest[(i + cells - 1) % cells] - 2 * newest[i]) -
                k * newest[i] + 1e-10 * k * uniform();
    for (int row = 0; row <= column; ++row) {
      const double part = dot(basis[row], next);
      made.at(row, column) = part;
      for (int i = 0; i < cells; ++i) next[i] -= part * basis[row][i];
    }
  }
  return made;
}

}  // namespace

TEST_CASE("eigenvalues of known matrices are found, also where units lie far apart") {
  // S diag(wanted) S^-1, where S is a product of elementary matrices.
  const std::vector<Complex> wanted = {{-3, 0},  {-1, 2}, {-1, -2}, {0, 0},
                                       {0.5, 1}, {2, 0},  {2, 7}};
  const int n = static_cast<int>(wanted.size());
  SquareMatrix matrix(n);
  for (int i = 0; i < n; ++i) matrix.at(i, i) = wanted[static_cast<std::size_t>(i)];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (i == j) continue;
      const Complex factor(0.3 * ((i * 7 + j * 3) % 5 - 2), 0.2 * ((i + j) % 3 - 1));
      for (int k = 0; k < n; ++k) matrix.at(i, k) += factor * matrix.at(j, k);
      for (int k = 0; k < n; ++k) matrix.at(k, j) -= factor * matrix.at(k, i);
    }
  for (const double unit : {1.0, 1e12}) {
    SquareMatrix scaled = matrix;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) scaled.at(i, j) *= std::pow(unit, (i - j) / 3.0);
    std::vector<Complex> found = eigenvalues(scaled);
    REQUIRE(found.size() == wanted.size());
    for (const Complex value : wanted) {
      const auto near = std::ranges::min_element(
          found, {}, [&](Complex other) { return std::abs(other - value); });
      CHECK(std::abs(*near - value) < 1e-9);
      found.erase(near);
    }
  }
  SquareMatrix turn(3);  // a cyclic permutation; its eigenvalues are the third roots of 1
  turn.at(0, 1) = turn.at(1, 2) = turn.at(2, 0) = 1;
  for (const Complex root : eigenvalues(turn)) CHECK(std::abs(root * root * root - 1.0) < 1e-14);
  CHECK(eigenvalues(SquareMatrix(4)) == std::vector<Complex>(4));
}

TEST_CASE("eigenvalues of matrices that are nearly a multiple of the identity, or singular") {
  Pcg64 generator = numpy_generator(7);
  for (int i = 0; i < 1000; ++i) {
    const double k = std::pow(10, i % 7 - 3), d = k * std::pow(10, -(i / 7 % 6));
    CAPTURE(k);
    CAPTURE(d);
    const SquareMatrix matrix = nearly_a_multiple(k, d, generator);
    const std::vector<Complex> found = eigenvalues(matrix);
    REQUIRE(found.size() == static_cast<std::size_t>(matrix.size));
    Complex trace = 0, sum = 0;
    for (int row = 0; row < matrix.size; ++row) trace += matrix.at(row, row);
    for (const Complex value : found) sum += value;
    CHECK(std::abs(sum - trace) < 1e-11 * std::abs(trace));
    // The squares see what the trace does not: an entry below the diagonal that was dropped.
    const Complex middle = trace / static_cast<double>(matrix.size);
    Complex squares = 0, of_matrix = 0;
    double size = 0;
    for (const Complex value : found) squares += (value - middle) * (value - middle);
    for (int row = 0; row < matrix.size; ++row)
      for (int column = 0; column < matrix.size; ++column) {
        const auto off = [&](int r, int c) { return matrix.at(r, c) - (r == c ? middle : 0.0); };
        of_matrix += off(row, column) * off(column, row);
        size += std::norm(off(row, column));
      }
    CHECK(std::abs(squares - of_matrix) < 1e-12 * (size + std::abs(middle) * std::sqrt(size)));
  }
}

}  // namespace lapl
