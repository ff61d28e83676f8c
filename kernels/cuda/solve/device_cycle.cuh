// The cycle of a Multigrid on a GPU, cell by cell as in kernels/solve/multigrid.cpp: a kernel for
// each part of it on large grids (LaunchParts), and one block for all that is below a small one
// (BlockParts), where kernels would be too short.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/cuda/solve/device_loops.cuh"
#include "kernels/platform.hpp"
#include "kernels/solve/coarse_nodes.hpp"
#include "kernels/solve/multigrid.hpp"

namespace lapl {

/// A Multigrid::Level in device memory.
struct DeviceLevel {
  PaddedGrid grid{{}, {}};
  Halved halved{};
  MatrixTerms terms;
  const double *diagonal = nullptr, *inverse = nullptr;
  double *x = nullptr, *b = nullptr, *r = nullptr;
  std::array<const double*, Multigrid::sides> weights{};

  // A cell of a row of all planes.
  __device__ Index cell(std::int64_t row, std::int64_t column) const;
  __device__ std::int64_t place(std::int64_t row, std::int64_t column) const {
    return grid.place(cell(row, column));
  }
  // `right` minus the product of the matrix's row at `at` with `values`.
  __device__ double residual_at(double right, const double* values, std::int64_t at) const {
    for (int term = 0; term < terms.count; ++term)
      right -= terms.entries[term][at] * values[at + terms.moves[term]];
    return right;
  }
  __device__ void update(std::int64_t at) const {
    x[at] += residual_at(b[at], x, at) * inverse[at];
  }
};

/// How parts have a level: kernels get it as an argument, a block reads it in shared memory.
struct GivenLevel {
  DeviceLevel level;
  __device__ const DeviceLevel* operator->() const { return &level; }
};
using SharedLevel = const DeviceLevel*;

__device__ inline std::int64_t quotient(std::int64_t a, std::int64_t b) {
  if ((a | b) >> 31 != 0) return a / b;
  return static_cast<int>(a) / static_cast<int>(b);  // which is ten times faster
}

__device__ inline Index DeviceLevel::cell(std::int64_t row, std::int64_t column) const {
  const std::int64_t plane = quotient(row, grid.size[1]);
  return {plane, row - plane * grid.size[1], column};
}

/// A step of PaddedGrid::wrap along an axis.
struct WrapLine {
  PaddedGrid grid;
  double* values;
  int axis;

  __device__ void operator()(std::int64_t block, std::int64_t line) const {
    const std::int64_t step = grid.stride[axis], length = grid.size[axis] + 2;
    double* const first = axis == 2 ? values + grid.row_place(line) - 1
                          : axis == 1
                              ? values + grid.place({block, 0, 0}) - grid.pad[2] - step + line
                              : values + line;
    first[0] = first[(length - 2) * step];
    first[(length - 1) * step] = first[step];
  }
};
/// PaddedGrid::wrap, from axis `from` to planes.
#pragma nv_exec_check_disable
template <class Parts>
LAPL_HOST_DEVICE void wrap_parts(const Parts& parts, const PaddedGrid& grid, double* values,
                                 int from = 2) {
  for (int axis = from; axis >= 0; --axis)  // the cells beyond edges of faster axes, too
    if (grid.periodic[axis])
      parts.cells(axis == 1 ? grid.size[0] : 1, axis == 2 ? grid.rows() : grid.stride[axis],
                  WrapLine{grid, values, axis});
}

/// out = b - A x, or where b is null A x.
template <class Level>
struct FindResidual {
  Level level;
  const double *x, *b;
  double* out;

  __device__ void operator()(std::int64_t row, std::int64_t column) const {
    const std::int64_t at = level->place(row, column);
    const double sum = level->residual_at(b == nullptr ? 0 : b[at], x, at);
    out[at] = b == nullptr ? -sum : sum;
  }
};

template <class Level>
struct Restrict {
  Level fine, coarse;

  __device__ void operator()(std::int64_t row, std::int64_t column) const {
    const PaddedGrid& grid = fine->grid;
    const Halved& halved = fine->halved;
    const Index node = coarse->cell(row, column);
    const Children planes = children(grid, 0, halved[0], node[0]);
    const Children rows = children(grid, 1, halved[1], node[1]);
    const Children columns = children(grid, 2, halved[2], node[2]);
    double sum = 0;
    for (int i = 0; i < planes.count; ++i)
      for (int j = 0; j < rows.count; ++j)
        for (int k = 0; k < columns.count; ++k) {
          const Child p = planes.at[i], q = rows.at[j], c = columns.at[k];
          const int as = (p.last ? 1 : 0) | (q.last ? 2 : 0) | (c.last ? 4 : 0);
          const std::int64_t at = grid.place({p.node, q.node, c.node});
          sum += fine->weights[as][at] * fine->r[at];
        }
    coarse->b[coarse->grid.place(node)] = sum;
  }
};

template <class Level>
struct Prolong {
  Level fine, coarse;

  __device__ void operator()(std::int64_t row, std::int64_t column) const {
    const PaddedGrid& grid = fine->grid;
    const Halved& halved = fine->halved;
    const Index node = fine->cell(row, column);
    int odd = 0;
    for (int axis = 0; axis < 3; ++axis)
      if (halved[axis] && node[axis] % 2 == 1) odd |= 1 << axis;
    const std::int64_t at = grid.place(node);
    double sum = 0;
    for (int set = 0; set < 8; ++set) {
      if ((set & ~odd) != 0) continue;
      const double weight = fine->weights[set][at];
      if (weight == 0) continue;
      Index there{};
      for (int axis = 0; axis < 3; ++axis)
        there[axis] = parent(grid, axis, halved[axis], node[axis], (set >> axis & 1) != 0);
      sum += weight * coarse->x[coarse->grid.place(there)];
    }
    fine->x[at] += sum;
  }
};

struct Clear {
  double* values;
  __device__ void operator()(std::int64_t, std::int64_t i) const { values[i] = 0; }
};

/// The nodes of a row of one colour, whose columns are all as even or odd.
struct UpdateEverySecond {
  SharedLevel level;
  std::int64_t plane, row, rows, column;

  __device__ void operator()(std::int64_t i, std::int64_t k) const {
    const std::int64_t of_plane = quotient(i, rows);
    level->update(
        level->grid.place({plane + 2 * of_plane, row + 2 * (i - of_plane * rows), column + 2 * k}));
  }
};

/// Parts of a cycle in one block.
struct BlockParts {
  template <class Use>
  __device__ void cells(std::int64_t rows, std::int64_t columns, const Use& use) const {
    const int across = static_cast<int>(columns), count = static_cast<int>(rows) * across;
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
      use(i / across, i % across);
    __syncthreads();
  }
  static __device__ SharedLevel given(const DeviceLevel& level) { return &level; }
  __device__ void update_rows(const DeviceLevel& level, std::int64_t plane, std::int64_t row,
                              std::int64_t planes, std::int64_t rows, bool forwards) const {
    for (int half = 0; half < 2; ++half) {
      const std::int64_t column = forwards == (half == 0) ? 0 : 1;
      cells(planes * rows, (level.grid.size[2] - column + 1) / 2,
            UpdateEverySecond{&level, plane, row, rows, column});
      if (level.grid.periodic[2]) cells(1, level.grid.rows(), WrapLine{level.grid, level.x, 2});
    }
  }
  __device__ bool takes_rest(const DeviceLevel&) const { return false; }
  __device__ void rest(int, bool) const {}
};

#pragma nv_exec_check_disable
template <class Parts>
LAPL_HOST_DEVICE void smooth_parts(const Parts& parts, const DeviceLevel& level, bool forwards) {
  for (int color = 0; color < 4; ++color) {
    const int of = forwards ? color : 3 - color;
    const std::int64_t plane = of / 2, row = of % 2;
    const std::int64_t planes = (level.grid.size[0] - plane + 1) / 2;
    const std::int64_t rows = (level.grid.size[1] - row + 1) / 2;
    if (planes * rows == 0) continue;
    parts.update_rows(level, plane, row, planes, rows, forwards);
    wrap_parts(parts, level.grid, level.x, 1);
  }
}

/// The coarsest equations, by their inverse.
template <class Level>
struct SolveCoarsest {
  Level level;
  const double* inverse;

  __device__ void operator()(std::int64_t, std::int64_t i) const {
    const std::int64_t n = level->grid.cells();
    double sum = 0;
    for (std::int64_t j = 0; j < n; ++j) sum += inverse[i * n + j] * level->b[place(j)];
    level->x[place(i)] = sum;
  }
  __device__ std::int64_t place(std::int64_t cell) const {
    const std::int64_t row = quotient(cell, level->grid.size[2]);
    return level->place(row, cell - row * level->grid.size[2]);
  }
};

/// The levels of a Multigrid, as kernels read them.
struct DeviceLevels {
  const DeviceLevel* at;
  int count;
  bool jumps;
  const double* coarsest_inverse;
};

/// Multigrid::cycle from a level on, without recursion.
#pragma nv_exec_check_disable
template <class Parts>
LAPL_HOST_DEVICE void cycle_parts(const Parts& parts, const DeviceLevels& levels, int first,
                                  bool from_zero) {
  int level = first;
  int visits[64];  // of the level below, by level
  for (;;) {
    for (; level + 1 < levels.count && !parts.takes_rest(levels.at[level]); ++level) {
      const DeviceLevel &fine = levels.at[level], &coarse = levels.at[level + 1];
      if (from_zero) parts.cells(1, fine.grid.values, Clear{fine.x});
      smooth_parts(parts, fine, true);
      parts.cells(fine.grid.rows(), fine.grid.size[2],
                  FindResidual{parts.given(fine), fine.x, fine.b, fine.r});
      parts.cells(coarse.grid.rows(), coarse.grid.size[2],
                  Restrict{parts.given(fine), parts.given(coarse)});
      visits[level] = 0;
      from_zero = true;
    }
    const DeviceLevel& last = levels.at[level];
    if (parts.takes_rest(last))
      parts.rest(level, from_zero);
    else
      parts.cells(1, last.grid.cells(), SolveCoarsest{parts.given(last), levels.coarsest_inverse});
    for (;;) {
      if (level == first) return;
      --level;
      if (++visits[level] == 1 && levels.jumps && level + 2 < levels.count) {
        ++level;
        from_zero = false;
        break;
      }
      const DeviceLevel &fine = levels.at[level], &coarse = levels.at[level + 1];
      parts.cells(fine.grid.rows(), fine.grid.size[2],
                  Prolong{parts.given(fine), parts.given(coarse)});
      wrap_parts(parts, fine.grid, fine.x);
      smooth_parts(parts, fine, false);
    }
  }
}

}  // namespace lapl
