// The part of the streaming kernels that is the same on two and on three axes. They compute several
// levels in one launch; a level is a stage of a step.
#pragma once

#include "kernels/cuda/run_time/face_conditions.cuh"
#include "kernels/cuda/run_time/stream_sizes.hpp"
#include "kernels/grid/ghost.hpp"

namespace lapl {

// Asynchronous copies from device to shared memory (PTX: cp.async), in groups that each thread ends
// for itself.
__device__ __forceinline__ void end_copy_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
/// Waits until at most the last `groups` groups are unfinished.
template <int groups>
__device__ __forceinline__ void wait_but_for() {
  asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
}

inline constexpr unsigned all_lanes = 0xffffffffu;
enum Side : int { first_plane, last_plane, first_row, last_row, first_column, last_column, sides };

template <class T>
struct alignas(16) Cells {
  static constexpr int count = 16 / sizeof(T);
  T value[count];
};

// The bits of a magnitude grow with it; those of NaN are above those of infinity.
__device__ __forceinline__ unsigned long long bits_of_magnitude(double value) {
  return static_cast<unsigned long long>(__double_as_longlong(value)) & ~0ull >> 1;
}
__device__ __forceinline__ unsigned bits_of_magnitude(float value) {
  return __float_as_uint(value) & ~0u >> 1;
}
__device__ __forceinline__ double magnitude_with(unsigned long long bits) {
  return __longlong_as_double(static_cast<long long>(bits));
}
__device__ __forceinline__ double magnitude_with(unsigned bits) { return __uint_as_float(bits); }
template <class T>
using Magnitude = decltype(bits_of_magnitude(T()));

/// Arguments that are the same for all blocks of a launch.
template <class P>
struct Pass {
  using T = typename P::T;
  const typename P::Grid& grid;
  // for each array that enters level 0, its distance from the first field in values
  const GridIndex* sources;
  const T* arguments;  // those of each stage; if in_time, those of each stage of each step
  // those of each array and face; if in_time, for each level
  const GhostCondition<T>* conditions;
  const FaceTable<T>* tables;  // those of each face along which a condition differs
  // of this thread: the largest error that it stores, if the kernel finds that
  Magnitude<T>* largest = nullptr;
};

/// Called for the cells of the last field from `column` on that a thread stores.
template <class P>
__device__ __forceinline__ void count_errors(const Pass<P>& pass, GridIndex column,
                                             const Cells<typename P::T>& cells) {
  if constexpr (P::finds_error) {
    const auto columns = pass.grid.columns - (P::wraps_columns ? 0 : P::beyond);
#pragma unroll
    for (int j = 0; j < Cells<typename P::T>::count; ++j)
      if (P::beyond == 0 || column + j < columns)
        *pass.largest = max(*pass.largest, bits_of_magnitude(cells.value[j]));
  }
}

/// Joins the largest errors of all threads. The last block stores the result. Ends a kernel.
template <class T>
__device__ __forceinline__ void store_largest(Magnitude<T> largest, const LargestError& result) {
  for (int distance = 16; distance > 0; distance /= 2)
    largest = max(largest, __shfl_xor_sync(all_lanes, largest, distance));
  if (threadIdx.x == 0 && largest != 0) {
    atomicMax(result.bits, bits_of_magnitude(magnitude_with(largest)));
    __threadfence();
  }
  __syncthreads();
  if (threadIdx.x != 0 || threadIdx.y != 0) return;
  __threadfence();
  if (atomicAdd(result.blocks, 1u) + 1 < gridDim.x) return;
  __threadfence();
  *result.blocks = 0;
  const double found = magnitude_with(atomicExch(result.bits, 0ull));
  *static_cast<volatile double*>(result.on_host) = found;
}

__device__ __forceinline__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ void copy_async(unsigned shared, const void* global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global) : "memory");
}

/// Copies 16 bytes value by value: those from the `seam`th on are the first of a row of so many
/// columns.
template <class T>
__device__ __forceinline__ void copy_across_seam(unsigned shared, const T* global, int seam,
                                                 int columns) {
#pragma unroll
  for (int i = 0; i < Cells<T>::count; ++i)
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(
                     shared + i * static_cast<unsigned>(sizeof(T))),
                 "l"(global + (i < seam ? i : i - columns)), "n"(sizeof(T))
                 : "memory");
}

template <class P, int array, int side>
__device__ __forceinline__ typename P::T ghost(const GhostCondition<typename P::T>* conditions,
                                               typename P::T inside) {
  constexpr GhostKind kind = P::ghost_kind(array, side);
  const GhostCondition<typename P::T>& condition = conditions[array * sides + side];
  if constexpr (kind == GhostKind::constant) return condition.a;
  if constexpr (kind == GhostKind::even) return inside;
  if constexpr (kind == GhostKind::scaled) return condition.b * inside;
  if constexpr (kind == GhostKind::affine)
    return fused_multiply_add(condition.b, inside, condition.a);
  return ghost_value(condition.a, condition.b, inside);
}

}  // namespace lapl
