// The inverse, but for rounding, of a matrix whose rows are alike: those of an operator with
// constant coefficients, symmetric along each axis, on a box of cells with the conditions that
// spectral_modes.hpp lists. The modes of these conditions are its eigenvectors.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/cpu/mode_transforms.hpp"
#include "kernels/problem.hpp"
#include "kernels/solve/coarse_nodes.hpp"
#include "kernels/solve/multigrid.hpp"
#include "kernels/solve/preconditioner.hpp"
#include "kernels/spectral/rates_of_modes.hpp"

namespace lapl {
namespace {

// The cells that have an equation with others, and what their rows are. All but one entries of
// other rows are 0.
struct AlikeRows {
  Index first{}, size{};  // of the box, by axis
  std::array<double, stencil_offsets> entries{};
  // The value beyond each end of an axis over that at it: 0, 1 or -1. Not read on periodic axes.
  std::array<std::array<int, 2>, 3> beyond{};
};

// The box of the cells whose rows have entries for other cells; none if they do not fill one.
bool find_box(const StencilMatrix& matrix, AlikeRows& found) {
  const PaddedGrid& grid = matrix.grid;
  const MatrixTerms terms(matrix);
  Index least = grid.size, most = {-1, -1, -1};
  std::int64_t count = 0;
  for (std::int64_t row = 0; row < grid.rows(); ++row) {
    const std::int64_t at = grid.row_place(row);
    for (std::int64_t column = 0; column < grid.size[2]; ++column) {
      bool has_others = false;
      for (int term = 0; term < terms.count && !has_others; ++term)
        has_others = terms.moves[term] != 0 && terms.entries[term][at + column] != 0;
      if (!has_others) continue;
      ++count;
      const Index cell = {row / grid.size[1], row % grid.size[1], column};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        least[axis] = std::min(least[axis], cell[axis]);
        most[axis] = std::max(most[axis], cell[axis]);
      }
    }
  }
  if (count == 0) return false;
  found.first = least;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    found.size[axis] = most[axis] - least[axis] + 1;
    if (found.size[axis] == 2) return false;  // no row is inside
    if (grid.periodic[axis] && found.size[axis] != grid.size[axis]) return false;
  }
  return count == found.size[0] * found.size[1] * found.size[2];
}

// A row beside the first (-1) or last (1) ends of axes, or inside (0). Its entries for cells
// outside the box, whose values are given, are not known.
struct ExpectedRow {
  std::array<double, stencil_offsets> entries{};
  std::array<bool, stencil_offsets> is_known{};
  double sum = 0;
};
ExpectedRow expected_row(const AlikeRows& rows, const PaddedGrid& grid, std::array<int, 3> end) {
  ExpectedRow row;
  for (int offset = 0; offset < stencil_offsets; ++offset) {
    double entry = rows.entries[offset];
    auto by = stencil_offset(offset);
    row.is_known[offset] = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (by[axis] == 0 || grid.periodic[axis]) continue;
      if (by[axis] != end[axis] && rows.size[axis] > 1) continue;
      row.is_known[offset] = false;
      entry *= rows.beyond[axis][end[axis] > 0 ? 1 : 0];
      by[axis] = 0;
    }
    row.entries[offset_number(by[0], by[1], by[2])] += entry;
    row.sum += entry;
  }
  return row;
}

// None if the rows are not alike.
std::optional<AlikeRows> alike_rows(const StencilMatrix& matrix, int threads) {
  constexpr double rounding = 1e-9;  // of entries, relative to the largest one
  const PaddedGrid& grid = matrix.grid;
  AlikeRows found;
  if (!find_box(matrix, found)) return std::nullopt;
  const auto entry_at = [&](int offset, const Index& cell) {
    return matrix.has(offset) ? matrix.at(offset)[grid.place(cell)] : 0;
  };
  Index inside = found.first;
  for (std::size_t axis = 0; axis < 3; ++axis) inside[axis] += found.size[axis] / 2;
  // Along an axis of one cell, entries are for cells outside the box.
  const auto leaves = [&](int offset) {
    const auto by = stencil_offset(offset);
    return std::ranges::any_of(std::array{0, 1, 2},
                               [&](int axis) { return by[axis] != 0 && found.size[axis] == 1; });
  };
  double largest = 0;
  for (int offset = 0; offset < stencil_offsets; ++offset) {
    if (!leaves(offset)) found.entries[offset] = entry_at(offset, inside);
    largest = std::max(largest, std::abs(found.entries[offset]));
  }
  const auto differ = [&](double a, double b) { return !(std::abs(a - b) <= rounding * largest); };
  for (int offset = 0; offset < stencil_offsets; ++offset)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      auto by = stencil_offset(offset);
      by[axis] = -by[axis];
      if (differ(found.entries[offset], found.entries[offset_number(by[0], by[1], by[2])]))
        return std::nullopt;
    }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::array<int, 3> by{};
    by[axis] = 1;
    const double along = found.entries[offset_number(by[0], by[1], by[2])];
    for (const bool last : {false, true}) {
      if (found.size[axis] == 1 || along == 0 || grid.periodic[axis]) {
        found.beyond[axis] = {1, 1};
        continue;
      }
      Index end = inside;
      end[axis] = found.first[axis] + (last ? found.size[axis] - 1 : 0);
      const double of_end = entry_at(stencil_center, end) - found.entries[stencil_center];
      const double beyond = std::round(of_end / along);
      if (!(std::abs(beyond) <= 1)) return std::nullopt;
      found.beyond[axis][last ? 1 : 0] = static_cast<int>(beyond);
    }
    const auto [first, last] = found.beyond[axis];
    if (first + last == -1) return std::nullopt;  // spectral_modes.hpp has no such modes
  }
  std::array<ExpectedRow, 27> expected;
  for (int ends = 0; ends < 27; ++ends)
    expected[ends] = expected_row(found, grid, stencil_offset(ends));
  const bool any_differs = any_index(found.size[0] * found.size[1], threads, [&](std::int64_t row) {
    Index cell = {row / found.size[1], row % found.size[1], 0};
    const auto end = [&](std::size_t axis) {
      return found.size[axis] == 1                ? 0
             : cell[axis] == 0                    ? -1
             : cell[axis] + 1 == found.size[axis] ? 1
                                                  : 0;
    };
    for (cell[2] = 0; cell[2] < found.size[2]; ++cell[2]) {
      const auto& of_row = expected[offset_number(end(0), end(1), end(2))];
      const std::int64_t place = grid.place(
          {found.first[0] + cell[0], found.first[1] + cell[1], found.first[2] + cell[2]});
      double sum = 0, size = 0;
      for (int offset = 0; offset < stencil_offsets; ++offset) {
        if (!of_row.is_known[offset]) continue;
        const double entry = matrix.has(offset) ? matrix.at(offset)[place] : 0;
        if (differ(entry, of_row.entries[offset])) return true;
        sum += entry;
        size += std::abs(entry);
      }
      // The slowest modes follow from sums, which may be far smaller than entries.
      if (!(std::abs(sum - of_row.sum) <= rounding * std::abs(of_row.sum) + 0x1p-46 * size))
        return true;
    }
    return false;
  });
  if (any_differs) return std::nullopt;
  return found;
}

class ModeSolver : public Preconditioner {
 public:
  ModeSolver(StencilMatrix matrix, const AlikeRows& rows, bool is_singular, int threads)
      : matrix_(std::move(matrix)),
        rows_(rows),
        threads_(threads),
        shape_(box_shape(rows, matrix_.grid)),
        exchange_(Problem<double>{.shape = shape_, .faces = {}}, threads),
        transforms_(box_faces(rows, matrix_.grid), exchange_, threads),
        rates_(mode_rate(rows, is_singular), box_faces(rows, matrix_.grid), shape_),
        values_(shape_.cells(), threads) {}

  const StencilMatrix& matrix() const override { return matrix_; }
  const char* name() const override { return "transforms"; }

  void precondition(const std::vector<double>& r, std::vector<double>& z) override {
    const PaddedGrid& grid = matrix_.grid;
    const std::vector<double>& diagonal = matrix_.at(stencil_center);
    const std::int64_t rows = rows_.size[0] * rows_.size[1], columns = rows_.size[2];
    for_indices(grid.values, threads_,
                [&](std::int64_t i) { z[i] = diagonal[i] == 0 ? 0 : r[i] / diagonal[i]; });
    for_indices(rows, threads_, [&](std::int64_t row) {
      std::copy_n(r.data() + place(row), columns, values_.data() + row * columns);
    });
    const double scale = transforms_.scale();
    transforms_.through(values_.data(), columns, values_.data(),
                        [&](double* line, std::int64_t index) {
                          rates_.for_line(index, [&](std::int64_t mode, double rate) {
                            line[mode] = rate == 0 ? 0 : scale * line[mode] / rate;
                          });
                        });
    for_indices(rows, threads_, [&](std::int64_t row) {
      std::copy_n(values_.data() + row * columns, columns, z.data() + place(row));
    });
  }

 private:
  static Shape box_shape(const AlikeRows& rows, const PaddedGrid& grid) {
    const int axes = grid.size[0] > 1 ? 3 : grid.size[1] > 1 ? 2 : 1;
    return {.rows = rows.size[1], .columns = rows.size[2], .planes = rows.size[0], .axes = axes};
  }
  static Faces<double> box_faces(const AlikeRows& rows, const PaddedGrid& grid) {
    const auto of_axis = [&](std::size_t axis) {
      return grid.periodic[axis]
                 ? AxisFaces<double>(Boundary::periodic)
                 : AxisFaces<double>({.a = 0, .b = static_cast<double>(rows.beyond[axis][0])},
                                     {.a = 0, .b = static_cast<double>(rows.beyond[axis][1])});
    };
    return {of_axis(1), of_axis(2), of_axis(0)};
  }
  // The eigenvalues.
  static ModeRate mode_rate(const AlikeRows& rows, bool is_singular) {
    ModeRate rate;
    for (int offset = 0; offset < stencil_offsets; ++offset) {
      rate.of_mean += rows.entries[offset];
      ModeRate::Term term{.weight = rows.entries[offset]};
      bool is_first = offset != stencil_center;  // of those that reflections make of each other
      for (std::size_t axis = 0; axis < 3; ++axis) {
        term.turns[axis] = stencil_offset(offset)[axis];
        is_first = is_first && term.turns[axis] >= 0;
        if (term.turns[axis] != 0) term.weight *= 2;
      }
      if (is_first && term.weight != 0) rate.terms.push_back(term);
    }
    if (is_singular) rate.of_mean = 0;
    return rate;
  }

  std::int64_t place(std::int64_t row) const {
    return matrix_.grid.place({rows_.first[0] + row / rows_.size[1],
                               rows_.first[1] + row % rows_.size[1], rows_.first[2]});
  }

  StencilMatrix matrix_;
  AlikeRows rows_;
  int threads_;
  Shape shape_;
  HostPasses::Exchange exchange_;
  GridTransforms<HostPasses> transforms_;
  RatesOfModes rates_;
  HostBuffer<double> values_;
};

}  // namespace

std::unique_ptr<Preconditioner> make_preconditioner(StencilMatrix matrix, bool is_singular,
                                                    SolveMethod method, int threads) {
  if (method != SolveMethod::multigrid)
    if (const auto rows = alike_rows(matrix, threads))
      return std::make_unique<ModeSolver>(std::move(matrix), *rows, is_singular, threads);
  if (method == SolveMethod::transforms) return nullptr;
  return std::make_unique<Multigrid>(std::move(matrix), is_singular, threads);
}

}  // namespace lapl
