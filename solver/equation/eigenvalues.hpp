// Eigenvalues of small complex matrices.
#pragma once

#include <complex>
#include <vector>

namespace lapl {

using Complex = std::complex<double>;

/// Row by row.
struct SquareMatrix {
  int size = 0;
  std::vector<Complex> values;

  explicit SquareMatrix(int order) : size(order), values(order * order) {}
  Complex& at(int row, int column) { return values[row * size + column]; }
  Complex at(int row, int column) const { return values[row * size + column]; }
};

/// The powers of two by which to multiply column i, and to divide row i, so that both have about
/// the same size: Parlett and Reinsch, Numer. Math. 13 (1969). The eigenvalues stay.
std::vector<double> balance(SquareMatrix& matrix);

/// By shifted QR steps on the balanced matrix in Hessenberg form (Golub and Van Loan, Matrix
/// Computations, chapter 7). Its values must be finite.
std::vector<Complex> eigenvalues(SquareMatrix matrix);

}  // namespace lapl
