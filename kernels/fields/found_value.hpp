// A value that a search found, and the values around it, which show the cause to a person.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/fields/digest.hpp"
#include "kernels/grid/grid.hpp"
#include "kernels/platform.hpp"

namespace lapl {

/// The cells in the plane of a cell that are at most two rows and two columns away from it.
struct Neighbourhood {
  std::int64_t first_row, first_column, rows, columns;
};
inline constexpr int most_neighbours = 25;  ///< including the cell itself

LAPL_HOST_DEVICE Neighbourhood cell_neighbourhood(std::int64_t index, Shape shape) {
  const std::int64_t row = index / shape.columns % shape.rows, column = index % shape.columns;
  const std::int64_t first_row = row < 2 ? 0 : row - 2;
  const std::int64_t first_column = column < 2 ? 0 : column - 2;
  const std::int64_t end_row = row + 3 > shape.rows ? shape.rows : row + 3;
  const std::int64_t end_column = column + 3 > shape.columns ? shape.columns : column + 3;
  return {first_row, first_column, end_row - first_row, end_column - first_column};
}

template <class T>
struct FoundValue {
  std::int64_t index = 0;
  std::array<T, most_neighbours> around{};  ///< values of cell_neighbourhood(index), row by row
};

/// An integer that grows with the magnitude |value|; that of a NaN is larger than that of infinity.
LAPL_HOST_DEVICE std::uint64_t magnitude_bits(double value) {
  return as_bits(value) & ~(std::uint64_t{1} << 63);
}

/// Index of the first NaN or infinity; none if all values are finite.
template <class T>
std::optional<std::int64_t> first_not_finite(std::span<const T> values) {
  constexpr std::size_t at_once = 4096;  // number of values tested without a branch
  for (std::size_t start = 0; start < values.size(); start += at_once) {
    const auto block = values.subspan(start, std::min(at_once, values.size() - start));
    unsigned bad = 0;
    for (const T value : block) bad |= std::isfinite(value) ? 0u : 1u;
    if (bad == 0) continue;
    const auto first = std::ranges::find_if(block, [](T value) { return !std::isfinite(value); });
    return static_cast<std::int64_t>(start) + (first - block.begin());
  }
  return std::nullopt;
}

/// The indices of the cells of cell_neighbourhood(index), row by row, in the same array as `index`.
inline std::vector<std::int64_t> indices_around(std::int64_t index, Shape shape) {
  const Neighbourhood area = cell_neighbourhood(index, shape);
  const std::int64_t cells = shape.rows * shape.columns, plane = index / cells * cells;
  std::vector<std::int64_t> around;
  for (std::int64_t row = area.first_row; row < area.first_row + area.rows; ++row)
    for (std::int64_t column = 0; column < area.columns; ++column)
      around.push_back(plane + row * shape.columns + area.first_column + column);
  return around;
}

/// The value at `index` of a state, or of a field, and the values around it.
template <class T>
FoundValue<T> found_value_at(std::int64_t index, const T* state, Shape shape) {
  FoundValue<T> found{.index = index};
  std::ranges::transform(indices_around(index, shape), found.around.begin(),
                         [&](std::int64_t at) { return state[at]; });
  return found;
}

}  // namespace lapl
