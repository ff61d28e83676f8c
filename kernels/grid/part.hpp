// The part of a grid that one rank steps: the cells it owns, and around them a halo of its
// neighbours' cells, deep enough for several steps. Part and halo together are the rank's block.
//
//     whole        0 . . . first ............. first + own . . . whole
//     the block            | before |  own cells  | after |
//     index in the block   0        before        ...
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "kernels/grid/grid.hpp"

namespace lapl {

/// Arrays are indexed by axis: planes, rows, columns.
struct Part {
  Shape whole;                                  ///< shape of the grid
  std::array<std::int64_t, 3> first = {};       ///< index in the grid of the first own cell
  std::array<std::int64_t, 3> own = {1, 1, 1};  ///< number of own cells along each axis
  std::array<std::int64_t, 3> before = {};      ///< depth of the halo at the beginning of each axis
  std::array<std::int64_t, 3> after = {};
  std::array<bool, 3> endless = {};  ///< axes along which the grid is periodic

  static constexpr Part all(Shape grid) { return {.whole = grid, .own = by_axis(grid)}; }

  constexpr bool is_empty() const { return own[0] == 0; }
  constexpr std::int64_t cells() const { return own[0] * own[1] * own[2]; }
  constexpr std::int64_t rows() const { return own[0] * own[1]; }

  constexpr Shape shape() const {
    return {.rows = before[1] + own[1] + after[1],
            .columns = before[2] + own[2] + after[2],
            .planes = before[0] + own[0] + after[0],
            .axes = whole.axes};
  }

  /// True if another rank owns the cells beyond this face of the part.
  constexpr bool is_open(std::size_t axis, bool last) const {
    return (last ? after : before)[axis] > 0;
  }

  /// The index of the first cell of own row `row`, in the block; then in the grid.
  constexpr std::int64_t in_block(std::int64_t row) const {
    return cell_index(shape(), {before[1] + row % own[1], before[2], before[0] + row / own[1]});
  }
  constexpr std::int64_t in_grid(std::int64_t row) const {
    return cell_index(whole, {first[1] + row % own[1], first[2], first[0] + row / own[1]});
  }

  /// The index in the block of the cell with this index in the grid, if it is an own one.
  constexpr std::optional<std::int64_t> own_place(std::int64_t cell) const {
    std::array<std::int64_t, 3> at = by_axis(cell_at(whole, cell));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      at[axis] -= first[axis];
      if (at[axis] < 0 || at[axis] >= own[axis]) return std::nullopt;
      at[axis] += before[axis];
    }
    return cell_index(shape(), {at[1], at[2], at[0]});
  }

  /// The index in the grid of the cell with this index in the block, along one axis.
  constexpr std::int64_t index_in_grid(std::size_t axis, std::int64_t index) const {
    index += first[axis] - before[axis];
    const std::int64_t size = by_axis(whole)[axis];
    return endless[axis] ? (index % size + size) % size : index;
  }
  /// The index of the first cell of the grid's row that contains row `row` of the block.
  constexpr std::int64_t row_in_grid(std::int64_t row) const {
    const std::int64_t rows = shape().rows;
    return cell_index(whole, {index_in_grid(1, row % rows), 0, index_in_grid(0, row / rows)});
  }
};

}  // namespace lapl
