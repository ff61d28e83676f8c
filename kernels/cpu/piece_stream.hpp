// The rows of a piece of the grid as they stream through a pass of a pipeline.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/piece_cut.hpp"

namespace lapl {

/// A piece with its halo, whose rows come in plane by plane; indices may lie outside of the grid.
struct PieceStream : Piece {
  std::int64_t behind(StreamRows lag) const { return lag.of(rows.size()); }

  /// The row of the stream that is so far behind the first one; its column 0.
  Cell row_behind(StreamRows lag) const {
    Cell row{rows.first - lag.rows, 0, planes.first - lag.planes};
    for (; row.row < rows.first; row.row += rows.size()) --row.plane;
    return row;
  }

  /// Calls `use` with the rows at once from one of the stream on, those of each plane together: the
  /// first one, its number among the rows at once, and how many. Returns the row after them.
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
  /// The row after the rows at once from one on.
  Cell after(Cell row) const {
    return for_rows(row, [](const Cell&, std::int64_t, std::int64_t) {});
  }
};

/// A ring of rows.
template <class T>
struct RowRing {
  T* first = nullptr;
  std::int64_t rows = 0;
  std::int64_t now = 0;  ///< where the row is that comes in
};

/// Where the rows of an array are, one after the other.
template <class Value>
struct RowWalk {
  Value* values = nullptr;
  std::int64_t step = 0;
  Value* end = nullptr;  ///< of a ring, which is so long
  std::int64_t ring = 0;

  /// How many of the next ones lie one after the other, at most `count`.
  std::int64_t straight(std::int64_t count) const {
    return end != nullptr && values + count * step > end ? (end - values) / step : count;
  }
  /// Goes on behind so many that do; the first of them.
  Value* take(std::int64_t count) {
    Value* const first = values;
    values += count * step;
    if (values == end) values -= ring;
    return first;
  }
};

}  // namespace lapl
