// The rows of a piece of the grid in the order in which they go through a pass of a pipeline.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/piece_cut.hpp"

namespace lapl {

/// A piece with its halo. Its rows enter the rings plane by plane. Indices of rows and planes may
/// be outside the grid, where the ghost cells are.
struct PieceStream : Piece {
  std::int64_t behind(StreamRows lag) const { return lag.of(rows.size()); }

  /// Column 0 of the row that is `lag` behind the first row. Row numbers below the first wrap into
  /// the planes before.
  Cell row_behind(StreamRows lag) const {
    Cell row{rows.first - lag.rows, 0, planes.first - lag.planes};
    for (; row.row < rows.first; row.row += rows.size()) --row.plane;
    return row;
  }

  /// Calls use(first row, its number in the group, count) for the next group of rows, once for each
  /// plane that they are in. Returns the row after the group.
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
  std::int64_t rows = 0;
  std::int64_t now = 0;  ///< index of the row that enters
};

/// Walks along the rows of an array, or of a ring.
template <class Value>
struct RowWalk {
  Value* values = nullptr;
  std::int64_t step = 0;
  Value* end = nullptr;  ///< end of the ring; null for an array
  std::int64_t ring = 0;

  /// The number of next rows, at most `count`, up to the end of the ring.
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
