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

template <class T>
struct PairOf {
  using Type = float2;
};
template <>
struct PairOf<double> {
  using Type = double2;
};
template <class T>
using Pair = typename PairOf<T>::Type;

/// The condition at node `index` of a table: of a row of columns, or of a column.
template <class P>
__device__ __forceinline__ Pair<typename P::T> condition_at(const FaceTable<typename P::T>& table,
                                                            int level, Index<P> index,
                                                            Index<P> size, bool wraps) {
  if (wraps) {
    while (index < 0) index += size;
    while (index >= size) index -= size;
  }
  index = min(max(index, Index<P>{-1}), size);
  const auto* const at = table.each + level * table.nodes + table.pitch + index + 1;
  static_assert(sizeof *at == sizeof(Pair<typename P::T>));  // one load of both
  return __ldg(reinterpret_cast<const Pair<typename P::T>*>(at));
}

// The conditions beside columns that the levels of a warp read in a turn. Loading them row by row
// would wait for memory at each. So lane 5 * k + q loads, for the warp's level k, that beside row
// q - 1 of the turn, counted from the level's first centre row, and rows get them from there.
template <class P>
struct BesideColumns {
  static constexpr int rows = StreamSizes::turn_rows + 2;
  static constexpr bool fit = P::sizes.levels * rows <= StreamSizes::lanes;
  Pair<typename P::T> of[P::tables > 0 ? P::tables : 1];

  __device__ __forceinline__ void load(const Pass<P>& pass, int first_level, Index<P> first_in) {
    const int lane = static_cast<int>(threadIdx.x), k = min(lane / rows, P::sizes.levels - 1);
    const Index<P> centre = first_in - (P::sizes.lagged ? 2 * k + 1 : k + 1);
#pragma unroll
    for (int table = 0; table < P::tables; ++table)
      if (P::table_of_columns(table))
        of[table] = condition_at<P>(pass.tables[table], P::in_time ? first_level + k : 0,
                                    centre + lane % rows - 1, pass.grid.rows, P::wraps_rows);
  }
};

// The lane's cells of a level's centre row, and the conditions of faces at that level.
template <class P>
struct Place {
  using T = typename P::T;
  const Pass<P>& pass;
  const GhostCondition<T>* conditions;
  const BesideColumns<P>& sides;
  int level;  // of the launch if conditions depend on time, else 0
  int lane;   // the lane that has the condition beside the row above
  Index<P> row, column;

  // True if the lane has the grid's last column, before `beyond` cells of padding.
  __device__ __forceinline__ bool at_end() const {
    return column + P::sizes.columns() == pass.grid.columns;
  }
  // The ghost value above or below `inside`, in column `j`.
  template <int array, int side>
  __device__ __forceinline__ T beyond_row(T inside, Index<P> j) const {
    if constexpr (P::ghost_kind(array, side) == GhostKind::along) {
      const auto condition = condition_at<P>(pass.tables[P::table(array, side)], level, j,
                                             pass.grid.columns, P::wraps_columns);
      return ghost_value(condition.x, condition.y, inside);
    } else {
      return ghost<P, array, side>(conditions, inside);
    }
  }
  // The ghost value left or right of `inside`, in the row above (r = 0), this or the row below (2).
  template <int array, int side>
  __device__ __forceinline__ T beyond_column(T inside, int r) const {
    constexpr int table = P::table(array, side);
    if constexpr (P::ghost_kind(array, side) != GhostKind::along) {
      return ghost<P, array, side>(conditions, inside);
    } else if constexpr (BesideColumns<P>::fit) {
      const T a = __shfl_sync(all_lanes, sides.of[table].x, lane + r),
              b = __shfl_sync(all_lanes, sides.of[table].y, lane + r);
      return ghost_value(a, b, inside);
    } else {
      const auto condition =
          condition_at<P>(pass.tables[table], level, row + r - 1, pass.grid.rows, P::wraps_rows);
      return ghost_value(condition.x, condition.y, inside);
    }
  }
};

/// The parts of a grid, each with code of its own: conditions that differ along columns are read in
/// strips at the sides alone, and rows beyond the grid in turns at its ends alone.
enum class StripPart : int { inner, sides, ends };

template <class P, int array, int side>
__device__ constexpr bool imposes(StripPart part) {
  return !P::wraps_columns &&
         (part != StripPart::inner || P::ghost_kind(array, side) != GhostKind::along);
}

// Gathers an array's cells of a row and, if the stage reads them, the cells on either side.
template <class P, class Level, StripPart part, int slot, int r>
__device__ __forceinline__ void gather_row(Around<P>& around, const Line<P>& line,
                                           const Place<P>& at) {
  constexpr int columns = P::sizes.columns(), array = Level::slot_array(slot);
  typename P::T* const cells = around.cells[r][slot];
#pragma unroll
  for (int j = 0; j < columns; ++j) cells[j + 1] = line.cells[slot][j];
  constexpr auto reads = [](int side) {
    return Level::reads(slot, r, side) ||
           (part == StripPart::ends && r == 1 &&
            (Level::reads(slot, 0, side) || Level::reads(slot, 2, side)));
  };
  if constexpr (reads(0)) {
    const auto beside = __shfl_up_sync(all_lanes, cells[columns], 1);
    cells[0] = beside;
    if constexpr (imposes<P, array, first_column>(part)) {
      const auto before = at.template beyond_column<array, first_column>(cells[1], r);
      cells[0] = threadIdx.x != 0 ? beside : before;
    }
  }
  if constexpr (reads(2)) {
    const auto beside = __shfl_down_sync(all_lanes, cells[1], 1);
    cells[columns + 1] = beside;
    if constexpr (imposes<P, array, last_column>(part)) {
      constexpr int last = columns - P::beyond;
      const auto behind = at.template beyond_column<array, last_column>(cells[last], r);
      const bool here = P::beyond > 0 ? at.at_end() : threadIdx.x == StreamSizes::lanes - 1;
      cells[last + 1] = here ? behind : cells[last + 1];
    }
  }
}

// Replaces row r (0: above, 2: below) by ghosts if the centre is the outermost row of the grid.
template <class P, class Level, int slot, int r>
__device__ __forceinline__ void lay_row(Around<P>& around, const Place<P>& at, bool outermost) {
  constexpr int columns = P::sizes.columns(), array = Level::slot_array(slot);
  constexpr bool left = Level::reads(slot, r, 0), right = Level::reads(slot, r, 2);
  if constexpr (left || right || Level::reads(slot, r, 1))
#pragma unroll
    for (int j = left ? 0 : 1; j <= (right ? columns + 1 : columns); ++j) {
      typename P::T& cell = around.cells[r][slot][j];
      constexpr int side = r == 0 ? first_row : last_row;
      const auto beyond =
          at.template beyond_row<array, side>(around.cells[1][slot][j], at.column + j - 1);
      cell = outermost ? beyond : cell;
    }
}

template <class P, class Level, StripPart part, int slot = 0>
__device__ __forceinline__ void gather(Around<P>& around, const Line<P>& up, const Line<P>& centre,
                                       const Line<P>& down, const Place<P>& at) {
  if constexpr (slot < Level::in) {
    gather_row<P, Level, part, slot, 0>(around, up, at);
    gather_row<P, Level, part, slot, 1>(around, centre, at);
    gather_row<P, Level, part, slot, 2>(around, down, at);
    if constexpr (part == StripPart::ends) {
      lay_row<P, Level, slot, 0>(around, at, at.row == 0);
      lay_row<P, Level, slot, 2>(around, at, at.row == at.pass.grid.rows - 1);
    }
    gather<P, Level, part, slot + 1>(around, up, centre, down, at);
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

// Computes one row of one level; `at` is the place of the centre row.
template <class P, class Level, StripPart part>
__device__ __forceinline__ void make_row(const Line<P>& up, const Line<P>& centre,
                                         const Line<P>& down, Line<P>& next,
                                         const typename P::T* arguments, const Place<P>& at) {
  Around<P> around;
  gather<P, Level, part>(around, up, centre, down, at);
  make_cells<typename Level::Stage, typename P::T>([&](auto&& divide) {
#pragma unroll
    for (int j = 0; j < P::sizes.columns(); ++j) {
      typename P::T results[Level::Stage::targets];
      Level::Stage::make(StreamCell<P, Level>{around, at.pass.grid, at.row, at.column, j},
                         arguments, results, divide);
      put<P, Level>(next, results, centre, j);
    }
  });
}

}  // namespace lapl
