// Tiles of the engine "resident": the arithmetic and the moves of their rows between registers,
// shared memory and device memory; their part of the grid and their shared memory.
#pragma once

#include <cstdint>

#include "kernels/grid/face.hpp"
#include "kernels/stages/diffusion.hpp"

namespace lapl {
namespace {

constexpr int lanes = 32;
constexpr unsigned all_lanes = 0xffffffffu;
constexpr int warps = 16;  // warps of a block
constexpr int width = 4;   // columns of a lane
constexpr int depth = 8;   // columns and rows of the halo; also the steps between two exchanges
constexpr int halo_lanes = depth / width;
constexpr int most_units = lanes - 2 * halo_lanes;  // a unit is the columns of one lane

// 16 bytes that one instruction moves.
template <class T>
struct alignas(16) Chunk {
  static constexpr int count = 16 / sizeof(T);
  T value[count];
};
template <class T>
constexpr int chunks = width / Chunk<T>::count;  // chunks of a lane in one row
constexpr int row_size = lanes * width;          // values of a tile's row

__device__ __forceinline__ void put(float4* to, const Chunk<float>& c) {
  __stcg(to, make_float4(c.value[0], c.value[1], c.value[2], c.value[3]));
}
__device__ __forceinline__ void put(double2* to, const Chunk<double>& c) {
  __stcg(to, make_double2(c.value[0], c.value[1]));
}
__device__ __forceinline__ Chunk<float> get(const float4* from) {
  const float4 q = __ldcg(from);
  return {{q.x, q.y, q.z, q.w}};
}
__device__ __forceinline__ Chunk<double> get(const double2* from) {
  const double2 q = __ldcg(from);
  return {{q.x, q.y}};
}
template <class T>
struct VectorOf;
template <>
struct VectorOf<float> {
  using type = float4;
};
template <>
struct VectorOf<double> {
  using type = double2;
};
template <class T>
using Vector = typename VectorOf<T>::type;

template <class T>
struct Row {
  T value[width];
};

// Stores a lane's row, or only the chunks that have its first `columns` values; `stride` is the
// distance between chunks of the lane, in chunks.
template <class T>
__device__ __forceinline__ void put_row(T* to, const Row<T>& row, int stride, int columns = width) {
#pragma unroll
  for (int i = 0; i < chunks<T>; ++i) {
    if (i * Chunk<T>::count >= columns) break;
    Chunk<T> c;
#pragma unroll
    for (int j = 0; j < Chunk<T>::count; ++j) c.value[j] = row.value[i * Chunk<T>::count + j];
    put(reinterpret_cast<Vector<T>*>(to) + i * stride, c);
  }
}
template <class T>
__device__ __forceinline__ void get_row(Row<T>& row, const T* from, int stride) {
#pragma unroll
  for (int i = 0; i < chunks<T>; ++i) {
    const Chunk<T> c = get(reinterpret_cast<const Vector<T>*>(from) + i * stride);
#pragma unroll
    for (int j = 0; j < Chunk<T>::count; ++j) row.value[i * Chunk<T>::count + j] = c.value[j];
  }
}

// In shared memory, chunk i of lane l is at i * lanes + l.
template <class T>
__device__ __forceinline__ Row<T> load_shared(const Chunk<T>* from) {
  Row<T> row;
#pragma unroll
  for (int i = 0; i < chunks<T>; ++i) {
    const Vector<T> q = *reinterpret_cast<const Vector<T>*>(from + i * lanes);
    row.value[i * Chunk<T>::count] = q.x;
    row.value[i * Chunk<T>::count + 1] = q.y;
    if constexpr (sizeof(T) == 4) {
      row.value[i * 4 + 2] = q.z;
      row.value[i * 4 + 3] = q.w;
    }
  }
  return row;
}
template <class T>
__device__ __forceinline__ void store_shared(Chunk<T>* to, const Row<T>& row) {
#pragma unroll
  for (int i = 0; i < chunks<T>; ++i) {
    Vector<T> q;
    q.x = row.value[i * Chunk<T>::count];
    q.y = row.value[i * Chunk<T>::count + 1];
    if constexpr (sizeof(T) == 4) {
      q.z = row.value[i * 4 + 2];
      q.w = row.value[i * 4 + 3];
    }
    *reinterpret_cast<Vector<T>*>(to + i * lanes) = q;
  }
}

template <template <class> class Stage, class T>
__device__ __forceinline__ Row<T> vertical_part(const Row<T>& up, const Row<T>& down) {
  Row<T> result;
#pragma unroll
  for (int j = 0; j < width; ++j) result.value[j] = Stage<T>::vertical(up.value[j], down.value[j]);
  return result;
}

// The values to the left and right of a lane's columns.
template <class T>
struct Sides {
  T before, after;
};
template <class T>
__device__ __forceinline__ Sides<T> row_sides(const Row<T>& row) {
  return {__shfl_up_sync(all_lanes, row.value[width - 1], 1),
          __shfl_down_sync(all_lanes, row.value[0], 1)};
}
// Steps a row in place; `vertical` is vertical_part() of the rows above and below.
template <template <class> class Stage, class T>
__device__ __forceinline__ void step_row(Row<T>& row, const Row<T>& vertical, Sides<T> sides,
                                         const Stage<T> (&stage)[width]) {
  const auto [before, after] = sides;
  T difference[width];
#pragma unroll
  for (int j = 0; j < width; ++j)
    difference[j] =
        Stage<T>::difference(j == 0 ? before : row.value[j == 0 ? 0 : j - 1],
                             j == width - 1 ? after : row.value[j == width - 1 ? j : j + 1],
                             vertical.value[j], row.value[j]);
#pragma unroll
  for (int j = 0; j < width; ++j) row.value[j] = stage[j].update(row.value[j], difference[j]);
}

__device__ __forceinline__ unsigned load_acquire(const unsigned* from) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}
__device__ __forceinline__ void store_release(unsigned* to, unsigned value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}
__device__ __forceinline__ bool reached(unsigned value, unsigned goal) {
  return static_cast<int>(value - goal) >= 0;
}
__device__ __forceinline__ bool bit(unsigned mask, int i) { return (mask >> i & 1) != 0; }

__device__ __forceinline__ unsigned masked(unsigned bits, unsigned sign) {
  return (sign & 2) != 0 ? 0u : bits ^ (sign << 31);
}
__device__ __forceinline__ float signed_value(float value, unsigned sign) {
  return __uint_as_float(masked(__float_as_uint(value), sign));
}
__device__ __forceinline__ double signed_value(double value, unsigned sign) {
  return __hiloint2double(
      static_cast<int>(masked(static_cast<unsigned>(__double2hiint(value)), sign)),
      (sign & 2) != 0 ? 0 : __double2loint(value));
}

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
  int units;                // ceil(columns / width)
  int first_steps, epochs;  // steps before the first exchange; number of exchanges + 1
  unsigned published;       // value of all flags at the launch
};

__device__ Place extension(AxisExtension axis, int index, int size) {
  const auto [from, ghost, negated] = extended(axis, index, size);
  return {from, ghost ? 2u : negated ? 1u : 0u};
}

// True for columns beyond an odd face, which a stage with the coefficient 0 keeps at 0.
__device__ bool is_imposed(AxisExtension axis, int column, int columns) {
  return (axis.first == Extension::odd && column < 0) ||
         (axis.last == Extension::odd && column >= columns);
}
__device__ Place column_place(AxisExtension axis, int column, int columns) {
  if (is_imposed(axis, column, columns)) return {column < 0 ? 0 : columns - 1, 2};
  return extension(axis, column, columns);
}

// The most polls of one flag, about ten minutes; only a bug waits longer. (Analysis tools slow a
// wait to minutes.)
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
