// The grid: rows x columns nodes, equally spaced, stored row by row.
//
//        column 0   1   2  ...  columns-1
//   row 0     o---o---o--- ... ---o
//       1     o---o---o--- ... ---o      index = row * columns + column
//      ...
#pragma once

#include <cstdint>

namespace lapl {

/// Number of rows and columns, each at least 1.
struct Shape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;

  constexpr std::int64_t cells() const { return rows * columns; }
  friend constexpr bool operator==(Shape, Shape) = default;
};

/// Row and column of the cell at a row-major index.
struct Cell {
  std::int64_t row = 0;
  std::int64_t column = 0;
};

constexpr Cell cell_at(Shape shape, std::int64_t index) {
  return {index / shape.columns, index % shape.columns};
}

}  // namespace lapl
