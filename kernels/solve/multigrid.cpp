#include "kernels/solve/multigrid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/solve/coarse_nodes.hpp"
#include "kernels/solve/inner_nodes.hpp"

namespace lapl {

Multigrid::Level::Level(StencilMatrix of)
    : matrix(std::move(of)),
      inverse(matrix.grid.values),
      x(inverse.size()),
      b(inverse.size()),
      r(inverse.size()) {
  const std::vector<double>& diagonal = matrix.at(stencil_center);
  for (std::size_t i = 0; i < inverse.size(); ++i)
    inverse[i] = diagonal[i] == 0 ? 0 : 1 / diagonal[i];
}

bool Multigrid::Level::is_inner(const Index& coarse) const {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (!lapl::is_inner(matrix.grid, axis, halved[axis], coarse[axis])) return false;
  return true;
}
std::int64_t Multigrid::Level::fine_place(const Index& coarse) const {
  Index node = coarse;
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (halved[axis]) node[axis] *= 2;
  return matrix.grid.place(node);
}

Multigrid::Multigrid(StencilMatrix matrix, bool is_singular, int threads) : threads_(threads) {
  levels_.emplace_back(std::move(matrix));
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const double inverse : levels_.front().inverse) {
    most = std::max(most, inverse);
    if (inverse > 0) least = std::min(least, inverse);
  }
  jumps_ = most > 10 * least;
  while (std::ranges::max(levels_.back().matrix.grid.size) > coarsest) {
    choose_axes(levels_.back());
    interpolate(levels_.back());
    levels_.emplace_back(coarse_matrix(levels_.back()));
  }
  invert_coarsest(is_singular);
}

double Multigrid::memory(Shape shape) {
  const double axes = shape.axes, cells = static_cast<double>(shape.cells());
  // On the finest grid the entries, the weights of parents and four vectors; all entries on the
  // coarser ones.
  const double fine = 2 * axes + 1 + std::exp2(axes) + 4;
  const double coarse = (std::pow(3, axes) + std::exp2(axes) + 4) / (std::exp2(axes) - 1);
  return 8 * cells * (fine + coarse);
}

// Nodes whose planes, rows and columns are all as even or odd are one colour: none is beside
// another, except across periodic edges of odd sizes, where both read the values before the colour.
void Multigrid::smooth(Level& level, bool forwards) const {
  const int threads = threads_for(level.matrix.grid);
  const PaddedGrid& grid = level.matrix.grid;
  const MatrixTerms terms(level.matrix);
  double* const x = level.x.data();
  const auto update = [&](std::int64_t at, std::int64_t first) {
    for (std::int64_t i = at + first; i < at + grid.size[2]; i += 2) {
      double sum = level.b[i];
      for (int term = 0; term < terms.count; ++term)
        sum -= terms.entries[term][i] * x[i + terms.moves[term]];
      x[i] += sum * level.inverse[i];
    }
    grid.wrap_row(x + at);
  };
  for (int color = 0; color < 4; ++color) {
    const int of = forwards ? color : 3 - color;
    const std::int64_t plane = of / 2, row = of % 2;
    const std::int64_t planes = (grid.size[0] - plane + 1) / 2, rows = (grid.size[1] - row + 1) / 2;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (std::int64_t i = 0; i < planes * rows; ++i) {
      const std::int64_t at = grid.place({plane + 2 * (i / rows), row + 2 * (i % rows), 0});
      update(at, forwards ? 0 : 1);
      update(at, forwards ? 1 : 0);
    }
    for (std::int64_t at = plane; at < grid.size[0]; at += 2) grid.wrap_rows(x, at);
    grid.wrap_planes(x);
  }
}

void Multigrid::restrict_to(const Level& fine, Level& coarse) const {
  const int threads = threads_for(fine.matrix.grid);
  const PaddedGrid &grid = fine.matrix.grid, &to = coarse.matrix.grid;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t row = 0; row < to.rows(); ++row) {
    const Children planes = children(grid, 0, fine.halved[0], row / to.size[1]);
    const Children rows = children(grid, 1, fine.halved[1], row % to.size[1]);
    for (std::int64_t column = 0; column < to.size[2]; ++column) {
      const Children columns = children(grid, 2, fine.halved[2], column);
      double sum = 0;
      if (const Index here = {row / to.size[1], row % to.size[1], column}; fine.is_inner(here)) {
        const std::int64_t base = fine.fine_place(here);
        for (const ChildTerm& child : fine.children)
          sum += fine.weights[child.set][base + child.move] * fine.r[base + child.move];
        coarse.b[to.row_place(row) + column] = sum;
        continue;
      }
      for (int i = 0; i < planes.count; ++i)
        for (int j = 0; j < rows.count; ++j)
          for (int k = 0; k < columns.count; ++k) {
            const Child p = planes.at[i], r = rows.at[j], c = columns.at[k];
            const std::size_t as = (p.last ? 1U : 0U) | (r.last ? 2U : 0U) | (c.last ? 4U : 0U);
            const auto at = grid.place({p.node, r.node, c.node});
            sum += fine.weights[as][at] * fine.r[at];
          }
      coarse.b[to.row_place(row) + column] = sum;
    }
  }
}

void Multigrid::prolong(const Level& coarse, Level& fine) const {
  const int threads = threads_for(fine.matrix.grid);
  const PaddedGrid &grid = fine.matrix.grid, &from = coarse.matrix.grid;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t row = 0; row < grid.rows(); ++row) {
    const Index first = {row / grid.size[1], row % grid.size[1], 0};
    const auto odd_axis = [&](std::size_t axis, std::int64_t at) {
      return fine.halved[axis] && at % 2 == 1 ? std::size_t{1} << axis : 0;
    };
    const std::size_t odd_row = odd_axis(0, first[0]) | odd_axis(1, first[1]);
    // The first values of the rows of parents, by number.
    std::array<const double*, sides / 2> rows{};
    for (std::size_t set = 0; set < rows.size(); ++set) {
      if ((set & ~odd_row) != 0) continue;
      Index to{};
      for (const std::size_t axis : {std::size_t{0}, std::size_t{1}})
        to[axis] = parent(grid, axis, fine.halved[axis], first[axis], (set >> axis & 1) != 0);
      if (to[0] >= 0 && to[1] >= 0) rows[set] = coarse.x.data() + from.place(to);
    }
    for (std::int64_t column = 0; column < grid.size[2]; ++column) {
      const auto at = grid.place({first[0], first[1], column});
      const std::size_t odd = odd_row | odd_axis(2, column);
      double sum = 0;
      for (std::size_t set = 0; set < sides; ++set) {
        if ((set & ~odd) != 0) continue;
        const double weight = fine.weights[set][at];
        if (weight == 0) continue;
        sum += weight * rows[set & 3][parent(grid, 2, fine.halved[2], column, set >= 4)];
      }
      fine.x[at] += sum;
    }
  }
  grid.wrap(fine.x, threads);
}

void Multigrid::cycle(std::size_t index, bool from_zero) {
  Level& level = levels_[index];
  const PaddedGrid& grid = level.matrix.grid;
  if (index + 1 == levels_.size()) {
    const std::int64_t n = grid.cells();
    std::vector<std::int64_t> places(n);
    for (std::int64_t i = 0; i < n; ++i) {
      places[i] = (grid.row_place(i / grid.size[2]) + i % grid.size[2]);
    }
    for (std::int64_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::int64_t j = 0; j < n; ++j) sum += coarsest_inverse_[i * n + j] * level.b[places[j]];
      level.x[places[i]] = sum;
    }
    return;
  }
  Level& coarse = levels_[index + 1];
  if (from_zero) std::ranges::fill(level.x, 0.0);
  smooth(level, true);
  residual(level.matrix, level.x, &level.b, level.r, threads_for(grid));
  restrict_to(level, coarse);
  cycle(index + 1, true);
  if (jumps_ && index + 2 < levels_.size()) cycle(index + 1, false);
  prolong(coarse, level);
  smooth(level, false);
}

void Multigrid::precondition(const std::vector<double>& r, std::vector<double>& z) {
  levels_.front().b = r;
  cycle(0, true);
  std::swap(z, levels_.front().x);
}

}  // namespace lapl
