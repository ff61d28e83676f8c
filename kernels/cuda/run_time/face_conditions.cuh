// A cell of a grid in device memory, and conditions that differ along a face.
#pragma once

#include "kernels/cuda/run_time/arguments.hpp"
#include "kernels/cuda/run_time/divisions.cuh"

namespace lapl {

template <class T>
struct CellInside {
  const StageGrid<T>& grid;
  const T* const* arrays;
  GridIndex place[3];
  GridIndex index;

  template <int array, int plane, int row, int column>
  __device__ __forceinline__ T value() const {
    return __ldg(arrays[array] + index + (plane * grid.size[1] + row) * grid.pitch + column);
  }
  template <int axis, int offset>
  __device__ __forceinline__ T position() const {
    return __ldg(grid.positions[axis] + place[axis] + offset);
  }
  __device__ __forceinline__ unsigned long long cell() const {
    return __ldg(grid.cells.along[0] + place[0]) + __ldg(grid.cells.along[1] + place[1]) +
           __ldg(grid.cells.along[2] + place[2]);
  }
};

/// Computes a condition that differs along its face, at each node and at each of `levels` times
/// (blockIdx.y). `Face` is a stage whose results are a and b; `slow` and `fast` are its axes along
/// the face, `axis` is the normal axis; `count` is the number of its arguments at a time.
template <class Face, class T>
__device__ __forceinline__ void make_conditions(const StageGrid<T>& grid, const T* arguments,
                                                int count, GhostCondition<T>* conditions) {
  const GridIndex pitch = grid.size[Face::fast] + 2;
  const GridIndex nodes = (grid.size[Face::slow] + 2) * pitch;
  const GridIndex index = static_cast<GridIndex>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= nodes) return;
  CellInside<T> at{grid, nullptr, {}, 0};
  at.place[Face::slow] = index / pitch - 1;
  at.place[Face::fast] = index % pitch - 1;
  at.place[Face::axis] = Face::last ? grid.size[Face::axis] : -1;
  T results[2];
  Face::make(at, arguments + blockIdx.y * count, results);
  conditions[blockIdx.y * nodes + index] = {results[0], results[1]};
}

}  // namespace lapl
