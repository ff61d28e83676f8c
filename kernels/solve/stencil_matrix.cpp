#include "kernels/solve/stencil_matrix.hpp"

#include <algorithm>

namespace lapl {

PaddedGrid::PaddedGrid(std::array<std::int64_t, 3> size_by_axis, std::array<bool, 3> periodic_axes)
    : size(size_by_axis), periodic(periodic_axes) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    periodic[axis] = periodic[axis] && size[axis] > 1;
    pad[axis] = size[axis] > 1 ? 1 : 0;
  }
  stride[2] = 1;
  stride[1] = size[2] + 2 * pad[2];
  stride[0] = stride[1] * (size[1] + 2 * pad[1]);
  values = stride[0] * (size[0] + 2 * pad[0]);
}

void PaddedGrid::wrap_rows(double* of_grid, std::int64_t plane) const {
  if (!periodic[1]) return;
  double* const first = of_grid + place({plane, 0, 0}) - pad[2];
  double* const last = first + (size[1] - 1) * stride[1];
  std::copy_n(last, stride[1], first - stride[1]);
  std::copy_n(first, stride[1], last + stride[1]);
}

void PaddedGrid::wrap_planes(double* of_grid) const {
  if (!periodic[0]) return;
  std::copy_n(of_grid + size[0] * stride[0], stride[0], of_grid);
  std::copy_n(of_grid + stride[0], stride[0], of_grid + (size[0] + 1) * stride[0]);
}

void PaddedGrid::wrap(std::vector<double>& values_of, int threads) const {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t row = 0; row < rows(); ++row) wrap_row(values_of.data() + row_place(row));
  for (std::int64_t plane = 0; plane < size[0]; ++plane) wrap_rows(values_of.data(), plane);
  wrap_planes(values_of.data());
}

MatrixTerms::MatrixTerms(const StencilMatrix& matrix) {
  for (int offset = 0; offset < stencil_offsets; ++offset) {
    if (!matrix.has(offset)) continue;
    entries[count] = matrix.at(offset).data();
    moves[count++] = matrix.move(offset);
  }
}

void residual(const StencilMatrix& matrix, const std::vector<double>& x,
              const std::vector<double>* b, std::vector<double>& out, int threads) {
  const PaddedGrid& grid = matrix.grid;
  const MatrixTerms terms(matrix);
  const std::int64_t columns = grid.size[2];
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t row = 0; row < grid.rows(); ++row) {
    const std::int64_t at = grid.row_place(row);
    double* const to = out.data() + at;
    if (b == nullptr)
      std::fill_n(to, columns, 0.0);
    else if (b != &out)
      std::copy_n(b->data() + at, columns, to);
    for (int term = 0; term < terms.count; ++term) {
      const double* const entries = terms.entries[term] + at;
      const double* const from = x.data() + at + terms.moves[term];
#pragma omp simd
      for (std::int64_t column = 0; column < columns; ++column)
        to[column] -= entries[column] * from[column];
    }
  }
}

std::vector<double> rows_of_zeros(const PaddedGrid& grid,
                                  const std::vector<const StencilMatrix*>& matrices, int threads) {
  std::vector<double> is_zero(grid.values);
  grid.for_places([&](std::int64_t place) { is_zero[place] = 1; });
  for (const StencilMatrix* const matrix : matrices) {
    const MatrixTerms terms(*matrix);
    for_indices(grid.rows(), threads, [&](std::int64_t row) {
      const std::int64_t first = grid.row_place(row);
      for (int term = 0; term < terms.count; ++term)
        for (std::int64_t place = first; place < first + grid.size[2]; ++place)
          if (terms.entries[term][place] != 0) is_zero[place] = 0;
    });
  }
  grid.wrap(is_zero, threads);
  return is_zero;
}

}  // namespace lapl
