// Tiles of the engine "resident": their part of the grid and their shared memory.
#pragma once

#include "kernels/cuda/ahead/resident_rows.cuh"
#include "kernels/grid/face.hpp"

namespace lapl {
namespace {

// The source of a cell's value; the cell may be outside the grid.
struct Place {
  int offset : 30;    // index of the source, in values
  unsigned sign : 2;  // 0: unchanged, 1: negated, 2: zero
};

template <template <class> class Stage, class T>
struct Resident {
  const T* from;
  T* to;
  T* edges;         // two images of all tiles' registers; only the rims are written
  unsigned* flags;  // publications so far, one for each warp of each tile
  int rows, columns, pitch;
  Extensions extensions;
  Stage<T> stage;
  int tiles_across, tiles_down;
  int units;  // ceil(columns / width)
  int first_steps, epochs;
  unsigned published;  // value of all flags at the launch
};

__device__ Place extension(AxisExtension axis, int index, int size) {
  const auto [from, ghost, negated] = extended(axis, index, size);
  return {from, ghost ? 2u : negated ? 1u : 0u};
}

// True for columns beyond an odd face, which a stage of their own keeps at 0.
__device__ bool is_held(AxisExtension axis, int column, int columns) {
  return (axis.first == Extension::odd && column < 0) ||
         (axis.last == Extension::odd && column >= columns);
}
__device__ Place column_place(AxisExtension axis, int column, int columns) {
  if (is_held(axis, column, columns)) return {column < 0 ? 0 : columns - 1, 2};
  return extension(axis, column, columns);
}

// Polls in about ten minutes; only a bug waits longer. (Analysis tools slow a wait to minutes.)
constexpr unsigned most_polls = 1u << 30;

template <class T, int register_rows, int shared_rows>
struct Shared {
  static constexpr int rows = register_rows + shared_rows;
  Chunk<T> first[2][warps][chunks<T> * lanes];
  Chunk<T> last[2][warps][chunks<T> * lanes];
  Chunk<T> middle[shared_rows == 0 ? 1 : warps * shared_rows][chunks<T> * lanes];
  Place row[warps * rows];
  Place column[width][lanes];
  short flag[warps * rows];
};

// The part of the grid that a block steps. A unit is the columns of one lane.
struct TileBounds {
  int x, y;  // column and row of the tile among all tiles
  int row_begin, row_end, unit_begin, unit_end;
  int used_lanes, used_rows;  // halo included
};
template <template <class> class Stage, class T>
__device__ __forceinline__ TileBounds bounds_of_block(const Resident<Stage, T>& grid) {
  const int across = grid.tiles_across, down = grid.tiles_down;
  TileBounds tile;
  tile.x = static_cast<int>(blockIdx.x) % across;
  tile.y = static_cast<int>(blockIdx.x) / across;
  tile.row_begin = static_cast<int>(std::int64_t{grid.rows} * tile.y / down);
  tile.row_end = static_cast<int>(std::int64_t{grid.rows} * (tile.y + 1) / down);
  tile.unit_begin = static_cast<int>(std::int64_t{grid.units} * tile.x / across);
  tile.unit_end = static_cast<int>(std::int64_t{grid.units} * (tile.x + 1) / across);
  tile.used_lanes = tile.unit_end - tile.unit_begin + 2 * halo_lanes;
  tile.used_rows = tile.row_end - tile.row_begin + 2 * depth;
  return tile;
}

}  // namespace
}  // namespace lapl
