// The coarser grids of Multigrid: their axes, interpolation and matrices.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "kernels/solve/coarse_nodes.hpp"
#include "kernels/solve/inner_nodes.hpp"
#include "kernels/solve/multigrid.hpp"
#include "kernels/stages/tree_at.hpp"

namespace lapl {

void Multigrid::choose_axes(Level& level) const {
  const int threads = threads_for(level.matrix.grid);
  const StencilMatrix& matrix = level.matrix;
  const PaddedGrid& grid = matrix.grid;
  std::array<double, 3> strength{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (grid.size[axis] <= coarsest) continue;
    std::vector<double> of_row(grid.rows());
#pragma omp parallel for num_threads(threads) schedule(static)
    for (std::int64_t row = 0; row < grid.rows(); ++row)
      for (int offset = 0; offset < stencil_offsets; ++offset) {
        if (stencil_offset(offset)[axis] == 0 || !matrix.has(offset)) continue;
        const std::int64_t at = grid.row_place(row);
        for (std::int64_t i = at; i < at + grid.size[2]; ++i)
          of_row[row] -= matrix.at(offset)[i] * level.inverse[i];
      }
    for (const double each : of_row) strength[axis] += each;
  }
  const double strongest = std::ranges::max(strength);
  for (std::size_t axis = 0; axis < 3; ++axis)
    level.halved[axis] =
        grid.size[axis] > coarsest && (strength[axis] >= 0.25 * strongest || !(strongest > 0));
}

void Multigrid::interpolate(Level& level) const {
  const int threads = threads_for(level.matrix.grid);
  const StencilMatrix& matrix = level.matrix;
  const PaddedGrid& grid = matrix.grid;
  std::size_t halved = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) halved |= level.halved[axis] ? 1U << axis : 0U;
  for (std::size_t set = 0; set < sides; ++set)
    if ((set & ~halved) == 0) level.weights[set].resize(grid.values);
  // Nodes with fewer odd axes come first, because the others read their weights.
  for (int odd_axes = 0; odd_axes <= 3; ++odd_axes) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (std::int64_t row = 0; row < grid.rows(); ++row)
      for (std::int64_t column = 0; column < grid.size[2]; ++column) {
        const Index node = {row / grid.size[1], row % grid.size[1], column};
        std::size_t odd = 0;
        for (std::size_t axis = 0; axis < 3; ++axis)
          odd |= level.halved[axis] && node[axis] % 2 == 1 ? 1U << axis : 0U;
        if (std::popcount(odd) != odd_axes) continue;
        const auto place = grid.place(node);
        if (odd == 0) {
          level.weights[0][place] = 1;
          continue;
        }
        std::array<double, stencil_offsets> sum{};  // entries summed along the other axes
        for (int offset = 0; offset < stencil_offsets; ++offset) {
          if (!matrix.has(offset)) continue;
          auto along = stencil_offset(offset);
          for (std::size_t axis = 0; axis < 3; ++axis)
            if ((odd >> axis & 1) == 0) along[axis] = 0;
          sum[offset_number(along[0], along[1], along[2])] += matrix.at(offset)[place];
        }
        const double center = sum[stencil_center];
        if (!(center > 0)) continue;
        for (int offset = 0; offset < stencil_offsets; ++offset) {
          const double share = -sum[offset] / center;
          if (offset == stencil_center || share == 0) continue;
          const auto along = stencil_offset(offset);
          std::size_t last = 0, odd_there = odd;
          Index beside = node;
          for (std::size_t axis = 0; axis < 3; ++axis) {
            if (along[axis] == 0) continue;
            odd_there &= ~(std::size_t{1} << axis);
            last |= along[axis] > 0 ? 1U << axis : 0U;
            beside[axis] = wrapped(node[axis] + along[axis], grid.size[axis]);
          }
          const auto there = grid.place(beside);
          for (std::size_t set = 0; set < sides; ++set)
            if ((set & ~odd_there) == 0)
              level.weights[set | last][place] += share * level.weights[set][there];
        }
      }
  }
}

StencilMatrix Multigrid::coarse_matrix(Level& level) const {
  const int threads = threads_for(level.matrix.grid);
  const StencilMatrix& fine = level.matrix;
  const PaddedGrid& grid = fine.grid;
  Index size = grid.size;
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (level.halved[axis]) size[axis] = coarse_size(size[axis]);
  StencilMatrix coarse{PaddedGrid(size, grid.periodic)};
  std::vector<int> offsets;
  std::array<bool, 3> reaches{};  // axes along which entries reach
  for (int offset = 0; offset < stencil_offsets; ++offset) {
    if (!fine.has(offset)) continue;
    offsets.push_back(offset);
    for (std::size_t axis = 0; axis < 3; ++axis)
      reaches[axis] = reaches[axis] || stencil_offset(offset)[axis] != 0;
  }
  for (int offset = 0; offset < stencil_offsets; ++offset) {
    bool is_made = true;
    for (std::size_t axis = 0; axis < 3; ++axis)
      is_made = is_made && (stencil_offset(offset)[axis] == 0 || reaches[axis]);
    if (is_made) coarse.make(offset);
  }
  level.children = children_of_inner(grid, level.halved, offsets);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t row = 0; row < coarse.grid.rows(); ++row)
    for (std::int64_t column = 0; column < size[2]; ++column) {
      const Index here = {row / size[1], row % size[1], column};
      std::array<double, stencil_offsets> made{};
      const auto store = [&] {
        const auto place = coarse.grid.place(here);
        for (int offset = 0; offset < stencil_offsets; ++offset)
          if (coarse.has(offset)) coarse.entries[offset][place] = made[offset];
      };
      if (level.is_inner(here)) {
        const std::int64_t base = level.fine_place(here);
        for (const ChildTerm& child : level.children) {
          const double weight = level.weights[child.set][base + child.move];
          if (weight == 0) continue;
          for (const EntryTerm& of_entry : child.entries) {
            const double entry = weight * fine.at(of_entry.offset)[base + child.move];
            if (entry == 0) continue;
            for (const ParentTerm& to : of_entry.parents)
              made[to.to] += entry * level.weights[to.set][base + to.move];
          }
        }
        store();
        continue;
      }
      std::array<Children, 3> of_axis;
      for (std::size_t axis = 0; axis < 3; ++axis)
        of_axis[axis] = children(grid, axis, level.halved[axis], here[axis]);
      for (int i = 0; i < of_axis[0].count; ++i)
        for (int j = 0; j < of_axis[1].count; ++j)
          for (int k = 0; k < of_axis[2].count; ++k) {
            const std::array<Child, 3> child = {of_axis[0].at[i], of_axis[1].at[j],
                                                of_axis[2].at[k]};
            const Index node = {child[0].node, child[1].node, child[2].node};
            const std::size_t as =
                (child[0].last ? 1U : 0U) | (child[1].last ? 2U : 0U) | (child[2].last ? 4U : 0U);
            const auto place = grid.place(node);
            const double weight = level.weights[as][place];
            if (weight == 0) continue;
            for (const int offset : offsets) {
              const double entry = weight * fine.at(offset)[place];
              if (entry == 0) continue;
              const auto along = stencil_offset(offset);
              Index there{};
              std::size_t odd = 0;
              for (std::size_t axis = 0; axis < 3; ++axis) {
                there[axis] = wrapped(node[axis] + along[axis], grid.size[axis]);
                odd |= level.halved[axis] && there[axis] % 2 == 1 ? 1U << axis : 0U;
              }
              const auto place_there = grid.place(there);
              for (std::size_t set = 0; set < sides; ++set) {
                if ((set & ~odd) != 0) continue;
                const double product = entry * level.weights[set][place_there];
                if (product == 0) continue;
                std::array<int, 3> to{};
                for (std::size_t axis = 0; axis < 3; ++axis)
                  to[axis] = static_cast<int>(distance(
                      here[axis],
                      parent(grid, axis, level.halved[axis], there[axis], (set >> axis & 1) != 0),
                      size[axis], coarse.grid.periodic[axis]));
                made[offset_number(to[0], to[1], to[2])] += product;
              }
            }
          }
      store();
    }
  return coarse;
}

// By Gauss and Jordan with row pivots. If the matrix is singular, the inverse finds one of the
// solutions for right sides that have any.
void Multigrid::invert_coarsest(bool is_singular) {
  const StencilMatrix& matrix = levels_.back().matrix;
  const PaddedGrid& grid = matrix.grid;
  const std::int64_t n = grid.cells();
  std::vector<double> a(n * n), inverse(n * n);
  double largest = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    inverse[i * n + i] = 1;
    const Index node = {i / (grid.size[1] * grid.size[2]), i / grid.size[2] % grid.size[1],
                        i % grid.size[2]};
    for (int offset = 0; offset < stencil_offsets; ++offset) {
      if (!matrix.has(offset)) continue;
      const double entry = matrix.at(offset)[grid.place(node)];
      if (entry == 0) continue;
      const auto along = stencil_offset(offset);
      Index to{};
      for (std::size_t axis = 0; axis < 3; ++axis)
        to[axis] = wrapped(node[axis] + along[axis], grid.size[axis]);
      a[i * n + ((to[0] * grid.size[1] + to[1]) * grid.size[2] + to[2])] += entry;
    }
    largest = std::max(largest, std::abs(a[i * n + i]));
  }
  for (std::int64_t column = 0; column < n; ++column) {
    std::int64_t pivot = column;
    for (std::int64_t row = column + 1; row < n; ++row)
      if (std::abs(a[row * n + column]) > std::abs(a[pivot * n + column])) pivot = row;
    for (std::int64_t i = 0; i < n && pivot != column; ++i) {
      std::swap(a[pivot * n + i], a[column * n + i]);
      std::swap(inverse[pivot * n + i], inverse[column * n + i]);
    }
    const double by = a[column * n + column];
    if (std::abs(by) <= (is_singular ? 1e-12 : 1e-15) * largest) {
      // The equation of this node follows from those before it: the node is 0.
      for (std::int64_t i = 0; i < n; ++i) inverse[column * n + i] = 0;
      continue;
    }
    for (std::int64_t i = 0; i < n; ++i) {
      a[column * n + i] /= by;
      inverse[column * n + i] /= by;
    }
    for (std::int64_t row = 0; row < n; ++row) {
      const double factor = a[row * n + column];
      if (row == column || factor == 0) continue;
      for (std::int64_t i = 0; i < n; ++i) {
        a[row * n + i] -= factor * a[column * n + i];
        inverse[row * n + i] -= factor * inverse[column * n + i];
      }
    }
  }
  coarsest_inverse_ = std::move(inverse);
}

}  // namespace lapl
