// Shared by all CUDA filter kernels: a tile of the input with its halo in shared memory.
//
//     before_columns   tile columns   the rest of the window
//          +---+---------------------------+------+
//          |   |                           |      |   before_rows
//          |---+---------------------------+------|
//          |   |  outputs of the block     |      |   tile rows
//          |---+---------------------------+------|
//          |   |                           |      |   the rest of the window
//          +---+---------------------------+------+
//
// Values outside the input are filled in by the edge's rule, so that the sums have no branches.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "kernels/cuda/device/cuda_check.hpp"
#include "kernels/filters/filter.hpp"
#include "kernels/stages/arithmetic.hpp"

namespace lapl {

/// The number of values in 16 bytes, the widest load of a lane.
template <class T>
inline constexpr int vector_size = 16 / static_cast<int>(sizeof(T));

/// A Correlation without its weights, as a kernel's parameter.
template <class T>
struct TilePlan {
  Shape input, output;
  std::int64_t before_rows, before_columns;
  unsigned tiles_across;
  Edge edge;
  T constant;
  bool aligned;  ///< rows of the input start at multiples of 16 bytes; set at each launch
  /// The first sum: -0, which preserves the first product's bits, or 0 if all weights are 0.
  T start;
};

template <class T>
TilePlan<T> filter_plan(const Correlation<T>& correlation, int tile_columns) {
  const bool empty = std::ranges::all_of(correlation.weights, [](T w) { return w == 0; });
  return {correlation.input,
          correlation.output,
          correlation.before_rows,
          correlation.before_columns,
          static_cast<unsigned>((correlation.output.columns + tile_columns - 1) / tile_columns),
          correlation.edge,
          correlation.constant,
          false,
          empty ? T(0) : T(-0.0)};
}

/// The number of blocks, one per tile of the output. Throws DeviceError beyond CUDA's limit.
template <class T>
unsigned tile_count(const TilePlan<T>& plan, int tile_rows) {
  const std::int64_t tiles =
      std::int64_t{plan.tiles_across} * ((plan.output.rows + tile_rows - 1) / tile_rows);
  if (tiles > std::numeric_limits<int>::max())
    throw DeviceError("a filter's output of " + std::to_string(plan.output.rows) + " x " +
                      std::to_string(plan.output.columns) + " values takes " +
                      std::to_string(tiles) + " blocks, more than a CUDA launch may have");
  return static_cast<unsigned>(tiles);
}

/// True if the rows of an array start at multiples of 16 bytes.
template <class T>
bool rows_aligned(const T* array, std::int64_t columns) {
  return columns % vector_size<T> == 0 && reinterpret_cast<std::uintptr_t>(array) % 16 == 0;
}

/// The number of columns by which a tile begins before the window's first, so that it starts at a
/// multiple of 16 bytes.
template <class T>
int lead_columns(const Correlation<T>& correlation) {
  constexpr int V = vector_size<T>;
  if (correlation.input.columns % V != 0) return 0;
  return static_cast<int>(((-correlation.before_columns) % V + V) % V);
}

#ifdef __CUDACC__

/// Copies `size` values, a multiple of 16 bytes, between aligned addresses.
template <int size, class T>
__device__ __forceinline__ void copy_vectors(const T* from, T* to) {
  static_assert(size % vector_size<T> == 0);
#pragma unroll
  for (int i = 0; i < size / vector_size<T>; ++i)
    reinterpret_cast<int4*>(to)[i] = reinterpret_cast<const int4*>(from)[i];
}

/// Must be the first call of a filter kernel, because launch() starts the kernel before the
/// previous one in the stream has finished. Waits for that one, and lets the next kernel start.
__device__ __forceinline__ void wait_for_previous_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Launches a kernel that calls wait_for_previous_kernel().
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), unsigned blocks, int threads, std::size_t shared_bytes,
            cudaStream_t stream, const Arguments&... arguments) {
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = 1;
  LAPL_CUDA(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...));
}

/// The index in the input of the value that the edge's rule gives at (row, column). Not inlined,
/// since it is long and rarely needed.
template <class T>
__device__ __noinline__ std::int64_t outside_index(const TilePlan<T>& plan, std::int64_t row,
                                                   std::int64_t column) {
  return edge_index(plan.edge, row, plan.input.rows) * plan.input.columns +
         edge_index(plan.edge, column, plan.input.columns);
}

/// The places that one of several threads visits, in rows of `width` places: thread t visits places
/// t, t + threads, t + 2 * threads, ..., counted row by row.
struct Walk {
  int row, place, width, step_rows, step_places;
  __device__ __forceinline__ Walk(int thread, int threads, int row_width)
      : row(thread / row_width),
        place(thread % row_width),
        width(row_width),
        step_rows(threads / row_width),
        step_places(threads % row_width) {}
  __device__ __forceinline__ void next() {
    row += step_rows;
    place += step_places;
    if (place < width) return;
    place -= width;
    ++row;
  }
};

/// Copies rows x columns values from (first_row, first_column) on into `tile`. All threads of the
/// block take part, each with several loads before its stores: 16 bytes at a time if rows are
/// aligned (also filling the last 16 bytes of a row), and single values in tiles that reach beyond
/// the input's edge. The threads must synchronise before they read the tile.
template <class T>
__device__ __forceinline__ void load_tile(const TilePlan<T>& plan, const T* input,
                                          std::int64_t first_row, std::int64_t first_column,
                                          int rows, int columns, T* tile, int pitch) {
  constexpr int V = vector_size<T>, ahead = 6, ahead_outside = 8;
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const int row_vectors = (columns + V - 1) / V;
  const bool rows_inside = first_row >= 0 && first_row + rows <= plan.input.rows;
  const T* const corner = input + first_row * plan.input.columns + first_column;
  if (plan.aligned && first_column % V == 0 && rows_inside && first_column >= 0 &&
      first_column + row_vectors * V <= plan.input.columns) {
    Walk at(thread, threads, row_vectors);
    while (at.row < rows) {
      int4 values[ahead];
      Walk to = at;
#pragma unroll
      for (int k = 0; k < ahead; ++k, at.next())
        if (at.row < rows)
          values[k] =
              __ldg(reinterpret_cast<const int4*>(corner + at.row * plan.input.columns) + at.place);
#pragma unroll
      for (int k = 0; k < ahead; ++k, to.next())
        if (to.row < rows) reinterpret_cast<int4*>(tile + to.row * pitch)[to.place] = values[k];
    }
    return;
  }
  Walk at(thread, threads, columns);
  while (at.row < rows) {
    T values[ahead_outside];
    Walk to = at;
#pragma unroll
    for (int k = 0; k < ahead_outside; ++k, at.next()) {
      if (at.row >= rows) continue;
      const std::int64_t y = first_row + at.row, x = first_column + at.place;
      if (static_cast<std::uint64_t>(y) < static_cast<std::uint64_t>(plan.input.rows) &&
          static_cast<std::uint64_t>(x) < static_cast<std::uint64_t>(plan.input.columns))
        values[k] = __ldg(corner + at.row * plan.input.columns + at.place);
      else if (plan.edge == Edge::constant)
        values[k] = plan.constant;
      else
        values[k] = __ldg(input + outside_index(plan, y, x));
    }
#pragma unroll
    for (int k = 0; k < ahead_outside; ++k, to.next())
      if (to.row < rows) tile[to.row * pitch + to.place] = values[k];
  }
}

/// The number of outputs of a lane in sum_along_window().
template <class T>
inline constexpr int lane_outputs = 4 * vector_size<T>;

/// Adds to sums[c] the sum of weights[b] * x[c + b] over b < count, in order of b. load(v, place)
/// reads vector v of the input values x (16 bytes). Weights of 0 add nothing; `weights` is padded
/// with zeros to whole vectors, and one branch tests the weights of a vector.
template <class T, class Load>
__device__ __forceinline__ void sum_along_window(const Load& load, const T* weights, int count,
                                                 T (&sums)[lane_outputs<T>]) {
  constexpr int V = vector_size<T>, C = lane_outputs<T>, slots = C / V + 1;
  T x[slots][V];  // vector v is in x[v % slots]
#pragma unroll
  for (int v = 0; v < C / V; ++v) load(v, x[v]);
  for (int first = 0; first * V < count; first += slots) {
#pragma unroll
    for (int s = 0; s < slots; ++s) {
      const int step = first + s;
      if (step * V >= count) break;
      load(step + C / V, x[(s + C / V) % slots]);
      T w[V], product = 1;
      copy_vectors<V>(weights + step * V, w);
#pragma unroll
      for (int k = 0; k < V; ++k) product *= w[k];
      const auto add = [&](int k) {
#pragma unroll
        for (int c = 0; c < C; ++c)
          sums[c] = fused_multiply_add(w[k], x[(s + (c + k) / V) % slots][(c + k) % V], sums[c]);
      };
      if (product != 0) {
#pragma unroll
        for (int k = 0; k < V; ++k) add(k);
      } else {  // a weight is 0 or the product underflows; slower, with the same sums
#pragma unroll
        for (int k = 0; k < V; ++k)
          if (w[k] != 0) add(k);
      }
    }
  }
}

template <class T>
struct LoadAlong {
  const T* row;
  __device__ __forceinline__ void operator()(int vector, T (&place)[vector_size<T>]) const {
    copy_vectors<vector_size<T>>(row + vector * vector_size<T>, place);
  }
};

/// Distance in values between lanes' rows in a warp's shared memory, for store_outputs().
template <class T>
inline constexpr int stage_pitch = 4 * lane_outputs<T> + vector_size<T>;

/// Writes the outputs of a warp with LY lanes below each other and 32 / LY side by side. They pass
/// through `stage`, 8 * stage_pitch values that belong to the warp, so that neighbouring lanes
/// write neighbouring values.
template <int LY, class T>
__device__ __forceinline__ void store_outputs(const TilePlan<T>& plan,
                                              const T (&sums)[lane_outputs<T>], T* stage,
                                              std::int64_t first_row, std::int64_t first_column,
                                              T* output) {
  constexpr int C = lane_outputs<T>, rows = LY, columns = 32 / LY * C;
  constexpr int pitch = LY == 1 ? columns : stage_pitch<T>;
  static_assert(rows * pitch <= 8 * stage_pitch<T>);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  copy_vectors<C>(sums, stage + lane % LY * pitch + lane / LY * C);
  __syncwarp();
#pragma unroll
  for (int row = 0; row < rows; ++row) {
    if (first_row + row >= plan.output.rows) break;
#pragma unroll
    for (int column = lane; column < columns; column += 32)
      if (first_column + column < plan.output.columns)
        output[(first_row + row) * plan.output.columns + first_column + column] =
            stage[row * pitch + column];
  }
  __syncwarp();
}

/// Writes the block's outputs from shared memory if rows are not aligned. Each warp writes a row,
/// and neighbouring lanes write neighbouring values.
template <class T>
__device__ __forceinline__ void store_tile(const TilePlan<T>& plan, const T* tile, int pitch,
                                           std::int64_t first_row, std::int64_t first_column,
                                           int rows, int columns, T* output) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int warps = static_cast<int>(blockDim.x) / 32;
  for (int row = warp; row < rows && first_row + row < plan.output.rows; row += warps)
    for (int column = lane; column < columns && first_column + column < plan.output.columns;
         column += 32)
      output[(first_row + row) * plan.output.columns + first_column + column] =
          tile[row * pitch + column];
}

#endif

}  // namespace lapl
