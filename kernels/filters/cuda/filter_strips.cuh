// The filter of a square window of rank 1 with an odd number of rows, without factors of 0.
//
// Each warp goes down its own strip of 32 vectors of columns. It sums each row of the input along
// the window, from a line of shared memory, and adds the sums to those of all outputs that need the
// row:
//
//   row r         sums along row r, of the lane's vector of columns
//                    | * down[a]
//   partial[a]    output row r - a, which contains the sums of rows r - a ... r
//
// The fma that adds to partial[a] of one row stores the result as partial[a + 1] of the next, so
// the window rolls on in registers without a move. The weights are kernel parameters, which fma can
// read directly. Lines are copied asynchronously, some rows ahead.
#pragma once

#include "kernels/filters/cuda/filter_tile.hpp"

namespace lapl {

template <class T, int K>
struct StripPlan {
  TilePlan<T> filter;
  int strips;
  int rows;  // output rows of each warp
  bool output_aligned;
  T down[K], along[K];
};

inline constexpr int strip_warps = 4;  // warps of a block
inline constexpr int strip_lines = 4;  // lines of a warp, a power of two

/// Extra values at the beginning of a line, so that it starts at a multiple of 16 bytes of the
/// input if the window is centred.
template <class T, int K>
inline constexpr int strip_lead = (vector_size<T> - (K - 1) / 2 % vector_size<T>) % vector_size<T>;

#ifdef __CUDACC__

template <int bytes>
__device__ __forceinline__ void copy_ahead(void* to, const void* from) {
  const auto place = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if constexpr (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(place), "l"(from), "n"(bytes)
                 : "memory");
}

template <class T, int K>
__global__ void __launch_bounds__(32 * strip_warps)
    filter_strips(const __grid_constant__ StripPlan<T, K> plan, const T* input, T* output) {
  constexpr int V = vector_size<T>, lead = strip_lead<T, K>, width = 32 * V;
  constexpr int lane_vectors = (lead + K + V - 1 + V - 1) / V, line = (31 + lane_vectors) * V;
  __shared__ __align__(16) T all_lines[strip_warps][strip_lines][line];
  __shared__ __align__(16) T all_stages[strip_warps][width];
  __shared__ int all_places[strip_warps][line];
  const TilePlan<T>& filter = plan.filter;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  T(*const lines)[line] = all_lines[warp];
  T* const stage = all_stages[warp];
  int* const places = all_places[warp];
  wait_for_previous_kernel();

  const unsigned item = blockIdx.x * strip_warps + static_cast<unsigned>(warp);
  const unsigned strips = static_cast<unsigned>(plan.strips);
  const int input_rows = static_cast<int>(filter.input.rows);
  const int input_columns = static_cast<int>(filter.input.columns);
  const int output_rows = static_cast<int>(filter.output.rows);
  const int output_columns = static_cast<int>(filter.output.columns);
  const int first_row = static_cast<int>(item / strips) * plan.rows;
  if (first_row >= output_rows) return;
  const int first_column = static_cast<int>(item % strips) * width;
  const int line_row = first_row - static_cast<int>(filter.before_rows);
  const int line_column = first_column - static_cast<int>(filter.before_columns) - lead;
  const int rows = min(plan.rows, output_rows - first_row) + K - 1;
  const bool inside = filter.aligned && line_column % V == 0 && line_column >= 0 &&
                      line_column + line <= input_columns;
  if (!inside) {
    for (int i = lane; i < line; i += 32)
      places[i] = edge_index(filter.edge, line_column + i, input_columns);
    __syncwarp();
  }

  const auto load = [&](int row) {
    T* const to = lines[row % strip_lines];
    const int y = edge_index(filter.edge, line_row + row, input_rows);
    if (y < 0) {
      for (int i = lane; i < line; i += 32) to[i] = filter.constant;
      return;
    }
    const T* const from = input + std::int64_t{y} * input_columns;
    if (inside) {
#pragma unroll
      for (int i = 0; i < line / V; i += 32)
        if (i + lane < line / V)
          copy_ahead<16>(to + (i + lane) * V, from + line_column + (i + lane) * V);
    } else {
      for (int i = lane; i < line; i += 32) {
        const int place = places[i];
        if (place >= 0)
          copy_ahead<sizeof(T)>(to + i, from + place);
        else
          to[i] = filter.constant;
      }
    }
  };
  for (int row = 0; row < strip_lines - 1; ++row) {
    if (row < rows) load(row);
    asm volatile("cp.async.commit_group;" ::: "memory");
  }

  T partial[K - 1][V] = {};
  const int column = first_column + lane * V;
  T* to = output + std::int64_t{first_row} * output_columns;
  for (int row = 0; row < rows; ++row) {
    asm volatile("cp.async.wait_group %0;" ::"n"(strip_lines - 2) : "memory");
    __syncwarp();
    if (row + strip_lines - 1 < rows) load(row + strip_lines - 1);
    asm volatile("cp.async.commit_group;" ::: "memory");

    const T* const values = lines[row % strip_lines] + lane * V;
    T sums[V];
#pragma unroll
    for (int v = 0; v < lane_vectors; ++v) {
      T x[V];
      copy_vectors<V>(values + v * V, x);
#pragma unroll
      for (int k = 0; k < V; ++k)
#pragma unroll
        for (int c = 0; c < V; ++c) {
          const int b = v * V + k - lead - c;
          if (b == 0)
            sums[c] = plan.along[0] * x[k];
          else if (b > 0 && b < K)
            sums[c] = fused_multiply_add(plan.along[b], x[k], sums[c]);
        }
    }
    T done[V];
#pragma unroll
    for (int c = 0; c < V; ++c)
      done[c] = fused_multiply_add(plan.down[K - 1], sums[c], partial[K - 2][c]);
#pragma unroll
    for (int a = K - 2; a > 0; --a)
#pragma unroll
      for (int c = 0; c < V; ++c)
        partial[a][c] = fused_multiply_add(plan.down[a], sums[c], partial[a - 1][c]);
#pragma unroll
    for (int c = 0; c < V; ++c) partial[0][c] = plan.down[0] * sums[c];

    if (row < K - 1) continue;
    if (plan.output_aligned) {
      if (column < output_columns) copy_vectors<V>(done, to + column);
    } else {  // neighbouring lanes write neighbouring values
      copy_vectors<V>(done, stage + lane * V);
      __syncwarp();
#pragma unroll
      for (int i = 0; i < width; i += 32)
        if (first_column + i + lane < output_columns) to[first_column + i + lane] = stage[i + lane];
    }
    to += output_columns;
  }
}

#endif

}  // namespace lapl
