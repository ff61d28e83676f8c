// One stage per launch: a block computes a tile of the grid, a thread `Stage::rows` cells of a
// column. Neighbours are read from device memory, mostly through the caches. Tiles that do not read
// beyond a face need no tests; the others impose the conditions of faces as they read.
//
//   Stage   rows, targets, reach_planes, reach_rows: constants
//           make(at, arguments, results): the stage in one cell; at.value<array, plane, row,
//           column>() and at.position<axis, offset>() read a neighbour; at.cell() is the index of
//           the cell in the whole grid
#pragma once

#include "kernels/cuda/run_time/face_conditions.cuh"
#include "kernels/grid/ghost.hpp"

namespace lapl {

template <class T>
struct CellAtFace : CellInside<T> {
  const FaceTable<T>* faces;  // for each array, axis and side

  template <int array, int plane, int row, int column>
  __device__ __forceinline__ T value() const {
    const Source planes = source<0, plane>(), rows = source<1, row>(),
                 columns = source<2, column>();
    T found =
        __ldg(this->arrays[array] +
              (planes.index * this->grid.size[1] + rows.index) * this->grid.pitch + columns.index);
    if (columns.ghost) found = ghost(array, 2, column, planes.index, rows.index, found);
    if (rows.ghost) found = ghost(array, 1, row, planes.index, this->place[2] + column, found);
    if (planes.ghost)
      found = ghost(array, 0, plane, this->place[1] + row, this->place[2] + column, found);
    return found;
  }

 private:
  struct Source {
    GridIndex index;
    bool ghost;
  };
  template <int axis, int offset>
  __device__ __forceinline__ Source source() const {
    const GridIndex index = this->place[axis] + offset, size = this->grid.size[axis];
    if (offset == 0 || (index >= 0 && index < size)) return {index, false};
    if (this->grid.wraps[axis]) return {offset < 0 ? size - 1 : 0, false};
    return {this->place[axis], true};
  }
  __device__ __forceinline__ T ghost(int array, int axis, int side, GridIndex i, GridIndex j,
                                     T inside) const {
    const FaceTable<T>& face = faces[(3 * array + axis) * 2 + (side > 0)];
    if (face.each == nullptr) return ghost_value(face.everywhere.a, face.everywhere.b, inside);
    const GhostCondition<T> condition = face.each[(i + 1) * face.pitch + j + 1];
    return ghost_value(condition.a, condition.b, inside);
  }
};

template <class Stage, class T>
__device__ __forceinline__ void make_tile(const StageGrid<T>& grid, const T* const* arrays,
                                          T* const* targets, const T* arguments,
                                          const FaceTable<T>* faces) {
  constexpr int rows = Stage::rows;
  const unsigned tile_rows = blockDim.y * rows;
  const unsigned tile_row = blockIdx.x / grid.tiles[2];
  const GridIndex plane = tile_row / grid.tiles[1];
  const GridIndex first_row = static_cast<GridIndex>(tile_row % grid.tiles[1]) * tile_rows;
  const GridIndex first_column = static_cast<GridIndex>(blockIdx.x % grid.tiles[2]) * blockDim.x;
  const auto within = [](GridIndex first, GridIndex count, GridIndex size, int reach) {
    return first >= reach && first + count + reach <= size;
  };
  const GridIndex row = first_row + threadIdx.y * rows, column = first_column + threadIdx.x;
  const auto store = [&](GridIndex index, const T(&results)[Stage::targets]) {
#pragma unroll
    for (int target = 0; target < Stage::targets; ++target)
      targets[target][index] = results[target];
  };
  T results[Stage::targets];
  if (within(plane, 1, grid.size[0], Stage::reach_planes) &&
      within(first_row, tile_rows, grid.size[1], Stage::reach_rows) &&
      within(first_column, blockDim.x, grid.size[2], 1)) {
#pragma unroll
    for (int i = 0; i < rows; ++i) {
      const GridIndex index = (plane * grid.size[1] + row + i) * grid.pitch + column;
      Stage::make(CellInside<T>{grid, arrays, {plane, row + i, column}, index}, arguments, results);
      store(index, results);
    }
    return;
  }
  if (column >= grid.size[2]) return;
#pragma unroll 1
  for (int i = 0; i < rows && row + i < grid.size[1]; ++i) {
    const GridIndex index = (plane * grid.size[1] + row + i) * grid.pitch + column;
    Stage::make(CellAtFace<T>{{grid, arrays, {plane, row + i, column}, index}, faces}, arguments,
                results);
    store(index, results);
  }
}

}  // namespace lapl
