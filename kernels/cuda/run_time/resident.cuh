// Many steps of a problem on one or two axes in one launch: the grid stays in the shared memory of
// the chip.
//
//   <halo><- a tile: one block ->         Every array of the stages is in shared memory, twice if a
//   +----+-----------------------+----+   stage computes it while it reads neighbouring cells.
//   |    |  32 x `cells` | ...   |    |   A stage is computed in the tile and in the part of the
//   |    |  a warp at a  |       |    |   halo that later stages read; a barrier follows. `depth`
//   |    |  time         |       |    |   steps use up the halo: the block publishes its rim in
//   +----+-----------------------+----+   an image of the fields in device memory, raises its flag,
//                                         waits for its neighbours' flags, and reads their rims.
//
// Two images in turn are enough: a tile publishes for the third time only after its neighbours have
// published the second time, and so have read the first image. Flags count publications and are
// never reset. All blocks must run at the same time, which a cooperative launch ensures or refuses.
// Waiting is bounded, so that a bug ends in a launch error and not in a hang.
//
// Faces. At periodic faces halos wrap. For all other conditions the ghosts are written into the
// halo after each stage.
//
//   Plan   T, fields, arrays, stages, cells, rows, columns, depth, wraps_rows, wraps_columns:
//          constants; copies(array), place(array): copies and first place in shared memory;
//          given(array): true for fields and coefficients; Stage<i> (see tile.cuh), target(i, k),
//          first_argument(i); row_margin(i), column_margin(i): cells beyond the tile in which stage
//          i is computed in the last step; for i = stages, the cells of halo that a step uses up
#pragma once

#include "kernels/cuda/run_time/levels.cuh"

namespace lapl {

template <class P>
struct ResidentPass {
  using T = typename P::T;
  const ResidentGrid<T>& grid;
  // of each field and coefficient: its distance from the first field in values
  const GridIndex* sources;
  const T* arguments;
  const GhostCondition<T>* conditions;
};

struct TileSpan {
  int begin, end;
};

template <class P>
struct ResidentTile {
  using T = typename P::T;
  static constexpr int row_halo = P::depth * P::row_margin(P::stages);
  static constexpr int column_halo = P::depth * P::column_margin(P::stages);
  static constexpr int pitch = P::columns + 2 * column_halo;

  int first_row, first_column, rows, columns;
  bool at_face;  // true if the tile or its halo touches a face of the grid
  T* memory;
  int now[P::arrays], next[P::arrays];  // index in `memory` of each array, and of its new values

  static constexpr int size = (P::rows + 2 * row_halo) * pitch;  // values of an array

  static __device__ __forceinline__ int at(int row, int column) {
    return (row + row_halo) * pitch + column + column_halo;
  }
  __device__ __forceinline__ TileSpan rows_with(int halo, const ResidentGrid<T>& grid) const {
    return extent<P::wraps_rows>(first_row, rows, halo, grid.rows);
  }
  __device__ __forceinline__ TileSpan columns_with(int halo, const ResidentGrid<T>& grid) const {
    return extent<P::wraps_columns>(first_column, columns, halo, grid.columns);
  }

 private:
  template <bool wraps>
  static __device__ __forceinline__ TileSpan extent(int first, int count, int halo, int size) {
    return {wraps ? -halo : max(-halo, -first),
            wraps ? count + halo : min(count + halo, size - first)};
  }
};

template <class P>
struct ResidentCell {
  using T = typename P::T;
  const ResidentTile<P>& tile;
  const ResidentGrid<T>& grid;
  int row, column;  // within the tile

  template <int array, int plane, int beside_row, int beside_column>
  __device__ __forceinline__ T value() const {
    return tile.memory[tile.now[array] + tile.at(row, column) +
                       beside_row * ResidentTile<P>::pitch + beside_column];
  }
  // The coordinate of the node; beyond a periodic face, that of its periodic image.
  template <int axis, int offset>
  __device__ __forceinline__ T position() const {
    constexpr bool wraps = axis == 1 ? P::wraps_rows : P::wraps_columns;
    const int size = axis == 1 ? grid.rows : grid.columns;
    int index = axis == 1 ? tile.first_row + row : tile.first_column + column;
    if (wraps) index = index < 0 ? index + size : index >= size ? index - size : index;
    return __ldg(grid.positions[axis - 1] + index + offset);
  }
};

// Writes the ghosts of an array beyond the computed cells of a tile and its halo, at grid faces.
template <class P>
__device__ __forceinline__ void lay_ghosts(const ResidentTile<P>& tile, const ResidentPass<P>& pass,
                                           int array, TileSpan rows, TileSpan columns) {
  using T = typename P::T;
  const GhostCondition<T>* const conditions = pass.conditions + array * sides;
  T* const values = tile.memory + tile.now[array];
  const int down = rows.end - rows.begin, along = columns.end - columns.begin + 2;
  for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < 2 * (down + along);
       i += blockDim.x * blockDim.y) {
    const bool beside = i < 2 * down, last = (beside ? i : i - 2 * down) >= (beside ? down : along);
    const int place = i - (beside ? 0 : 2 * down) - (last ? beside ? down : along : 0);
    const int row = beside ? rows.begin + place : last ? rows.end : rows.begin - 1;
    const int column = !beside ? columns.begin - 1 + place : last ? columns.end : columns.begin - 1;
    const int grid_row = tile.first_row + row, grid_column = tile.first_column + column;
    const bool over_row = !P::wraps_rows && (grid_row < 0 || grid_row == pass.grid.rows);
    const bool over_column =
        !P::wraps_columns && (grid_column < 0 || grid_column == pass.grid.columns);
    const bool held = row >= -tile.row_halo && row < tile.rows + tile.row_halo &&
                      column >= -tile.column_halo && column < tile.columns + tile.column_halo;
    if (!held || !(beside ? over_column : over_row)) continue;
    T value = values[tile.at(over_row ? row < 0 ? row + 1 : row - 1 : row,
                             over_column ? column < 0 ? column + 1 : column - 1 : column)];
    const auto ghost = [&](int side) {
      value = ghost_value(conditions[side].a, conditions[side].b, value);
    };
    if (over_column) ghost(column < 0 ? first_column : last_column);
    if (over_row) ghost(row < 0 ? first_row : last_row);
    values[tile.at(row, column)] = value;
  }
}

// Computes stage i in the tile and in `rows` and `columns` of its halo, inside the grid.
template <class P, int i>
__device__ __forceinline__ void make_stage(ResidentTile<P>& tile, const ResidentPass<P>& pass,
                                           int rows, int columns) {
  using T = typename P::T;
  using Stage = typename P::template Stage<i>;
  constexpr int lanes = 32, cells = P::cells;
  const ResidentGrid<T>& grid = pass.grid;
  const T* const arguments = pass.arguments + P::first_argument(i);
  const TileSpan down = tile.rows_with(rows, grid), along = tile.columns_with(columns, grid);
  const int across = (along.end - along.begin + lanes - 1) / lanes;
  const int pieces = (down.end - down.begin + cells - 1) / cells * across;
  for (int piece = threadIdx.y; piece < pieces; piece += blockDim.y) {
    const int row = down.begin + piece / across * cells;
    const int column = along.begin + piece % across * lanes + threadIdx.x;
    // Other threads may be writing the cells beyond the end, so they are not read.
    const int nearest = min(column, along.end - 1);
    T results[cells][Stage::targets];
    make_cells<Stage, T>([&](auto&& divide) {
#pragma unroll
      for (int r = 0; r < cells; ++r)
        Stage::make(ResidentCell<P>{tile, grid, min(row + r, down.end - 1), nearest}, arguments,
                    results[r], divide);
    });
    if (column >= along.end) continue;
#pragma unroll
    for (int r = 0; r < cells; ++r)
      if (row + r < down.end)
#pragma unroll
        for (int k = 0; k < Stage::targets; ++k)
          tile.memory[tile.next[P::target(i, k)] + tile.at(row + r, column)] = results[r][k];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < Stage::targets; ++k) {
    const int array = P::target(i, k), now = tile.now[array];
    tile.now[array] = tile.next[array];
    tile.next[array] = now;
  }
  if (tile.at_face) {
#pragma unroll
    for (int k = 0; k < Stage::targets; ++k) lay_ghosts(tile, pass, P::target(i, k), down, along);
    __syncthreads();
  }
}

// Runs a step that is followed by `steps_after` more until the next exchange.
template <class P, int i = 0>
__device__ __forceinline__ void make_step(ResidentTile<P>& tile, const ResidentPass<P>& pass,
                                          int steps_after) {
  if constexpr (i < P::stages) {
    make_stage<P, i>(tile, pass, P::row_margin(i) + steps_after * P::row_margin(P::stages),
                     P::column_margin(i) + steps_after * P::column_margin(P::stages));
    make_step<P, i + 1>(tile, pass, steps_after);
  }
}

// Visits each cell of the frame inside the edges of a box of `rows` x `columns` at least once; the
// frame is `thick_rows` and `thick_columns` thick.
template <class Visit>
__device__ __forceinline__ void for_frame(int rows, int columns, int thick_rows, int thick_columns,
                                          Visit visit) {
  const int bands = 2 * thick_rows * columns, sides = 2 * thick_columns;
  for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < bands + rows * sides;
       i += blockDim.x * blockDim.y) {
    int row = i < bands ? i / columns : (i - bands) / sides;
    int column = i < bands ? i % columns : (i - bands) % sides;
    if (i < bands)
      row = row < thick_rows ? row : rows - 1 - (row - thick_rows);
    else
      column = column < thick_columns ? column : columns - 1 - (column - thick_columns);
    if (row >= 0 && row < rows && column >= 0 && column < columns) visit(row, column);
  }
}

// Calls read(index in a field, index in the tile) for the cell (row, column), counted from the
// corner of the tile's halo, if it is inside the grid.
template <class P, class Read>
__device__ __forceinline__ void compute_cell(const ResidentTile<P>& tile,
                                             const ResidentGrid<typename P::T>& grid, int row,
                                             int column, Read read) {
  const auto place = [](bool wraps, int index, int size) {
    return !wraps ? index : index < 0 ? index + size : index >= size ? index - size : index;
  };
  const int r = row - tile.row_halo, c = column - tile.column_halo;
  const int grid_row = place(P::wraps_rows, tile.first_row + r, grid.rows);
  const int grid_column = place(P::wraps_columns, tile.first_column + c, grid.columns);
  if (grid_row < 0 || grid_row >= grid.rows || grid_column < 0 || grid_column >= grid.columns)
    return;
  read(grid_row * grid.pitch + grid_column, tile.at(r, c));
}

// Publishes the rim of the tile (cells that neighbours need) and reads the neighbours' rims into
// its halo. `published` counts the publications before this one.
template <class P>
__device__ __forceinline__ void exchange(ResidentTile<P>& tile,
                                         const ResidentGrid<typename P::T>& grid,
                                         unsigned published) {
  using T = typename P::T;
  T* const image = grid.images[published & 1];
  for_frame(tile.rows, tile.columns, tile.row_halo, tile.column_halo, [&](int row, int column) {
    const GridIndex index = (tile.first_row + row) * grid.pitch + tile.first_column + column;
#pragma unroll
    for (int field = 0; field < P::fields; ++field)
      image[field * grid.field_stride + index] =
          tile.memory[tile.now[field] + tile.at(row, column)];
  });
  __syncthreads();
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  if (thread == 0) {
    __threadfence();
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(grid.flags + blockIdx.x),
                 "r"(published + 1)
                 : "memory");
  }
  if (thread < 9) {
    const auto beside = [](int index, int count, bool wraps) {
      return !wraps ? index : index < 0 ? count - 1 : index == count ? 0 : index;
    };
    const int down = grid.tiles_down, across = grid.tiles_across;
    const int row =
        beside(static_cast<int>(blockIdx.x) / across + thread / 3 - 1, down, P::wraps_rows);
    const int column =
        beside(static_cast<int>(blockIdx.x) % across + thread % 3 - 1, across, P::wraps_columns);
    if (row >= 0 && row < down && column >= 0 && column < across) {
      unsigned seen = 0, tries = 0;
      do {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                     : "=r"(seen)
                     : "l"(grid.flags + row * across + column)
                     : "memory");
        if (++tries == 1u << 28) __trap();
      } while (static_cast<int>(seen - (published + 1)) < 0);
    }
  }
  __syncthreads();
  for_frame(tile.rows + 2 * tile.row_halo, tile.columns + 2 * tile.column_halo, tile.row_halo,
            tile.column_halo, [&](int row, int column) {
              compute_cell(tile, grid, row, column, [&](GridIndex from, int to) {
#pragma unroll
                for (int field = 0; field < P::fields; ++field)
                  tile.memory[tile.now[field] + to] =
                      __ldcg(image + field * grid.field_stride + from);
              });
            });
  __syncthreads();
}

// Writes the ghosts of every array for which `of` is true, around the whole tile and halo.
template <class P>
__device__ __forceinline__ void lay_all_ghosts(const ResidentTile<P>& tile,
                                               const ResidentPass<P>& pass, bool (*of)(int)) {
  if (!tile.at_face) return;
#pragma unroll
  for (int array = 0; array < P::arrays; ++array)
    if (of(array))
      lay_ghosts(tile, pass, array, tile.rows_with(tile.row_halo, pass.grid),
                 tile.columns_with(tile.column_halo, pass.grid));
  __syncthreads();
}

template <class P>
__device__ __forceinline__ void stay_resident(const typename P::T* from, typename P::T* to,
                                              const ResidentPass<P>& pass) {
  using T = typename P::T;
  extern __shared__ __align__(16) unsigned char memory[];
  const ResidentGrid<T>& grid = pass.grid;
  const int down = grid.tiles_down, across = grid.tiles_across;
  const auto begin = [](int tile, int tiles, int size) {
    return static_cast<int>(GridIndex{tile} * size / tiles);
  };
  const int tile_row = static_cast<int>(blockIdx.x) / across;
  const int tile_column = static_cast<int>(blockIdx.x) % across;
  ResidentTile<P> tile;
  tile.memory = reinterpret_cast<T*>(memory);
  tile.first_row = begin(tile_row, down, grid.rows);
  tile.first_column = begin(tile_column, across, grid.columns);
  tile.rows = begin(tile_row + 1, down, grid.rows) - tile.first_row;
  tile.columns = begin(tile_column + 1, across, grid.columns) - tile.first_column;
  const auto ends = [](TileSpan of, int count, int halo) {
    return of.begin > -halo || of.end < count + halo;
  };
  tile.at_face = ends(tile.rows_with(tile.row_halo, grid), tile.rows, tile.row_halo) ||
                 ends(tile.columns_with(tile.column_halo, grid), tile.columns, tile.column_halo);
#pragma unroll
  for (int array = 0; array < P::arrays; ++array) {
    tile.now[array] = P::place(array) * tile.size;
    tile.next[array] = tile.now[array] + (P::copies(array) - 1) * tile.size;
  }
  const int rows = tile.rows + 2 * tile.row_halo, columns = tile.columns + 2 * tile.column_halo;
  for (int row = threadIdx.y; row < rows; row += blockDim.y)
    for (int column = threadIdx.x; column < columns; column += blockDim.x)
      compute_cell(tile, grid, row, column, [&](GridIndex index, int place) {
#pragma unroll
        for (int array = 0; array < P::arrays; ++array)
          if (P::given(array))
            tile.memory[tile.now[array] + place] = __ldg(from + pass.sources[array] + index);
      });
  __syncthreads();
  lay_all_ghosts(tile, pass, P::given);

  unsigned published = grid.published;
  for (int steps_left = grid.steps; steps_left > 0;) {
    const int steps = (steps_left - 1) % P::depth + 1;
    for (int step = 0; step < steps; ++step) make_step<P>(tile, pass, steps - 1 - step);
    steps_left -= steps;
    if (steps_left == 0) break;
    exchange<P>(tile, grid, published++);
    lay_all_ghosts(tile, pass, [](int array) { return array < P::fields; });
  }
  for (int row = threadIdx.y; row < tile.rows; row += blockDim.y)
    for (int column = threadIdx.x; column < tile.columns; column += blockDim.x)
#pragma unroll
      for (int field = 0; field < P::fields; ++field)
        to[field * grid.field_stride + (tile.first_row + row) * grid.pitch + tile.first_column +
           column] = tile.memory[tile.now[field] + tile.at(row, column)];
}

}  // namespace lapl
