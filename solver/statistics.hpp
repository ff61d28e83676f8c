// What the diagnostics say of a field.
#pragma once

#include <algorithm>
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
  double mass = 0;  ///< h^2 times the sum: the integral over the grid
  double l2 = 0;    ///< square root of h^2 times the sum of squares
};

/// Sums in float64, row by row and then over the rows in order: the same bits on every machine.
template <class T>
Statistics statistics_of(std::span<const T> field, Shape shape, double spacing) {
  struct Row {
    double min, max, sum, squares;
  };
  std::vector<Row> by_row(static_cast<std::size_t>(shape.rows));
#pragma omp parallel for schedule(static) if (shape.cells() > 100000)
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    Row r{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), 0, 0};
    for (const T stored : field.subspan(static_cast<std::size_t>(row * shape.columns),
                                        static_cast<std::size_t>(shape.columns))) {
      const double value = stored;
      r.min = std::min(r.min, value);
      r.max = std::max(r.max, value);
      r.sum += value;
      r.squares += value * value;
    }
    by_row[static_cast<std::size_t>(row)] = r;
  }
  Row all = by_row.front();
  for (const Row& r : std::span(by_row).subspan(1)) {
    all.min = std::min(all.min, r.min);
    all.max = std::max(all.max, r.max);
    all.sum += r.sum;
    all.squares += r.squares;
  }
  const double area = spacing * spacing;
  return {all.min, all.max, all.sum / static_cast<double>(shape.cells()), all.sum * area,
          std::sqrt(all.squares * area)};
}

}  // namespace lapl
