// Computes one plane of a level in one lane of a tile (kernels/cuda/run_time/volume.cuh).
#pragma once

#include "kernels/cuda/run_time/levels.cuh"

namespace lapl {

/// The cells of one lane in a plane, for each array.
template <class P>
struct PlaneCells {
  typename P::T cells[P::sizes.slots][P::sizes.rows][P::sizes.count()];
};

/// One row of the tile, for each array.
template <class P>
struct TileRow {
  Cells<typename P::T> cells[P::sizes.slots][VolumeSizes::lanes];
};
/// The shared memory of a block; rows of ghosts lie above and below the tile.
template <class P>
struct VolumeShared {
  TileRow<P> loaded[P::sizes.ring][P::sizes.height() + 2];
  // For each level but the first and each pair of warps: the last row above and the first row
  // below. Two buffers are used in turn.
  TileRow<P> edges[2][P::sizes.levels > 1 ? P::sizes.levels - 1 : 1][P::sizes.warps + 1][2];
};

/// The cells of one lane in a row in shared memory.
template <class P>
struct LaneRow {
  Cells<typename P::T>* cells;

  __device__ __forceinline__ Cells<typename P::T>& of(int slot) const {
    return cells[slot * VolumeSizes::lanes];
  }
  __device__ __forceinline__ LaneRow beyond(int rows) const {
    return {cells + rows * P::sizes.slots * VolumeSizes::lanes};
  }
};
template <class P>
__device__ __forceinline__ LaneRow<P> lane_row(TileRow<P>& row) {
  return {&row.cells[0][threadIdx.x]};
}

// The position of a warp in its tile during a turn.
struct TileTurn {
  int warp;
  int plane;        // the plane that enters
  int row, column;  // this lane's first cell
};

// The lines of cells from which a stage computes a row: the rows before, at and after it in the
// centre plane, then the same row in the planes up and down.
enum VolumeLine : int { before, at_row, after, up, down, volume_lines };

template <class P>
struct VolumeAround {
  typename P::T cells[volume_lines][P::sizes.slots][P::sizes.count() + 2];
};

template <class P, class Level>
struct VolumeCell {
  using T = typename P::T;
  const VolumeAround<P>& around;
  const VolumeGrid<T>& grid;
  int place[3];

  template <int array, int plane, int row, int column>
  __device__ __forceinline__ T value() const {
    static_assert(plane == 0 || row == 0);
    constexpr int line = plane < 0 ? up : plane > 0 ? down : row + at_row;
    return around.cells[line][Level::array_slot(array)][j + 1 + column];
  }
  template <int axis, int offset>
  __device__ __forceinline__ T position() const {
    return __ldg(grid.positions[axis] + place[axis] + offset);
  }
  __device__ __forceinline__ unsigned long long cell() const {
    return __ldg(grid.cells.along[0] + place[0]) + __ldg(grid.cells.along[1] + place[1]) +
           __ldg(grid.cells.along[2] + place[2]);
  }

  int j;
};

// Gathers a line's own cells and, if the stage reads them, the cells on either side. `at_end`: the
// lane has the grid's last column, before `beyond` cells of padding.
template <class P, class Level, bool ends, int slot, int line>
__device__ __forceinline__ void gather_line(VolumeAround<P>& around,
                                            const typename P::T (&from)[P::sizes.count()],
                                            const GhostCondition<typename P::T>* conditions,
                                            bool at_end) {
  constexpr int count = P::sizes.count(), array = Level::slot_array(slot);
  constexpr auto read_at = [](int side) {
    bool any = Level::reads(slot, line, side);
    if (line == at_row)  // the ghosts of the other lines are computed from this one
      for (int other = 0; other < volume_lines; ++other)
        any = any || (Level::reads(slot, other, side) &&
                      (other < up ? !P::wraps_rows : ends && !P::wraps_planes));
    return any;
  };
  typename P::T* const cells = around.cells[line][slot];
#pragma unroll
  for (int j = 0; j < count; ++j) cells[j + 1] = from[j];
  if constexpr (read_at(0)) {
    const auto beside = __shfl_up_sync(all_lanes, from[count - 1], 1);
    cells[0] = P::wraps_columns || threadIdx.x != 0
                   ? beside
                   : ghost<P, array, first_column>(conditions, from[0]);
  }
  if constexpr (read_at(2)) {
    const auto beside = __shfl_down_sync(all_lanes, from[0], 1);
    cells[count + 1] = P::wraps_columns || threadIdx.x != VolumeSizes::lanes - 1
                           ? beside
                           : ghost<P, array, last_column>(conditions, from[count - 1]);
    if constexpr (!P::wraps_columns && P::beyond > 0) {
      constexpr int last = count - P::beyond;
      const auto behind = ghost<P, array, last_column>(conditions, cells[last]);
      cells[last + 1] = at_end ? behind : cells[last + 1];
    }
  }
}

// Replaces a line by ghosts if `outermost`: the whole line if `all`, else only the cells on either
// side.
template <class P, class Level, int slot, int line, int side, bool all>
__device__ __forceinline__ void lay_line(VolumeAround<P>& around,
                                         const GhostCondition<typename P::T>* conditions,
                                         bool outermost) {
  constexpr int count = P::sizes.count(), array = Level::slot_array(slot);
  constexpr bool left = Level::reads(slot, line, 0), right = Level::reads(slot, line, 2);
#pragma unroll
  for (int j = left ? 0 : 1; j <= (right ? count + 1 : count); ++j) {
    const bool beside = j == 0 || j == count + 1 || (P::beyond > 0 && j == count - P::beyond + 1);
    if (!all && !beside) continue;
    typename P::T& cell = around.cells[line][slot][j];
    const auto beyond = ghost<P, array, side>(conditions, around.cells[at_row][slot][j]);
    cell = outermost ? beyond : cell;
  }
}

/// The planes from which a level computes a plane, and its place in the grid.
template <class P>
struct PlaneStep {
  const PlaneCells<P>&up, &centre, &down;
  LaneRow<P> above, below;  // rows next to this warp's rows
  const typename P::T* arguments;
  const GhostCondition<typename P::T>* conditions;
  int plane;  // index of the centre plane
};

template <class P, class Level, bool ends, int r, int slot = 0>
__device__ __forceinline__ void gather_cells(VolumeAround<P>& around, const PlaneStep<P>& step,
                                             const Pass<P>& pass, const TileTurn& turn) {
  using T = typename P::T;
  if constexpr (slot < Level::in) {
    constexpr int rows = P::sizes.rows;
    const bool at_end = turn.column + P::sizes.count() == pass.grid.columns;
    constexpr auto reads = [](int line) {
      return Level::reads(slot, line, 0) || Level::reads(slot, line, 1) ||
             Level::reads(slot, line, 2);
    };
    gather_line<P, Level, ends, slot, at_row>(around, step.centre.cells[slot][r], step.conditions,
                                              at_end);
    if constexpr (reads(before)) {
      if constexpr (r == 0)
        gather_line<P, Level, ends, slot, before>(around, step.above.of(slot).value,
                                                  step.conditions, at_end);
      else
        gather_line<P, Level, ends, slot, before>(around, step.centre.cells[slot][r - 1],
                                                  step.conditions, at_end);
      if constexpr (r == 0 && !P::wraps_rows)
        lay_line<P, Level, slot, before, first_row, false>(around, step.conditions, turn.warp == 0);
    }
    if constexpr (reads(after)) {
      if constexpr (r == rows - 1)
        gather_line<P, Level, ends, slot, after>(around, step.below.of(slot).value, step.conditions,
                                                 at_end);
      else
        gather_line<P, Level, ends, slot, after>(around, step.centre.cells[slot][r + 1],
                                                 step.conditions, at_end);
      if constexpr (r == rows - 1 && !P::wraps_rows)
        lay_line<P, Level, slot, after, last_row, false>(around, step.conditions,
                                                         turn.warp == P::sizes.warps - 1);
    }
    if constexpr (reads(up)) {
      gather_line<P, Level, ends, slot, up>(around, step.up.cells[slot][r], step.conditions,
                                            at_end);
      if constexpr (ends)
        lay_line<P, Level, slot, up, first_plane, true>(around, step.conditions, step.plane == 0);
    }
    if constexpr (reads(down)) {
      gather_line<P, Level, ends, slot, down>(around, step.down.cells[slot][r], step.conditions,
                                              at_end);
      if constexpr (ends)
        lay_line<P, Level, slot, down, last_plane, true>(around, step.conditions,
                                                         step.plane == pass.grid.planes - 1);
    }
    gather_cells<P, Level, ends, r, slot + 1>(around, step, pass, turn);
  }
}

template <class P, class Level, int slot = 0>
__device__ __forceinline__ void put_cell(PlaneCells<P>& next, const typename P::T* results,
                                         const PlaneCells<P>& centre, int r, int j) {
  if constexpr (slot < Level::out) {
    constexpr int made = Level::made(slot);
    if constexpr (made >= 0)
      next.cells[slot][r][j] = results[made];
    else
      next.cells[slot][r][j] = centre.cells[-1 - made][r][j];
    put_cell<P, Level, slot + 1>(next, results, centre, r, j);
  }
}

template <class P, class Level, bool ends, int r = 0>
__device__ __forceinline__ void make_plane(PlaneCells<P>& next, const PlaneStep<P>& step,
                                           const Pass<P>& pass, const TileTurn& turn) {
  if constexpr (r < P::sizes.rows) {
    VolumeAround<P> around;
    gather_cells<P, Level, ends, r>(around, step, pass, turn);
#pragma unroll
    for (int j = 0; j < P::sizes.count(); ++j) {
      typename P::T results[Level::Stage::targets];
      Level::Stage::make(
          VolumeCell<P, Level>{around, pass.grid, {step.plane, turn.row + r, turn.column + j}, j},
          step.arguments, results);
      put_cell<P, Level>(next, results, step.centre, r, j);
    }
    make_plane<P, Level, ends, r + 1>(next, step, pass, turn);
  }
}

}  // namespace lapl
