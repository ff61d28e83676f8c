// Many steps of a problem on three axes in one launch: tiles of the planes walk along the slowest
// axis.
//
//   a tile: 32 lanes x 16 bytes of columns, `rows` rows per warp, 8 warps below each other
//   plane in ---> level 0 ---> level 1 ... ---> plane out, after `levels` levels
//
// A level is a stage of a step. It holds three planes of every array in registers, in each lane its
// own cells; planes enter through a ring in shared memory. In a plane step levels go from first to
// last. Each uses the plane that the level before it has just computed, which replaces its oldest
// plane, so that after three plane steps (a turn) each plane is in its old registers and nothing is
// copied. Neighbours along columns come by shuffle. Neighbours along rows come from the lane's own
// registers; the outer rows of a warp come from `edges` in shared memory, written a plane step
// earlier, with one barrier per plane step. Tiles overlap by twice the halo, and the chunks of
// planes that different blocks compute overlap by twice the levels; both overlaps are computed
// twice. Halos of columns are whole sectors of 32 bytes. All blocks work on the same planes at
// about the same time, so halos are found in the L2 cache.
//
// Faces. Loads wrap at periodic faces. Each level imposes all other conditions: for planes by a
// copy of the code (`ends`) that runs only in turns with the grid's first or last plane as a
// centre; for rows and columns in the outermost warps and lanes, since tiles end at the ends of the
// grid. In inner tiles those are in the halo.
//
//   Plan   T, sizes, fields, stages, arrays, arguments, in_time, wraps_planes, wraps_rows,
//          wraps_columns, beyond (as in stream.cuh): constants; ghost_kind(array, side),
//          first_argument(stage); Level<stage> as in stream.cuh, but with reads(slot, line,
//          column), where line is a VolumeLine
#pragma once

#include "kernels/cuda/run_time/volume_plane.cuh"

namespace lapl {

/// Three planes of each level, in registers.
template <class P>
struct Planes {
  PlaneCells<P> of[P::sizes.levels][VolumeSizes::turn_planes];
};

template <class P>
__device__ __forceinline__ void leave_row(LaneRow<P> row, const PlaneCells<P>& plane, int r) {
#pragma unroll
  for (int slot = 0; slot < P::sizes.slots; ++slot)
#pragma unroll
    for (int j = 0; j < P::sizes.count(); ++j) row.of(slot).value[j] = plane.cells[slot][r][j];
}
// Writes the ghosts beyond row r of the arrays that a level reads.
template <class P, class Level, int side, int slot = 0>
__device__ __forceinline__ void leave_ghosts(LaneRow<P> row, const PlaneCells<P>& plane, int r,
                                             const GhostCondition<typename P::T>* conditions) {
  if constexpr (slot < Level::in) {
#pragma unroll
    for (int j = 0; j < P::sizes.count(); ++j)
      row.of(slot).value[j] =
          ghost<P, Level::slot_array(slot), side>(conditions, plane.cells[slot][r][j]);
    leave_ghosts<P, Level, side, slot + 1>(row, plane, r, conditions);
  }
}

/// The places of a lane's cells in shared memory.
template <class P>
struct LanePlaces {
  LaneRow<P> loaded;  // the warp's first row of the first plane in the ring
  LaneRow<P> edges;   // last row of the warp above, in the first level and plane step
  int current = 0;    // rows from `loaded` to the plane that enters
  int centre = ring_rows - plane_rows;  // rows from `loaded` to the previous plane, the centre
  int now = 0;                          // rows from `edges` to the edges of this plane step

  static constexpr int plane_rows = P::sizes.height() + 2, ring_rows = P::sizes.ring * plane_rows;
  static constexpr int level_rows = 2 * (P::sizes.warps + 1);
  static constexpr int step_rows = (P::sizes.levels > 1 ? P::sizes.levels - 1 : 1) * level_rows;

  __device__ __forceinline__ LanePlaces(VolumeShared<P>& shared, int warp)
      : loaded(lane_row<P>(shared.loaded[0][1 + warp * P::sizes.rows])),
        edges(lane_row<P>(shared.edges[0][0][warp][0])) {}
  __device__ __forceinline__ void turn() {
    centre = current;
    current = current == ring_rows - plane_rows ? 0 : current + plane_rows;
    now = step_rows - now;
  }
};

// Computes the levels from k on for plane i of a turn. `moving` is the plane that enters, and
// afterwards the plane that leaves.
template <class P, bool ends, int i, int k = 0>
__device__ __forceinline__ void compute_volume_levels(Planes<P>& planes, PlaneCells<P>& moving,
                                                      const LanePlaces<P>& places,
                                                      const Pass<P>& pass, const TileTurn& turn) {
  constexpr int rows = P::sizes.rows;
  if constexpr (k < P::sizes.levels) {
    constexpr int stage = k % P::stages;
    using Level = typename P::template Level<stage>;
    const int step = P::in_time ? k / P::stages : 0;
    const auto* const conditions = pass.conditions + (P::in_time ? k : 0) * P::arrays * sides;
    // `above` and `below` are the rows next to this warp's rows in the centre plane; `now` is the
    // place for the edge rows of the entering plane.
    const LaneRow<P> level = places.edges.beyond((k - 1) * places.level_rows);
    const LaneRow<P> now = level.beyond(places.now);
    const LaneRow<P> then = level.beyond(places.step_rows - places.now);
    const LaneRow<P> above = k == 0 ? places.loaded.beyond(places.centre - 1) : then;
    const LaneRow<P> below = k == 0 ? places.loaded.beyond(places.centre + rows) : then.beyond(3);
    if constexpr (k > 0) {
      leave_row<P>(now.beyond(1), moving, 0);
      leave_row<P>(now.beyond(2), moving, rows - 1);
    }
    if constexpr (!P::wraps_rows) {
      const LaneRow<P> coming = places.loaded.beyond(places.current);
      if (turn.warp == 0)
        leave_ghosts<P, Level, first_row>(k == 0 ? coming.beyond(-1) : now, moving, 0, conditions);
      if (turn.warp == P::sizes.warps - 1)
        leave_ghosts<P, Level, last_row>(k == 0 ? coming.beyond(rows) : now.beyond(3), moving,
                                         rows - 1, conditions);
    }
    PlaneCells<P>(&mine)[3] = planes.of[k];
    PlaneCells<P> next;
    make_plane<P, Level, ends>(next,
                               {mine[i], mine[(i + 1) % 3], moving, above, below,
                                pass.arguments + step * P::arguments + P::first_argument(stage),
                                conditions, turn.plane + i - k - 1},
                               pass, turn);
    mine[(i + 2) % 3] = moving;
    moving = next;
    compute_volume_levels<P, ends, i, k + 1>(planes, moving, places, pass, turn);
  }
}

/// Copies planes to shared memory, each lane its own cells. Planes beyond the grid are the wrapped
/// planes, or else the outermost plane.
template <class P>
struct PlaneLoader {
  using T = typename P::T;
  static constexpr int rows = P::sizes.rows;

  const char* next;      // this lane's first cells of the next plane
  int plane;             // index of the next plane
  int column;            // of the cells
  int row_offset[rows];  // from `next` to each row of this lane, in bytes
  unsigned target;       // address of the cells in shared memory
  unsigned place = 0;    // bytes from `target` to the next plane

  __device__ __forceinline__ PlaneLoader(const T* from, const VolumeGrid<T>& grid,
                                         const TileTurn& turn, VolumeShared<P>& shared)
      : plane(turn.plane),
        target(shared_address(&shared.loaded[0][1 + turn.warp * rows].cells[0][threadIdx.x])) {
    const auto wrapped = [](bool wraps, int index, int size) {
      return !wraps ? index : index < 0 ? index + size : index >= size ? index - size : index;
    };
    if (P::wraps_planes) plane = (plane % grid.planes + grid.planes) % grid.planes;
    const int row = wrapped(P::wraps_rows, turn.row, grid.rows);
    column = wrapped(P::wraps_columns, turn.column, grid.columns);
#pragma unroll
    for (int r = 0; r < rows; ++r)
      row_offset[r] = (P::wraps_rows && row + r >= grid.rows ? r - grid.rows : r) *
                      static_cast<int>(grid.pitch * sizeof(T));
    next = reinterpret_cast<const char*>(from + max(plane, 0) * grid.plane_stride +
                                         row * grid.pitch + column);
  }

  __device__ __forceinline__ void start(const Pass<P>& pass) {
    const auto& grid = pass.grid;
    constexpr int count = P::sizes.count();
    const bool across =
        P::wraps_columns && P::beyond > 0 && (column % count != 0 || column + count > grid.columns);
#pragma unroll
    for (int array = 0; array < P::template Level<0>::in; ++array) {
      const char* const source = next + pass.sources[array] * static_cast<GridIndex>(sizeof(T));
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        const unsigned to = target + place + r * static_cast<unsigned>(sizeof(TileRow<P>)) +
                            array * static_cast<unsigned>(sizeof(Cells<T>)) * 32;
        if (across)
          copy_across_seam(to, reinterpret_cast<const T*>(source + row_offset[r]),
                           grid.columns - column, grid.columns);
        else
          copy_async(to, source + row_offset[r]);
      }
    }
    end_copy_group();
    ++plane;
    const GridIndex stride = grid.plane_stride * static_cast<GridIndex>(sizeof(T));
    if (P::wraps_planes) {
      const bool over = plane == grid.planes;
      next += over ? stride - grid.planes * stride : stride;
      if (over) plane = 0;
    } else {
      next += plane > 0 && plane < grid.planes ? stride : 0;
    }
    constexpr unsigned plane_bytes = (P::sizes.height() + 2) * sizeof(TileRow<P>);
    place = place == (P::sizes.ring - 1) * plane_bytes ? 0 : place + plane_bytes;
  }
};

/// The part of a tile that is written.
struct TileSegment {
  int row, column;  // the tile's first cell
  int first_row, last_row, first_column, last_column, first_plane, last_plane;  // cells to write
};
template <class P>
__device__ __forceinline__ TileSegment tile_segment(int tile, int first, int last,
                                                    const VolumeGrid<typename P::T>& grid) {
  constexpr int halo_rows = P::sizes.levels, halo_columns = P::sizes.halo_columns();
  constexpr int kept_rows = P::sizes.kept_rows(), kept_columns = P::sizes.kept_columns();
  const int down = tile / grid.tiles_across, along = tile % grid.tiles_across;
  const int row = down * kept_rows, column = along * kept_columns;
  TileSegment segment{.first_plane = first, .last_plane = last};
  if (P::wraps_rows) {
    segment.row = row - halo_rows;
    segment.first_row = row;
    segment.last_row = min(row + kept_rows, grid.rows);
  } else {
    segment.row = min(row, grid.rows - P::sizes.height());
    segment.first_row = down == 0 ? 0 : row + halo_rows;
    segment.last_row = down == grid.tiles_down - 1 ? grid.rows : row + kept_rows + halo_rows;
  }
  if (P::wraps_columns) {
    segment.column = column - halo_columns;
    segment.first_column = column;
    segment.last_column = min(column + kept_columns, grid.columns);
  } else {
    segment.column = min(column, grid.columns - P::sizes.width());
    segment.first_column = along == 0 ? 0 : column + halo_columns;
    segment.last_column =
        along == grid.tiles_across - 1 ? grid.columns : column + kept_columns + halo_columns;
  }
  return segment;
}

template <class P, bool ends, int i = 0>
__device__ __forceinline__ void compute_planes(Planes<P>& planes, LanePlaces<P>& places,
                                               PlaneLoader<P>& loader, typename P::T*& target,
                                               unsigned keeps, const TileSegment& segment,
                                               const Pass<P>& pass, const TileTurn& turn) {
  if constexpr (i < VolumeSizes::turn_planes) {
    constexpr int rows = P::sizes.rows, count = P::sizes.count();
    loader.start(pass);
    wait_but_for<VolumeSizes::ahead>();
    PlaneCells<P> moving;
#pragma unroll
    for (int array = 0; array < P::template Level<0>::in; ++array)
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        const auto cells = places.loaded.beyond(places.current + r).of(array);
#pragma unroll
        for (int j = 0; j < count; ++j) moving.cells[array][r][j] = cells.value[j];
      }
    compute_volume_levels<P, ends, i>(planes, moving, places, pass, turn);
    const int out = turn.plane + i - P::sizes.levels;
    if (out >= segment.first_plane && out < segment.last_plane)
#pragma unroll
      for (int r = 0; r < rows; ++r)
        if (keeps >> r & 1)
#pragma unroll
          for (int field = 0; field < P::fields; ++field) {
            Cells<typename P::T> cells;
#pragma unroll
            for (int j = 0; j < count; ++j) cells.value[j] = moving.cells[field][r][j];
            *reinterpret_cast<Cells<typename P::T>*>(
                target + r * static_cast<int>(pass.grid.pitch) + field * pass.grid.field_stride) =
                cells;
          }
    target += pass.grid.plane_stride;
    places.turn();
    __syncthreads();
    compute_planes<P, ends, i + 1>(planes, places, loader, target, keeps, segment, pass, turn);
  }
}

template <class P>
__device__ __forceinline__ void run_tile(const typename P::T* from, typename P::T* to,
                                         const Pass<P>& pass, const TileSegment& segment,
                                         VolumeShared<P>& shared) {
  using T = typename P::T;
  constexpr int rows = P::sizes.rows, count = P::sizes.count(), levels = P::sizes.levels;
  const auto& grid = pass.grid;
  const int warp = __shfl_sync(all_lanes, threadIdx.y, 0);
  TileTurn turn{warp, segment.first_plane - levels, segment.row + warp * rows,
                segment.column + static_cast<int>(threadIdx.x) * count};
  unsigned keeps = 0;
#pragma unroll
  for (int r = 0; r < rows; ++r)
    if (turn.row + r >= segment.first_row && turn.row + r < segment.last_row &&
        turn.column >= segment.first_column && turn.column < segment.last_column)
      keeps |= 1u << r;
  T* target = to + static_cast<GridIndex>(turn.plane - levels) * grid.plane_stride +
              static_cast<GridIndex>(turn.row) * grid.pitch + turn.column;

  Planes<P> planes;
#pragma unroll
  for (int k = 0; k < levels; ++k)
#pragma unroll
    for (int i = 0; i < VolumeSizes::turn_planes; ++i)
#pragma unroll
      for (int slot = 0; slot < P::sizes.slots; ++slot)
#pragma unroll
        for (int r = 0; r < rows; ++r)
#pragma unroll
          for (int j = 0; j < count; ++j) planes.of[k][i].cells[slot][r][j] = T(0);

  PlaneLoader<P> loader(from, grid, turn, shared);
  for (int i = 0; i < VolumeSizes::ahead; ++i) loader.start(pass);
  LanePlaces<P> places(shared, warp);
  const int end = segment.last_plane + levels;
#pragma unroll 1
  for (; turn.plane < end; turn.plane += VolumeSizes::turn_planes) {
    // The code for faces runs only if the grid's first or last plane is the centre plane of a level
    // in this turn.
    const int lowest = turn.plane - levels, highest = turn.plane + VolumeSizes::turn_planes - 2;
    const int last = grid.planes - 1;
    if (!P::wraps_planes && ((lowest <= 0 && highest >= 0) || (lowest <= last && highest >= last)))
      compute_planes<P, true>(planes, places, loader, target, keeps, segment, pass, turn);
    else
      compute_planes<P, false>(planes, places, loader, target, keeps, segment, pass, turn);
  }
  wait_but_for<0>();
  __syncthreads();
}

// Blocks compute some tiles whole, and then the remaining ones in chunks of planes.
template <class P>
__device__ __forceinline__ void walk_volume(const typename P::T* from, typename P::T* to,
                                            const Pass<P>& pass) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto& shared = *reinterpret_cast<VolumeShared<P>*>(memory);
  const auto& grid = pass.grid;
  const int cut = grid.tiles_across * grid.tiles_down - grid.whole;
  const int planes = (grid.planes + grid.chunks - 1) / grid.chunks;
  for (int unit = blockIdx.x; unit < grid.whole + cut * grid.chunks; unit += gridDim.x) {
    const bool whole = unit < grid.whole;
    const int tile = whole ? unit : grid.whole + (unit - grid.whole) % cut;
    const int first = whole ? 0 : (unit - grid.whole) / cut * planes;
    const int last = whole ? grid.planes : min(first + planes, grid.planes);
    if (last > first) run_tile<P>(from, to, pass, tile_segment<P>(tile, first, last, grid), shared);
  }
}

}  // namespace lapl
