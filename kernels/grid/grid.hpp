// The grid: planes x rows x columns nodes, equally spaced, stored row by row, plane by plane.
//
//        column 0   1   2  ...  columns-1
//   row 0     o---o---o--- ... ---o
//       1     o---o---o--- ... ---o      index = (plane * rows + row) * columns + column
//      ...
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lapl {

/// Extents of a grid of one to three axes, each at least 1. One of two axes is one plane, one of
/// one axis is one row.
struct Shape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t planes = 1;
  int axes = 2;

  constexpr std::int64_t cells() const { return planes * rows * columns; }
  friend constexpr bool operator==(Shape, Shape) = default;

  /// One extent an axis, the slowest axis first, as configs and files have them.
  std::vector<std::int64_t> extents() const;
  static Shape of(std::span<const std::int64_t> extents);
};

/// Rows of a grid, counted through all of its planes.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t count = 0;

  constexpr std::int64_t end() const { return first + count; }
  static constexpr RowRange all(Shape grid) { return {0, grid.planes * grid.rows}; }
  friend constexpr bool operator==(RowRange, RowRange) = default;
};

/// Distances between neighbouring nodes; one number stands for every axis.
struct Spacing {
  std::array<double, 3> by_axis = {1, 1, 1};  ///< of planes, rows, columns

  constexpr Spacing(double of_all = 1) : by_axis{of_all, of_all, of_all} {}
  /// One an axis, the slowest first, or one alone; axes that a grid has not have the first.
  static Spacing of(std::span<const double> given);
  /// As `of` takes them: one alone where those of a grid's axes are equal.
  std::vector<double> given(int axes) const;

  constexpr double columns() const { return by_axis[2]; }
  friend constexpr bool operator==(const Spacing&, const Spacing&) = default;
};

/// "2000 x 3000"
std::string text_of(Shape shape);

/// An axis of a grid, the slowest first.
struct GridAxis {
  const char* name;      ///< of one index along it
  const char* position;  ///< of a node: the axis of that name in files
};
inline constexpr std::array<GridAxis, 3> all_axes = {
    {{"plane", "z"}, {"row", "y"}, {"column", "x"}}};

/// The axes that a grid has, each with its extent.
std::vector<std::pair<GridAxis, std::int64_t>> axes_of(Shape shape);

/// Where the cell at an index lies.
struct Cell {
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t plane = 0;

  /// Of an index for each axis of a grid, the slowest first.
  static Cell of(std::span<const std::int64_t> indices);
};

constexpr std::int64_t index_of(Shape shape, Cell cell) {
  return (cell.plane * shape.rows + cell.row) * shape.columns + cell.column;
}
constexpr Cell cell_at(Shape shape, std::int64_t index) {
  return {index / shape.columns % shape.rows, index % shape.columns,
          index / shape.columns / shape.rows};
}

/// Extents and indices by axis: planes, rows, columns.
constexpr std::array<std::int64_t, 3> by_axis(Shape shape) {
  return {shape.planes, shape.rows, shape.columns};
}
constexpr std::array<std::int64_t, 3> by_axis(Cell cell) {
  return {cell.plane, cell.row, cell.column};
}

/// "row 3, column 4": an index for each axis of the grid.
std::string text_of(Cell cell, int axes);

}  // namespace lapl
