// What kernels share in which cells go through levels, a level being a stage of a step.
#pragma once

#include "kernels/cuda/run_time/copy_groups.cuh"
#include "kernels/cuda/run_time/stream_sizes.hpp"
#include "kernels/grid/ghost.hpp"

namespace lapl {

inline constexpr unsigned all_lanes = 0xffffffffu;
enum Side : int { first_plane, last_plane, first_row, last_row, first_column, last_column, sides };

template <class T>
struct alignas(16) Cells {
  static constexpr int count = 16 / sizeof(T);
  T value[count];
};

/// What is the same for all blocks of a launch.
template <class P>
struct Pass {
  using T = typename P::T;
  const typename P::Grid& grid;
  const GridIndex* sources;  // of each slot of level 0, from the first field's place
  const T* arguments;        // of each stage, where they depend on the time of each step
  const GhostLaw<T>* laws;   // of each array and side, where they depend on the time of each level
};

__device__ __forceinline__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ void copy_async(unsigned shared, const void* global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global) : "memory");
}

template <class P, int array, int side>
__device__ __forceinline__ typename P::T ghost(const GhostLaw<typename P::T>* laws,
                                               typename P::T inside) {
  constexpr GhostKind kind = P::ghost_kind(array, side);
  const GhostLaw<typename P::T>& law = laws[array * sides + side];
  if constexpr (kind == GhostKind::constant) return law.a;
  if constexpr (kind == GhostKind::even) return inside;
  if constexpr (kind == GhostKind::scaled) return law.b * inside;
  if constexpr (kind == GhostKind::affine) return fused_multiply_add(law.b, inside, law.a);
  return ghost_of(law.a, law.b, inside);
}

}  // namespace lapl
