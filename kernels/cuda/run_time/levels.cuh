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
};

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
