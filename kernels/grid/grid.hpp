// The grid: planes x rows x columns nodes, equally spaced, stored row by row, plane by plane.
//
//        column 0   1   2  ...  columns-1
//   row 0     o---o---o--- ... ---o
//       1     o---o---o--- ... ---o      index = (plane * rows + row) * columns + column
//      ...
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lapl {

/// The extents of a grid on one to three axes, each at least 1. A grid on two axes has one plane, a
/// grid on one axis one row.
struct Shape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t planes = 1;
  int axes = 2;

  constexpr std::int64_t cells() const { return planes * rows * columns; }
  friend constexpr bool operator==(Shape, Shape) = default;

  /// The extents of the grid's axes, slowest first, as in configs and files.
  std::vector<std::int64_t> extents() const;
  static Shape of(std::span<const std::int64_t> extents);
};

/// A range of rows, counted through all planes of a grid.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t count = 0;

  constexpr std::int64_t end() const { return first + count; }
  static constexpr RowRange all(Shape grid) { return {0, grid.planes * grid.rows}; }
  friend constexpr bool operator==(RowRange, RowRange) = default;
};

/// Distances between neighbouring nodes along each axis, and where the first node lies.
struct Spacing {
  std::array<double, 3> by_axis = {1, 1, 1};  ///< distances along planes, rows, columns
  std::array<double, 3> origin = {0, 0, 0};   ///< position of the first plane, row, column
  /// index, perhaps half, of the position 0 from which positions are computed instead of `origin`,
  /// so that they are symmetric to the bit; 0: `origin` counts
  std::array<double, 3> middle = {0, 0, 0};

  constexpr Spacing(double of_all = 1) : by_axis{of_all, of_all, of_all} {}
  /// From one number for each axis, slowest first, or one number for all axes. An axis that the
  /// grid lacks (planes, rows) gets the first number.
  static Spacing of(std::span<const double> given);
  /// The inverse of `of`: one number if all axes have the same spacing, else one for each.
  std::vector<double> given(int axes) const;

  constexpr double columns() const { return by_axis[2]; }
  constexpr double position(std::size_t axis, double index) const {
    return middle[axis] != 0 ? (index - middle[axis]) * by_axis[axis]
                             : index * by_axis[axis] + origin[axis];
  }
  friend constexpr bool operator==(const Spacing&, const Spacing&) = default;
};

/// The extents as text, for example "2000 x 3000".
std::string shape_text(Shape shape);

/// Names of an axis of a grid.
struct GridAxis {
  const char* name;      ///< name of an index along the axis
  const char* position;  ///< name of a coordinate along the axis, and of the dimension in files
};
inline constexpr std::array<GridAxis, 3> all_axes = {
    {{"plane", "z"}, {"row", "y"}, {"column", "x"}}};

/// The axes of a grid with their extents, slowest first.
std::vector<std::pair<GridAxis, std::int64_t>> shape_axes(Shape shape);

struct Cell {
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t plane = 0;

  /// The cell with one index for each axis of a grid, slowest first.
  static Cell of(std::span<const std::int64_t> indices);
};

constexpr std::int64_t cell_index(Shape shape, Cell cell) {
  return (cell.plane * shape.rows + cell.row) * shape.columns + cell.column;
}
constexpr Cell cell_at(Shape shape, std::int64_t index) {
  return {index / shape.columns % shape.rows, index % shape.columns,
          index / shape.columns / shape.rows};
}

/// Extents or indices along planes, rows and columns, as an array in this order.
constexpr std::array<std::int64_t, 3> by_axis(Shape shape) {
  return {shape.planes, shape.rows, shape.columns};
}
constexpr std::array<std::int64_t, 3> by_axis(Cell cell) {
  return {cell.plane, cell.row, cell.column};
}

/// The cell as text with `axes` indices, for example "row 3, column 4".
std::string place_text(Cell cell, int axes);

}  // namespace lapl
