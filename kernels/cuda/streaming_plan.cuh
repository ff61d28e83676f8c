// What engine "streaming" puts into the pipeline of kernels/cuda/run_time/stream.cuh: the level of
// diffusion, and the extended grid. kernels/cuda/streaming.cu explains both.
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
  int steps;  // of the pass
};

// The sizes that measured best. Two warps to a block: more would hand rows on in a chain.
// `shortened`: levels from grid.steps on pass their rows on unchanged.
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
  // An extended grid is like one that wraps: its levels impose no law.
  static constexpr bool in_time = false, wraps_rows = true, wraps_columns = true,
                        mirrors_rows = false, shortened = is_shortened;
  template <int>
  using Level = DiffusionLevel<T>;
  static __device__ constexpr int first_argument(int) { return 0; }
  static __device__ constexpr GhostKind ghost_kind(int, int) { return GhostKind::any; }
};

// The extended columns beside the grid, for every row of the grid: those from -halo to -1, then
// those from the last 16 bytes that are not all inside the grid to halo columns past them.
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

// Makes mirrored rows those of the odd extension: negated, and the ghost row 0.
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

// Beyond this grid its extension stands: columns in the apron, rows where they mirror.
template <class T, bool shortened>
struct Source<DiffusionPlan<T, shortened>> {
  using P = DiffusionPlan<T, shortened>;
  struct Place {
    const T* at;
    GridIndex pitch;
  };
  static __device__ __forceinline__ Place place(const T* from, const Pass<P>& pass,
                                                GridIndex column) {
    using Apron = lapl::Apron<T>;
    const GridIndex columns = pass.grid.columns;
    if (column >= 0 && column + Apron::count <= columns) return {from + column, pass.grid.pitch};
    const GridIndex beyond = min(column - Apron::right(columns), GridIndex{Apron::halo});
    return {pass.grid.apron + Apron::halo + (column < 0 ? column : beyond), Apron::pitch};
  }
  static __device__ __forceinline__ GridIndex row(const Pass<P>& pass, GridIndex row) {
    return extended(pass.grid.extensions.rows, row, pass.grid.rows).index;
  }
  static __device__ __forceinline__ void finish(RowInMemory<P>* rows, const Pass<P>& pass,
                                                GridIndex row) {
    const AxisExtension axis = pass.grid.extensions.rows;
    if (axis.first == Extension::odd || axis.last == Extension::odd)
      extend_oddly<P>(rows, axis, pass.grid.rows, row);
  }
};

}  // namespace lapl
