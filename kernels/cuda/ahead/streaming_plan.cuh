// Diffusion as a level of the pipeline in kernels/cuda/run_time/stream.cuh, and the extended grid
// that it reads. kernels/cuda/ahead/streaming.cu explains both.
#pragma once

#include "kernels/cuda/run_time/stream.cuh"
#include "kernels/grid/face.hpp"
#include "kernels/stages/diffusion.hpp"

namespace lapl {

template <class T_>
struct DiffusionLevel {
  using T = T_;
  struct Stage {
    static constexpr int targets = 1;
    template <class At>
    static __device__ __forceinline__ void make(const At& at, const T* arguments, T* results) {
      results[0] = DiffusionStage<T>{arguments[0]}(
          at.template value<0, 0, 0, -1>(), at.template value<0, 0, 0, 1>(),
          at.template value<0, 0, -1, 0>(), at.template value<0, 0, 1, 0>(),
          at.template value<0, 0, 0, 0>());
    }
  };
  static constexpr int in = 1, out = 1;
  static __device__ constexpr int slot_of(int) { return 0; }
  static __device__ constexpr int array_of(int) { return 0; }
  static __device__ constexpr int made(int) { return 0; }
  static __device__ constexpr bool reads(int, int row, int column) {
    return row == 1 || column == 1;
  }
};

template <class T>
struct ExtendedGrid : StreamGrid<T, GridIndex> {
  Extensions extensions;
  DiffusionStage<T> stage;
  T* apron;
  int steps;  // number of steps of the pass
};

// The fastest sizes as measured. With more than two warps, each warp would wait for a chain of
// others. In a shortened plan, levels from grid.steps on pass their rows on unchanged.
template <class T_, bool is_shortened>
struct DiffusionPlan {
  using T = T_;
  using Grid = ExtendedGrid<T>;
  static constexpr StreamSizes sizes{.value_bytes = sizeof(T),
                                     .slots = 1,
                                     .chunks = 2,
                                     .levels = 6,
                                     .warps = 2,
                                     .lagged = true,
                                     .staged = true};
  static constexpr int fields = 1, stages = 1, arrays = 1, arguments = 1;
  // An extended grid behaves like a periodic one: its levels impose no law at a face.
  static constexpr bool in_time = false, wraps_rows = true, wraps_columns = true,
                        mirrors_rows = false, shortened = is_shortened;
  template <int>
  using Level = DiffusionLevel<T>;
  static __device__ constexpr int first_argument(int) { return 0; }
  static __device__ constexpr GhostKind ghost_kind(int, int) { return GhostKind::any; }
};

// The layout of the array of extended columns, one row per grid row: columns -halo to -1; then
// columns right() to right() + halo + count - 1, where right() is the last multiple of 16 bytes.
template <class T>
struct Apron {
  static constexpr int count = Cells<T>::count, halo = DiffusionPlan<T, false>::sizes.halo();
  static constexpr int pitch = 2 * halo + count;
  static __device__ __forceinline__ GridIndex right(GridIndex columns) {
    return columns / count * count;
  }
};
template <class T>
__global__ void fill_apron(const T* __restrict__ from,
                           const __grid_constant__ ExtendedGrid<T> grid) {
  using Apron = lapl::Apron<T>;
  const GridIndex index = GridIndex{blockIdx.x} * blockDim.x + threadIdx.x;
  const GridIndex row = index / Apron::pitch;
  if (row >= grid.rows) return;
  const int place = static_cast<int>(index - row * Apron::pitch);
  const GridIndex column =
      (place < Apron::halo ? 0 : Apron::right(grid.columns)) + place - Apron::halo;
  const auto source = extended(grid.extensions.columns, column, grid.columns);
  const T value = source.ghost ? T(0) : from[row * grid.pitch + source.index];
  grid.apron[index] = source.negated ? T(0) - value : value;
}

// Turns mirrored rows into rows of the odd extension: negates them and sets the ghost row to 0.
template <class P>
__device__ __noinline__ void extend_oddly(RowInMemory<P>* rows, AxisExtension axis,
                                          GridIndex grid_rows, GridIndex row) {
  using T = typename P::T;
#pragma unroll 1
  for (int i = 0; i < StreamSizes::turn_rows; ++i) {
    const auto source = extended(axis, row + i, grid_rows);
    if (!source.ghost && !source.negated) continue;
#pragma unroll
    for (int c = 0; c < P::sizes.chunks; ++c) {
      Cells<T> cells = rows[i].cells[0][c][threadIdx.x];
#pragma unroll
      for (int j = 0; j < Cells<T>::count; ++j)
        cells.value[j] = source.ghost ? T(0) : T(0) - cells.value[j];
      rows[i].cells[0][c][threadIdx.x] = cells;
    }
  }
}

// Copies rows of the extended grid to shared memory, through the L1 cache: on an H200 bypassing it,
// as other loaders do, took 6% longer.
template <class T, bool shortened>
struct Loader<DiffusionPlan<T, shortened>> {
  using P = DiffusionPlan<T, shortened>;
  using Apron = lapl::Apron<T>;
  static constexpr int chunks = P::sizes.chunks, turn_rows = StreamSizes::turn_rows;
  static constexpr int ahead = StreamSizes::ahead, lanes = StreamSizes::lanes;
  static constexpr unsigned row_bytes = sizeof(RowInMemory<P>);

  GridIndex row, end;  // the first row; one past the last needed row
  // the first turn with only needed rows of the grid; the number of such turns
  int first_inside, inside;
  const T* next[chunks];  // this lane's 16 bytes of the next row, before rows are extended
  GridIndex pitch[chunks];
  unsigned target;  // address in shared memory for the rows

  __device__ Loader(const T* from, const Pass<P>& pass, const Segment<P>& segment,
                    Shared<P>& shared)
      : row(segment.first_row - P::sizes.depth()),
        end(segment.last_row + P::sizes.depth()),
        first_inside(row < 0 ? static_cast<int>((turn_rows - 1 - row) / turn_rows) : 0),
        inside(static_cast<int>((min(pass.grid.rows, end) - row) / turn_rows) - first_inside),
        target(shared_address(
            &shared.loaded[0][0].cells[0][threadIdx.x % chunks][threadIdx.x / chunks])) {
    const GridIndex columns = pass.grid.columns, right = Apron::right(columns);
#pragma unroll
    for (int c = 0; c < chunks; ++c) {
      const GridIndex column =
          segment.first_column + (c * lanes + static_cast<int>(threadIdx.x)) * Apron::count;
      const bool in_grid = column >= 0 && column + Apron::count <= columns;
      const GridIndex beyond = column < 0 ? column : min(column - right, GridIndex{Apron::halo});
      pitch[c] = in_grid ? pass.grid.pitch : GridIndex{Apron::pitch};
      next[c] = (in_grid ? from + column : pass.grid.apron + Apron::halo + beyond) + row * pitch[c];
    }
  }
  __device__ __forceinline__ bool is_inside(int turn) const {
    return turn >= first_inside && turn - first_inside < inside;
  }
  __device__ __forceinline__ GridIndex row_of(int turn) const {
    return row + GridIndex{turn} * turn_rows;
  }
  __device__ __forceinline__ void start(int turn, const Pass<P>& pass) {
    const unsigned to = target + turn % (ahead + 1) * (turn_rows * row_bytes);
    if (is_inside(turn)) {
#pragma unroll
      for (int i = 0; i < turn_rows; ++i) copy_row(to + i * row_bytes, 0, true);
    } else {
#pragma unroll 1
      for (int i = 0; i < turn_rows; ++i) {
        const GridIndex at = row_of(turn) + i;
        const GridIndex source = extended(pass.grid.extensions.rows, at, pass.grid.rows).index;
        copy_row(to + i * row_bytes, source - at, at < end);
      }
    }
    end_copy_group();
  }
  __device__ __forceinline__ void copy_row(unsigned to, GridIndex rows_on, bool needed) {
#pragma unroll
    for (int c = 0; c < chunks; ++c) {
      if (needed)
        asm volatile(
            "cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to + c * (lanes / chunks * 16)),
            "l"(next[c] + rows_on * pitch[c])
            : "memory");
      next[c] += pitch[c];
    }
  }
  __device__ __forceinline__ void finish(int turn, const Pass<P>& pass, Shared<P>& shared) {
    wait_but_for<ahead>();
    __syncwarp();
    const AxisExtension axis = pass.grid.extensions.rows;
    if (!is_inside(turn) && (axis.first == Extension::odd || axis.last == Extension::odd))
      extend_oddly<P>(shared.loaded[turn % (ahead + 1)], axis, pass.grid.rows, row_of(turn));
  }
};

}  // namespace lapl
