// What the diagnostics say of a field.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "kernels/grid.hpp"

namespace lapl {

struct Statistics {
  double min = 0;
  double max = 0;
  double mean = 0;
  double mass = 0;  ///< the sum times a cell's volume: the integral over the grid
  double l2 = 0;    ///< square root of the sum of squares times a cell's volume
};

struct StatisticsColumn {
  const char* name;
  double Statistics::*value;
};
/// The columns of diagnostics.csv, in their order.
inline constexpr std::array statistics_columns = {
    StatisticsColumn{"min", &Statistics::min}, StatisticsColumn{"max", &Statistics::max},
    StatisticsColumn{"mean", &Statistics::mean}, StatisticsColumn{"mass", &Statistics::mass},
    StatisticsColumn{"l2", &Statistics::l2}};

/// l2 where the sum of squares itself is beyond float64: sums the squares of values / largest.
/// `cell`: the volume of one.
template <class T>
double scaled_l2(std::span<const T> field, double cell, double largest) {
  // A power of two, so that dividing rounds nothing.
  const int exponent = std::ilogb(largest);
  double squares = 0;
  for (const T value : field) {
    const double scaled = std::scalbn(static_cast<double>(value), -exponent);
    squares += scaled * scaled;
  }
  return std::scalbn(std::sqrt(squares) * std::sqrt(cell), exponent);
}

/// The product of the spacings: an area on two axes, a length on one.
inline double cell_volume(Shape shape, const Spacing& spacing) {
  double cell = spacing.columns();
  for (std::size_t axis = 2; axis > 3 - static_cast<std::size_t>(shape.axes); --axis)
    cell *= spacing.by_axis[axis - 1];
  return cell;
}

/// A cell's volume times the sum of a field, in float64, row by row and then over the rows in
/// order.
template <class T>
double integral_of(std::span<const T> field, Shape shape, const Spacing& spacing) {
  double sum = 0;
  for (std::int64_t first = 0; first < shape.cells(); first += shape.columns) {
    double row = 0;
    for (std::int64_t column = 0; column < shape.columns; ++column) row += field[first + column];
    sum += row;
  }
  return sum * cell_volume(shape, spacing);
}

/// Sums in float64, row by row and then over the rows in order: the same bits on every machine.
template <class T>
Statistics statistics_of(std::span<const T> field, Shape shape, const Spacing& spacing) {
  struct Row {
    double min, max, sum, squares;
  };
  const std::int64_t rows = shape.planes * shape.rows;
  std::vector<Row> by_row(rows);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  // Several rows at once, since each sum waits for its last addition; on one thread, beside
  // stepping.
  constexpr std::int64_t at_once = 8;
  for (std::int64_t first = 0; first < rows; first += at_once) {
    std::array<Row, at_once> sums;
    sums.fill({infinity, -infinity, 0, 0});
    std::array<const T*, at_once> starts;
    for (std::int64_t i = 0; i < at_once; ++i)  // the last row again where there are no more
      starts[i] = field.data() + std::min(first + i, rows - 1) * shape.columns;
    for (std::int64_t column = 0; column < shape.columns; ++column)
      for (std::size_t i = 0; i < at_once; ++i) {
        const double value = starts[i][column];
        Row& r = sums[i];
        r.min = std::min(r.min, value);
        r.max = std::max(r.max, value);
        r.sum += value;
        r.squares += value * value;
      }
    std::copy_n(sums.begin(), std::min(at_once, rows - first), by_row.begin() + first);
  }
  Row all = by_row.front();
  for (const Row& r : std::span(by_row).subspan(1)) {
    all.min = std::min(all.min, r.min);
    all.max = std::max(all.max, r.max);
    all.sum += r.sum;
    all.squares += r.squares;
  }
  const double cell = cell_volume(shape, spacing);
  const double squares = all.squares * cell;
  const double largest = std::max(std::abs(all.min), std::abs(all.max));
  const bool sums = std::isnormal(squares) || largest == 0 || !std::isfinite(largest);
  return {all.min, all.max, all.sum / static_cast<double>(shape.cells()), all.sum * cell,
          sums ? std::sqrt(squares) : scaled_l2(field, cell, largest)};
}

}  // namespace lapl
