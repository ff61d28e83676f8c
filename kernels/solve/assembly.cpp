// Finds the matrices of functions from their values at changed states.
#include "kernels/solve/assembly.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>

#include "kernels/error.hpp"
#include "kernels/solve/grid_system.hpp"

namespace lapl {
namespace {

// Numbers of cells along an axis such that no two of the three cells around any cell have the same.
struct Colors {
  Colors(std::int64_t size, bool periodic)
      : count(static_cast<int>(std::min<std::int64_t>(size, 3))) {
    const std::int64_t rest = periodic && size > 3 ? size % 3 : 0;
    for (std::int64_t i = 0; i < size; ++i)
      of_cell.push_back(i < size - rest ? static_cast<int>(i % 3)
                                        : 3 + static_cast<int>(i - (size - rest)));
    count += static_cast<int>(rest);
    offsets.assign(size * count, none);
    for (std::int64_t i = 0; i < size; ++i)
      for (int along = size > 1 ? -1 : 0; along <= (size > 1 ? 1 : 0); ++along) {
        const std::int64_t beside = periodic && size > 2 ? (i + along + size) % size : i + along;
        if (beside >= 0 && beside < size) offsets[i * count + of_cell[beside]] = along;
      }
  }
  // Where the cell of this color beside cell i is; none: there is none.
  static constexpr int none = 2;
  int offset(std::int64_t i, int color) const { return offsets[i * count + color]; }

  int count;
  std::vector<int> of_cell, offsets;
};

}  // namespace

bool reads_along_axes(const Problem<double>& problem) {
  return problem.stages.size() == 1 &&
         std::ranges::all_of(
             problem.stages.front().tree.operations, [](const StageOperation& node) {
               return node.operation != Operation::value ||
                      (node.at.plane != 0) + (node.at.row != 0) + (node.at.column != 0) <= 1;
             });
}

// One evaluation gives the entries of all cells of one color.
std::optional<std::vector<StencilMatrix>> stencil_matrices(
    const PaddedGrid& grid, std::span<double> unknown, double unit, std::span<const double> at_base,
    const std::function<std::span<const double>()>& evaluate, bool along_axes, int threads) {
  const std::int64_t cells = grid.cells(), columns = grid.size[2];
  std::vector<StencilMatrix> matrices(at_base.size() / unknown.size(), StencilMatrix(grid));
  const std::vector<double> base(unknown.begin(), unknown.end());
  const std::array colors = {Colors(grid.size[0], grid.periodic[0]),
                             Colors(grid.size[1], grid.periodic[1]),
                             Colors(grid.size[2], grid.periodic[2])};
  const auto for_rows = [&](const auto& use) {
    for_indices(grid.rows(), threads,
                [&](std::int64_t row) { use(row, row / grid.size[1], row % grid.size[1]); });
  };
  // Cells whose three colors all differ are beside no common cell along axes, so that one
  // evaluation serves three colors.
  const bool three_at_once =
      along_axes && std::ranges::all_of(colors, [](const Colors& of) { return of.count == 3; });
  const int at_once = three_at_once ? 3 : 1;
  std::array<int, 3> color{};
  const auto color_at = [&](int which, std::size_t axis) {
    return three_at_once ? (color[axis] + which) % 3 : color[axis];
  };
  // The offset at which an entry of a cell reads a changed one; -1: further than one cell away.
  const auto offset_read = [&](double entry, std::int64_t i, std::int64_t j, std::int64_t column) {
    if (!std::isfinite(entry)) return stencil_center;
    for (int which = 0; which < at_once; ++which) {
      const std::array<int, 3> by = {colors[0].offset(i, color_at(which, 0)),
                                     colors[1].offset(j, color_at(which, 1)),
                                     colors[2].offset(column, color_at(which, 2))};
      if (std::ranges::count(by, Colors::none) == 0 &&
          (!three_at_once || std::ranges::count(by, 0) >= 2))
        return offset_number(by[0], by[1], by[2]);
    }
    return -1;
  };
  for (color[0] = 0; color[0] < (three_at_once ? 1 : colors[0].count); ++color[0])
    for (color[1] = 0; color[1] < colors[1].count; ++color[1])
      for (color[2] = 0; color[2] < colors[2].count; ++color[2]) {
        for_rows([&](std::int64_t row, std::int64_t i, std::int64_t j) {
          int changed = -1;  // the color of cells in this row that change; -1: none
          for (int which = 0; which < at_once; ++which)
            if (colors[0].of_cell[i] == color_at(which, 0) &&
                colors[1].of_cell[j] == color_at(which, 1))
              changed = color_at(which, 2);
          for (std::int64_t column = 0; column < columns; ++column)
            unknown[row * columns + column] =
                base[row * columns + column] + (colors[2].of_cell[column] == changed ? unit : 0);
        });
        const std::span<const double> made = evaluate();
        for (std::size_t function = 0; function < matrices.size(); ++function) {
          const auto first = static_cast<std::int64_t>(function) * cells;
          std::array<double*, stencil_offsets> entries{};
          std::vector<char> reads_further(grid.rows());
          std::vector<std::uint32_t> missing(grid.rows());  // a bit for each offset without array
          std::uint32_t to_make = 0;
          do {
            for (int offset = 0; offset < stencil_offsets; ++offset)
              if (matrices[function].has(offset) || (to_make >> offset & 1) != 0)
                entries[offset] = matrices[function].make(offset).data();
            for_rows([&](std::int64_t row, std::int64_t i, std::int64_t j) {
              missing[row] = 0;
              for (std::int64_t column = 0; column < columns; ++column) {
                const std::int64_t cell = first + row * columns + column;
                const double entry = (made[cell] - at_base[cell]) / unit;
                if (entry == 0) continue;
                const int offset = offset_read(entry, i, j, column);
                if (offset < 0)
                  reads_further[row] = 1;
                else if (entries[offset] == nullptr)
                  missing[row] |= 1u << offset;
                else
                  entries[offset][grid.row_place(row) + column] = entry;
              }
            });
            to_make = std::accumulate(missing.begin(), missing.end(), 0u, std::bit_or<>());
          } while (to_make != 0);
          if (std::ranges::count(reads_further, 1) > 0) return std::nullopt;
        }
      }
  std::ranges::copy(base, unknown.begin());
  return matrices;
}

void GridSystem::find_constant(Values state, double time) {
  const std::int64_t cells = shape_.cells();
  std::fill_n(state.begin() + unknown_ * cells, cells, 0.0);
  constant_.resize(cells);
  left_(state.data(), time, constant_.data());
}

// The unknown is a large power of two instead of 1, so that constants of the left side, which
// conditions bring in, cost no digits.
void GridSystem::assemble(const Values& state, double time) {
  const std::int64_t cells = shape_.cells();
  Values probe = state, made(cells);
  const std::span unknown(probe.begin() + unknown_ * cells, cells);
  std::ranges::fill(unknown, 0.0);
  constant_.resize(cells);
  left_(probe.data(), time, constant_.data());
  preconditioner_.reset();
  auto matrices = stencil_matrices(
      grid_, unknown, 0x1p30, constant_,
      [&]() -> std::span<const double> {
        left_(probe.data(), time, made.data());
        return made;
      },
      reads_along_axes_, threads_);
  if (!matrices)
    throw ConfigError(
        "equation.let.{}.solve: reads {} further than one cell away, also by a condition or a mean "
        "(expected derivatives of up to the second order)",
        rules_.unknown, rules_.unknown);
  raw_ = std::move(matrices->front());
  raw_->make(stencil_center);
  check_linear(std::move(probe), time);
  prepare();
}

// Compares the left side at numbers that have no pattern with what the matrix makes of them.
void GridSystem::check_linear(Values state, double time) {
  const std::int64_t cells = shape_.cells(), columns = grid_.size[2];
  double* const unknown = state.data() + unknown_ * cells;
  for (std::int64_t cell = 0; cell < cells; ++cell) {
    std::uint64_t bits = (static_cast<std::uint64_t>(cell) + 1) * 0x9e3779b97f4a7c15;
    bits = (bits ^ bits >> 31) * 0xbf58476d1ce4e5b9;
    unknown[cell] = static_cast<double>(bits >> 12) * 0x1p-51 - 1;
  }
  Values made(cells), x = grid_.padded(unknown), product = x, sizes = x;
  left_(state.data(), time, made.data());
  multiply(x, product);
  std::ranges::fill(sizes, 0.0);
  for (const Values& entries : raw_->entries)
    for (std::size_t place = 0; place < entries.size(); ++place)
      sizes[place] += std::abs(entries[place]);
  for (std::int64_t cell = 0; cell < cells; ++cell) {
    const std::int64_t place = grid_.row_place(cell / columns) + cell % columns;
    const double expected = product[place] + constant_[cell];
    if (!(std::abs(made[cell] - expected) > 1e-9 * (sizes[place] + std::abs(constant_[cell]))))
      continue;
    throw ConfigError(
        "equation.let.{}.solve: not linear in {}, or reads it further than one cell away ({}: "
        "{:.6g} instead of {:.6g})",
        rules_.unknown, rules_.unknown, cell_text(cell / columns, cell % columns), made[cell],
        expected);
  }
}

}  // namespace lapl
