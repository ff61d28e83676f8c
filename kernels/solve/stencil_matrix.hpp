// Matrices over the cells of a grid whose row for a cell has entries at the cells beside it alone.
// Vectors and entries lie in padded arrays: one more cell at both ends of each axis, so that loops
// over cells need no test at an edge. Beyond periodic edges these cells repeat those of the
// opposite edge; beyond others all entries are 0.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/grid/grid.hpp"

namespace lapl {

/// Calls use(i) for i from 0 to count - 1, on several threads.
template <class Use>
void for_indices(std::int64_t count, int threads, const Use& use) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t i = 0; i < count; ++i) use(i);
}

/// True if is(i) is true for any i from 0 to count - 1; calls it for all of them.
template <class Is>
bool any_index(std::int64_t count, int threads, const Is& is) {
  bool any = false;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(|| : any)
  for (std::int64_t i = 0; i < count; ++i) any = is(i) || any;
  return any;
}

/// The cells of a grid in a padded array. Axes of one cell are not padded.
struct PaddedGrid {
  PaddedGrid(std::array<std::int64_t, 3> size_by_axis, std::array<bool, 3> periodic_axes);

  std::array<std::int64_t, 3> size;  ///< cells along planes, rows, columns
  std::array<bool, 3> periodic;
  std::array<std::int64_t, 3> pad{}, stride{};
  std::int64_t values = 0;  ///< of a padded array

  constexpr std::int64_t cells() const { return size[0] * size[1] * size[2]; }
  constexpr std::int64_t rows() const { return size[0] * size[1]; }
  /// The place of the first cell of a row; rows of all planes are counted.
  constexpr std::int64_t row_place(std::int64_t row) const {
    return place({row / size[1], row % size[1], 0});
  }
  constexpr std::int64_t place(std::array<std::int64_t, 3> at) const {
    return (at[0] + pad[0]) * stride[0] + (at[1] + pad[1]) * stride[1] + at[2] + pad[2];
  }

  template <class Use>
  void for_places(const Use& use) const {
    for (std::int64_t row = 0; row < rows(); ++row)
      for (std::int64_t column = 0; column < size[2]; ++column) use(row_place(row) + column);
  }
  /// A padded array with the values of all cells, and the values of one.
  std::vector<double> padded(const double* of_cells) const {
    std::vector<double> made(values);
    for (std::int64_t row = 0; row < rows(); ++row)
      std::copy_n(of_cells + row * size[2], size[2], made.data() + row_place(row));
    return made;
  }
  void copy_cells(const std::vector<double>& padded_values, double* to) const {
    for (std::int64_t row = 0; row < rows(); ++row)
      std::copy_n(padded_values.data() + row_place(row), size[2], to + row * size[2]);
  }

  /// Copies the values at opposite periodic edges to the cells beyond them, along one axis and for
  /// the planes and rows that are given; along all axes.
  void wrap(std::vector<double>& values, int threads) const;
  constexpr void wrap_row(double* first_cell) const {
    if (!periodic[2]) return;
    first_cell[-1] = first_cell[size[2] - 1];
    first_cell[size[2]] = first_cell[0];
  }
  void wrap_rows(double* of_grid, std::int64_t plane) const;
  void wrap_planes(double* of_grid) const;
};

/// The offsets from a cell to those beside it and to itself, numbered from 0 to 26; 13 is itself.
inline constexpr int stencil_offsets = 27, stencil_center = 13;
constexpr std::array<int, 3> stencil_offset(int number) {
  return {number / 9 - 1, number / 3 % 3 - 1, number % 3 - 1};
}
constexpr int offset_number(int plane, int row, int column) {
  return (plane + 1) * 9 + (row + 1) * 3 + column + 1;
}

struct StencilMatrix {
  explicit StencilMatrix(const PaddedGrid& of) : grid(of) {}

  PaddedGrid grid;
  /// by number of the offset; empty where all entries are 0
  std::array<std::vector<double>, stencil_offsets> entries;

  std::int64_t move(int offset) const {
    const auto by = stencil_offset(offset);
    return by[0] * grid.stride[0] + by[1] * grid.stride[1] + by[2];
  }
  /// The entries of an offset, made if there are none.
  std::vector<double>& make(int offset) {
    std::vector<double>& made = entries[offset];
    if (made.empty()) made.resize(grid.values);
    return made;
  }
  bool has(int offset) const { return !entries[offset].empty(); }
  const std::vector<double>& at(int offset) const { return entries[offset]; }
};

/// The offsets that have entries, as lists for loops over cells: `entries` are those at place 0.
struct MatrixTerms {
  MatrixTerms() = default;
  explicit MatrixTerms(const StencilMatrix& matrix);
  int count = 0;
  std::array<const double*, stencil_offsets> entries{};
  std::array<std::int64_t, stencil_offsets> moves{};
};

/// out = b - A x; b may be null, which stands for 0, or `out`. The cells beyond periodic edges of x
/// must be right.
void residual(const StencilMatrix& matrix, const std::vector<double>& x,
              const std::vector<double>* b, std::vector<double>& out, int threads);

inline void negate(std::vector<double>& values, int threads) {
  for_indices(std::ssize(values), threads, [&](std::int64_t i) { values[i] = -values[i]; });
}

/// The cells in whose rows all entries of these matrices are 0, as 1 in a padded array that is 0
/// elsewhere. The cells beyond periodic edges are right.
std::vector<double> rows_of_zeros(const PaddedGrid& grid,
                                  const std::vector<const StencilMatrix*>& matrices, int threads);

/// Calls use(place of the row, place of the column, entry) for the entries that are not 0 in the
/// columns of cells where `chosen`, a padded array, is not 0.
template <class Use>
void for_entries_at(StencilMatrix& matrix, const std::vector<double>& chosen, const Use& use) {
  for (int offset = 0; offset < stencil_offsets; ++offset)
    for (std::int64_t place = 0; place < std::ssize(matrix.at(offset)); ++place)
      if (double& entry = matrix.entries[offset][place];
          entry != 0 && chosen[place + matrix.move(offset)] != 0)
        use(place, place + matrix.move(offset), entry);
}

/// Sums over cells add up pieces of rows, in each of which every eighth value has a sum of its own.
/// So their order depends neither on the number of threads nor on the device.
inline constexpr std::int64_t cells_of_piece = 4096, lanes_of_piece = 8;

/// The sum of term(place) over the cells.
template <class Term>
double sum_over_cells(const PaddedGrid& grid, int threads, const Term& term) {
  const std::int64_t columns = grid.size[2], across = (columns - 1) / cells_of_piece + 1;
  std::vector<double> sums(grid.rows() * across);
  for_indices(std::ssize(sums), threads, [&](std::int64_t piece) {
    const std::int64_t first = piece % across * cells_of_piece;
    const std::int64_t at = grid.row_place(piece / across) + first;
    const std::int64_t count = std::min(cells_of_piece, columns - first);
    std::array<double, lanes_of_piece> of_lane{};
    for (std::int64_t i = 0; i < count; ++i) of_lane[i % lanes_of_piece] += term(at + i);
    for (const double lane : of_lane) sums[piece] += lane;
  });
  double sum = 0;
  for (const double piece : sums) sum += piece;
  return sum;
}

/// The sum of a_i b_i over the cells.
inline double dot(const PaddedGrid& grid, const std::vector<double>& a,
                  const std::vector<double>& b, int threads) {
  return sum_over_cells(grid, threads, [&](std::int64_t place) { return a[place] * b[place]; });
}

}  // namespace lapl
