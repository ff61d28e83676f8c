// Eigenvalues of small complex matrices.
#pragma once

#include <complex>
#include <vector>

namespace lapl {

using Complex = std::complex<double>;

/// A square matrix, stored row by row.
struct SquareMatrix {
  int size = 0;
  std::vector<Complex> values;

  explicit SquareMatrix(int order) : size(order), values(order * order) {}
  Complex& at(int row, int column) { return values[row * size + column]; }
  Complex at(int row, int column) const { return values[row * size + column]; }
};

/// Balances a matrix (Parlett and Reinsch, Numer. Math. 13, 1969) and returns the scales, which are
/// powers of two: column i was multiplied and row i divided by scale i, so that both have about the
/// same size. The eigenvalues do not change.
std::vector<double> balance(SquareMatrix& matrix);

/// All eigenvalues, by shifted QR steps on the balanced matrix in Hessenberg form (Golub and Van
/// Loan, Matrix Computations, chapter 7). Each is exact for a matrix that differs from this one by
/// rounding. The matrix must be finite. Throws NumericalError if the steps do not converge.
std::vector<Complex> eigenvalues(SquareMatrix matrix);

}  // namespace lapl
