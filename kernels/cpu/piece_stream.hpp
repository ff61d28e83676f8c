// The rows of a piece of the grid in the order in which they go through a pass of a pipeline.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/piece_cut.hpp"

namespace lapl {

/// A piece with its halo. Its rows enter the fields' ring buffers (pipeline.hpp) plane by plane.
/// Indices of rows and planes may be outside the grid: along periodic axes, and before and after
/// the piece.
struct PieceStream : Piece {
  std::int64_t behind(StreamRows lag) const { return lag.of(rows.size()); }

  /// The row, at column 0, that is `lag` rows before the first row.
  Cell row_behind(StreamRows lag) const {
    Cell row{rows.first - lag.rows, 0, planes.first - lag.planes};
    for (; row.row < rows.first; row.row += rows.size()) --row.plane;
    return row;
  }

  /// Calls use(first row, its number in the group, count) for the group of rows_at_once rows from
  /// `row` on, once for each plane that has some of them. Returns the row after the group.
  template <class Use>
  Cell for_rows(Cell row, const Use& use) const {
    for (std::int64_t number = 0; number < Pipeline::rows_at_once;) {
      const std::int64_t count = std::min(Pipeline::rows_at_once - number, rows.last - row.row);
      use(row, number, count);
      number += count;
      row.row += count;
      if (row.row < rows.last) continue;
      row.row = rows.first;
      ++row.plane;
    }
    return row;
  }
  /// The row after the group of rows that begins with `row`.
  Cell after(Cell row) const {
    return for_rows(row, [](const Cell&, std::int64_t, std::int64_t) {});
  }
};

template <class T>
struct RowRing {
  T* first = nullptr;
  std::int64_t rows = 0;  ///< number of rows
  std::int64_t now = 0;   ///< index of the row that enters
};

/// Walks along the rows of an array, or of a ring.
template <class Value>
struct RowWalk {
  Value* values = nullptr;  ///< the next row
  std::int64_t step = 0;    ///< values from one row to the next
  Value* end = nullptr;     ///< end of the ring; null for an array
  std::int64_t ring = 0;    ///< values of the ring

  /// The number of next rows, at most `count`, that lie before the end of the ring.
  std::int64_t straight(std::int64_t count) const {
    return end != nullptr && values + count * step > end ? (end - values) / step : count;
  }
  /// Moves on by `count` rows, which must not wrap, and returns the first of them.
  Value* next_values(std::int64_t count) {
    Value* const first = values;
    values += count * step;
    if (values == end) values -= ring;
    return first;
  }
};

}  // namespace lapl
