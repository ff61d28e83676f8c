#include "solver/equation/eigenvalues.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

namespace lapl {

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

}  // namespace lapl
