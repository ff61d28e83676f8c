// Statistics of a field for diagnostics.csv.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "kernels/fields/fill_value.hpp"
#include "kernels/grid/grid.hpp"
#include "kernels/machine/background.hpp"
#include "kernels/ranks/rank_rows.hpp"

namespace lapl {

/// Statistics of one field over the whole grid, or over the cells inside its mask.
struct Statistics {
  double min = 0;
  double max = 0;
  double mean = 0;
  double mass = 0;  ///< sum times cell volume: the integral over the grid
  double l2 = 0;    ///< square root of the sum of squares times cell volume
};

struct StatisticsColumn {
  const char* name;
  double Statistics::*value;
};
/// The columns of diagnostics.csv for each field, in order.
inline constexpr std::array statistics_columns = {
    StatisticsColumn{"min", &Statistics::min}, StatisticsColumn{"max", &Statistics::max},
    StatisticsColumn{"mean", &Statistics::mean}, StatisticsColumn{"mass", &Statistics::mass},
    StatisticsColumn{"l2", &Statistics::l2}};

/// The product of the spacings of the grid's axes: an area on two axes, a length on one.
inline double cell_volume(Shape shape, const Spacing& spacing) {
  double cell = spacing.columns();
  for (std::size_t axis = 2; axis > 3 - static_cast<std::size_t>(shape.axes); --axis)
    cell *= spacing.by_axis[axis - 1];
  return cell;
}

/// Sums `of_row(row)` over all rows in float64, in the order of rows, so that the bits are the same
/// on all machines and any number of ranks. Collective.
template <class T, class OfRow>
double sum_over_rows(std::span<const T> field, std::int64_t columns, Ranks& ranks,
                     const OfRow& of_row) {
  std::vector<double> sums;
  for (std::size_t first = 0; first < field.size(); first += columns)
    sums.push_back(of_row(field.subspan(first, columns)));
  double sum = 0;
  for (const double row : gather_rows<double>(ranks, sums)) sum += row;
  return of_first(ranks, sum);
}

/// l2 for a sum of squares that overflows or underflows float64: sums the squares of value / 2^k,
/// with 2^k close to `largest`. `cell` is the volume of a cell.
template <class T>
double scaled_l2(std::span<const T> field, std::int64_t columns, double cell, double largest,
                 Ranks& ranks, bool masked) {
  // Division by a power of two is exact.
  const int exponent = std::ilogb(largest);
  const double squares = sum_over_rows(field, columns, ranks, [&](std::span<const T> row) {
    double sum = 0;
    for (const T value : row) {
      if (masked && is_outside(value)) continue;
      const double scaled = std::scalbn(static_cast<double>(value), -exponent);
      sum += scaled * scaled;
    }
    return sum;
  });
  return std::scalbn(std::sqrt(squares) * std::sqrt(cell), exponent);
}

/// The sum of a field times the cell volume. Collective.
template <class T>
double field_integral(std::span<const T> field, Shape shape, const Spacing& spacing, Ranks& ranks) {
  return cell_volume(shape, spacing) *
         sum_over_rows(field, shape.columns, ranks, [](std::span<const T> row) {
           double sum = 0;
           for (const T value : row) sum += value;
           return sum;
         });
}

/// The sums and extremes of one row.
struct RowStatistics {
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  double sum = 0, squares = 0;
  std::int64_t cells = 0;  ///< number of values that are included
};

/// The statistics of each row; if `masked`, of values inside the mask.
template <bool masked, class T>
std::vector<RowStatistics> statistics_of_rows(std::span<const T> field, std::int64_t columns) {
  const std::int64_t rows = std::ssize(field) / columns;
  std::vector<RowStatistics> by_row(rows);
  // Eight rows at once, because each addition to a sum waits for the one before.
  constexpr std::int64_t at_once = 8, worth_a_thread = 1 << 18;
  in_pieces(rows, worth_a_thread / columns + 1, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t first = from; first < to; first += at_once) {
      std::array<RowStatistics, at_once> sums = {};
      std::array<const T*, at_once> starts;
      for (std::int64_t i = 0; i < at_once; ++i)  // the last row fills up the group
        starts[i] = field.data() + std::min(first + i, to - 1) * columns;
      for (std::int64_t column = 0; column < columns; ++column)
        for (std::size_t i = 0; i < at_once; ++i) {
          const double value = starts[i][column];
          if (masked && is_outside(value)) continue;
          RowStatistics& r = sums[i];
          r.min = std::min(r.min, value);
          r.max = std::max(r.max, value);
          r.sum += value;
          r.squares += value * value;
          ++r.cells;
        }
      std::copy_n(sums.begin(), std::min(at_once, to - first), by_row.begin() + first);
    }
  });
  return by_row;
}

/// The statistics, on all ranks, of a field whose rows the ranks share; if `masked`, of the cells
/// that are not outside. Collective.
template <class T>
Statistics compute_statistics(std::span<const T> field, Shape shape, const Spacing& spacing,
                              Ranks& ranks, bool masked = false) {
  RowStatistics all;
  for (const RowStatistics& row : gather_rows<RowStatistics>(
           ranks, masked ? statistics_of_rows<true>(field, shape.columns)
                         : statistics_of_rows<false>(field, shape.columns))) {
    all.min = std::min(all.min, row.min);
    all.max = std::max(all.max, row.max);
    all.sum += row.sum;
    all.squares += row.squares;
    all.cells += row.cells;
  }
  all = of_first(ranks, all);
  const double cell = cell_volume(shape, spacing);
  const double squares = all.squares * cell;
  const double largest = std::max(std::abs(all.min), std::abs(all.max));
  // If the largest square is at least this, no square that contributes to the sum is subnormal.
  constexpr double least = std::numeric_limits<double>::min() / 0x1p-53;
  const bool sums = (std::isnormal(squares) && largest * largest >= least) || largest == 0 ||
                    !std::isfinite(largest);
  return {
      all.min, all.max, all.sum / static_cast<double>(all.cells), all.sum * cell,
      sums ? std::sqrt(squares) : scaled_l2(field, shape.columns, cell, largest, ranks, masked)};
}

}  // namespace lapl
