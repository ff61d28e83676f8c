// Computes one row of a level in one lane of a strip (kernels/cuda/run_time/stream.cuh).
#pragma once

#include "kernels/cuda/run_time/levels.cuh"

namespace lapl {

template <class P>
using Index = decltype(P::Grid::rows);

/// The cells of one lane in a row, for each array.
template <class P>
struct Line {
  typename P::T cells[P::sizes.slots][P::sizes.columns()];
};

/// The cells of one lane in three rows, with the cell on either side.
template <class P>
struct Around {
  typename P::T cells[3][P::sizes.slots][P::sizes.columns() + 2];
};

template <class P, class Level>
struct StreamCell {
  using T = typename P::T;
  const Around<P>& around;
  const typename P::Grid& grid;
  Index<P> row, column;
  int j;

  template <int array, int plane, int row_beside, int column_beside>
  __device__ __forceinline__ T value() const {
    constexpr int slot = Level::array_slot(array);
    return around.cells[row_beside + 1][slot][j + 1 + column_beside];
  }
  template <int axis, int offset>
  __device__ __forceinline__ T position() const {
    return __ldg(axis == 1 ? grid.row_positions + row + offset
                           : grid.column_positions + column + j + offset);
  }
  __device__ __forceinline__ unsigned long long cell() const {
    return __ldg(grid.cells.along[1] + row) + __ldg(grid.cells.along[2] + column + j);
  }
};

// The functions below branch at compile time, because folding thousands of branches would slow the
// compiler.

// Gathers an array's cells of a row and, if the stage reads them, the cells on either side.
// `at_end`: the lane has the grid's last column, before `beyond` cells of padding.
template <class P, class Level, bool ends, int slot, int r>
__device__ __forceinline__ void gather_row(Around<P>& around, const Line<P>& line,
                                           const GhostCondition<typename P::T>* conditions,
                                           bool at_end) {
  constexpr int columns = P::sizes.columns(), array = Level::slot_array(slot);
  typename P::T* const cells = around.cells[r][slot];
#pragma unroll
  for (int j = 0; j < columns; ++j) cells[j + 1] = line.cells[slot][j];
  constexpr auto reads = [](int side) {
    return Level::reads(slot, r, side) ||
           (ends && r == 1 && (Level::reads(slot, 0, side) || Level::reads(slot, 2, side)));
  };
  if constexpr (reads(0)) {
    const auto beside = __shfl_up_sync(all_lanes, cells[columns], 1);
    cells[0] = P::wraps_columns || threadIdx.x != 0
                   ? beside
                   : ghost<P, array, first_column>(conditions, cells[1]);
  }
  if constexpr (reads(2)) {
    const auto beside = __shfl_down_sync(all_lanes, cells[1], 1);
    cells[columns + 1] = P::wraps_columns || threadIdx.x != StreamSizes::lanes - 1
                             ? beside
                             : ghost<P, array, last_column>(conditions, cells[columns]);
    if constexpr (!P::wraps_columns && P::beyond > 0) {
      constexpr int last = columns - P::beyond;
      const auto behind = ghost<P, array, last_column>(conditions, cells[last]);
      cells[last + 1] = at_end ? behind : cells[last + 1];
    }
  }
}

// Replaces row r (0: above, 2: below) by ghosts if the centre is the outermost row of the grid.
template <class P, class Level, int slot, int r>
__device__ __forceinline__ void lay_row(Around<P>& around,
                                        const GhostCondition<typename P::T>* conditions,
                                        bool outermost) {
  constexpr int columns = P::sizes.columns(), array = Level::slot_array(slot);
  constexpr bool left = Level::reads(slot, r, 0), right = Level::reads(slot, r, 2);
  if constexpr (left || right || Level::reads(slot, r, 1))
#pragma unroll
    for (int j = left ? 0 : 1; j <= (right ? columns + 1 : columns); ++j) {
      typename P::T& cell = around.cells[r][slot][j];
      const auto beyond = ghost < P, array,
                 r == 0 ? first_row : last_row > (conditions, around.cells[1][slot][j]);
      cell = outermost ? beyond : cell;
    }
}

template <class P, class Level, bool ends, int slot = 0>
__device__ __forceinline__ void gather(Around<P>& around, const Line<P>& up, const Line<P>& centre,
                                       const Line<P>& down,
                                       const GhostCondition<typename P::T>* conditions,
                                       bool at_first, bool at_last, bool at_end) {
  if constexpr (slot < Level::in) {
    gather_row<P, Level, ends, slot, 0>(around, up, conditions, at_end);
    gather_row<P, Level, ends, slot, 1>(around, centre, conditions, at_end);
    gather_row<P, Level, ends, slot, 2>(around, down, conditions, at_end);
    if constexpr (ends) {
      lay_row<P, Level, slot, 0>(around, conditions, at_first);
      lay_row<P, Level, slot, 2>(around, conditions, at_last);
    }
    gather<P, Level, ends, slot + 1>(around, up, centre, down, conditions, at_first, at_last,
                                     at_end);
  }
}

// Writes column j of every array that leaves a level, as new values or unchanged.
template <class P, class Level, int slot = 0>
__device__ __forceinline__ void put(Line<P>& next, const typename P::T* results,
                                    const Line<P>& centre, int j) {
  if constexpr (slot < Level::out) {
    constexpr int made = Level::made(slot);
    if constexpr (made >= 0)
      next.cells[slot][j] = results[made];
    else
      next.cells[slot][j] = centre.cells[-1 - made][j];
    put<P, Level, slot + 1>(next, results, centre, j);
  }
}

// Computes one row of one level; `row` is the index of the centre row.
template <class P, class Level, bool ends>
__device__ __forceinline__ void make_row(const Line<P>& up, const Line<P>& centre,
                                         const Line<P>& down, Line<P>& next, const Pass<P>& pass,
                                         const typename P::T* arguments,
                                         const GhostCondition<typename P::T>* conditions,
                                         Index<P> row, Index<P> column) {
  Around<P> around;
  gather<P, Level, ends>(around, up, centre, down, conditions, row == 0, row == pass.grid.rows - 1,
                         column + P::sizes.columns() == pass.grid.columns);
#pragma unroll
  for (int j = 0; j < P::sizes.columns(); ++j) {
    typename P::T results[Level::Stage::targets];
    Level::Stage::make(StreamCell<P, Level>{around, pass.grid, row, column, j}, arguments, results);
    put<P, Level>(next, results, centre, j);
  }
}

}  // namespace lapl
