#include "solver/equation/eigenvalues.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/error.hpp"

namespace lapl {
namespace {

constexpr double unit = std::numeric_limits<double>::epsilon();

// After so many QR steps without success, elements that are small beside the matrix count as 0.
constexpr int many_tries = 20;

double taxicab_size(Complex z) { return std::abs(z.real()) + std::abs(z.imag()); }

// Reduces a matrix to Hessenberg form by similarity transforms (elimination with pivoting).
void make_hessenberg(SquareMatrix& a) {
  const int n = a.size;
  for (int k = 1; k + 1 < n; ++k) {
    int pivot = k;
    for (int row = k + 1; row < n; ++row)
      if (taxicab_size(a.at(row, k - 1)) > taxicab_size(a.at(pivot, k - 1))) pivot = row;
    if (a.at(pivot, k - 1) == Complex(0)) continue;
    if (pivot != k) {
      for (int column = 0; column < n; ++column) std::swap(a.at(pivot, column), a.at(k, column));
      for (int row = 0; row < n; ++row) std::swap(a.at(row, pivot), a.at(row, k));
    }
    for (int row = k + 1; row < n; ++row) {
      const Complex factor = a.at(row, k - 1) / a.at(k, k - 1);
      if (factor == Complex(0)) continue;
      for (int column = 0; column < n; ++column) a.at(row, column) -= factor * a.at(k, column);
      for (int other = 0; other < n; ++other) a.at(other, k) += factor * a.at(other, row);
      a.at(row, k - 1) = 0;
    }
  }
}

// Eigenvalues of the 2 by 2 block with its upper left element at (first, first).
std::pair<Complex, Complex> of_two(const SquareMatrix& a, int first) {
  const Complex half = (a.at(first, first) - a.at(first + 1, first + 1)) / 2.0;
  const Complex middle = (a.at(first, first) + a.at(first + 1, first + 1)) / 2.0;
  const Complex away = std::sqrt(half * half + a.at(first, first + 1) * a.at(first + 1, first));
  return {middle + away, middle - away};
}

// One QR step with this shift on the block of rows and columns `first` to `last`.
void qr_step(SquareMatrix& a, int first, int last, Complex shift) {
  for (int i = first; i <= last; ++i) a.at(i, i) -= shift;
  std::vector<std::pair<Complex, Complex>> rotations;
  for (int i = first; i < last; ++i) {
    const double length = std::hypot(std::abs(a.at(i, i)), std::abs(a.at(i + 1, i)));
    const Complex c = length == 0 ? 1 : a.at(i, i) / length;
    const Complex s = length == 0 ? 0 : a.at(i + 1, i) / length;
    for (int column = i; column <= last; ++column) {
      const Complex above = a.at(i, column), below = a.at(i + 1, column);
      a.at(i, column) = std::conj(c) * above + std::conj(s) * below;
      a.at(i + 1, column) = c * below - s * above;
    }
    a.at(i + 1, i) = 0;  // exactly, as later rotations do not reduce a rounding error
    rotations.emplace_back(c, s);
  }
  for (int i = first; i < last; ++i) {
    const auto& [c, s] = rotations[i - first];
    for (int row = first; row <= std::min(i + 2, last); ++row) {
      const Complex left = a.at(row, i), right = a.at(row, i + 1);
      a.at(row, i) = c * left + s * right;
      a.at(row, i + 1) = std::conj(c) * right - std::conj(s) * left;
    }
  }
  for (int i = first; i <= last; ++i) a.at(i, i) += shift;
}

}  // namespace

std::vector<double> balance(SquareMatrix& matrix) {
  const int n = matrix.size;
  std::vector<double> scales(n, 1);
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < n; ++i) {
      double row = 0, column = 0;
      for (int j = 0; j < n; ++j) {
        if (j == i) continue;
        row += taxicab_size(matrix.at(i, j));
        column += taxicab_size(matrix.at(j, i));
      }
      if (row == 0 || column == 0) continue;
      const double scale = std::exp2(std::round(std::log2(row / column) / 2));
      if (column * scale + row / scale >= 0.95 * (column + row)) continue;
      changed = true;
      scales[i] *= scale;
      for (int j = 0; j < n; ++j) {
        matrix.at(i, j) /= scale;
        matrix.at(j, i) *= scale;
      }
    }
  }
  return scales;
}

std::vector<Complex> eigenvalues(SquareMatrix matrix) {
  balance(matrix);
  make_hessenberg(matrix);
  double norm = 0;
  for (const Complex value : matrix.values) norm = std::max(norm, taxicab_size(value));
  std::vector<Complex> found;
  int tries = 0;
  for (int last = matrix.size - 1; last >= 0;) {
    int first = last;
    for (; first > 0; --first) {
      const double around =
          taxicab_size(matrix.at(first, first)) + taxicab_size(matrix.at(first - 1, first - 1));
      // An element counts as 0 if it is small beside the diagonal elements next to it, so that
      // eigenvalues of every size keep their digits; later also if it is small beside the matrix,
      // as rounding errors are in any case.
      const bool beside_matrix = tries >= many_tries || around == 0;
      if (taxicab_size(matrix.at(first, first - 1)) <= unit * (beside_matrix ? norm : around))
        break;
    }
    if (first == last) {
      found.push_back(matrix.at(last, last));
      --last;
      tries = 0;
    } else if (first == last - 1) {
      const auto [one, other] = of_two(matrix, first);
      found.insert(found.end(), {one, other});
      last -= 2;
      tries = 0;
    } else {
      if (++tries > 300)
        throw NumericalError(
            "300 QR steps do not find the eigenvalues of a matrix of {} rows with elements of up "
            "to {:.3g}",
            matrix.size, norm);
      // Wilkinson's shift, but another one in every tenth step, at the one end or the other (as in
      // LAPACK's zlahqr), because Wilkinson's can cycle.
      const auto [one, other] = of_two(matrix, last - 1);
      const Complex end = matrix.at(last, last);
      Complex shift = std::abs(one - end) < std::abs(other - end) ? one : other;
      if (tries % 20 == 10)
        shift = matrix.at(first, first) + 0.75 * std::abs(matrix.at(first + 1, first));
      else if (tries % 20 == 0)
        shift = end + 0.75 * std::abs(matrix.at(last, last - 1));
      qr_step(matrix, first, last, shift);
    }
  }
  return found;
}

}  // namespace lapl
