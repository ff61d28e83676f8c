#include "kernels/grid.hpp"

#include <fmt/ranges.h>

namespace lapl {

std::vector<std::int64_t> Shape::extents() const {
  const std::vector<std::int64_t> all = {planes, rows, columns};
  return {all.end() - axes, all.end()};
}

Shape Shape::of(std::span<const std::int64_t> extents) {
  const auto at = [&](std::size_t from_last) {
    return from_last <= extents.size() ? extents[extents.size() - from_last] : 1;
  };
  return {
      .rows = at(2), .columns = at(1), .planes = at(3), .axes = static_cast<int>(extents.size())};
}

std::vector<std::pair<GridAxis, std::int64_t>> axes_of(Shape shape) {
  std::vector<std::pair<GridAxis, std::int64_t>> found;
  auto axis = all_axes.end() - shape.axes;
  for (const std::int64_t extent : shape.extents()) found.emplace_back(*axis++, extent);
  return found;
}

std::string text_of(Shape shape) { return fmt::format("{}", fmt::join(shape.extents(), " x ")); }

std::string text_of(Cell cell, int axes) {
  std::string text = fmt::format("column {}", cell.column);
  if (axes > 1) text = fmt::format("row {}, {}", cell.row, text);
  if (axes > 2) text = fmt::format("plane {}, {}", cell.plane, text);
  return text;
}

}  // namespace lapl
