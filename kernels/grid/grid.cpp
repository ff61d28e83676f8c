#include "kernels/grid/grid.hpp"

#include <fmt/ranges.h>

#include <algorithm>

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

Spacing Spacing::of(std::span<const double> given) {
  Spacing spacing(given.front());
  std::ranges::copy(given, spacing.by_axis.end() - std::ssize(given));
  return spacing;
}

std::vector<double> Spacing::given(int axes) const {
  const std::vector<double> all(by_axis.end() - axes, by_axis.end());
  return std::ranges::count(all, all.front()) == axes ? std::vector{all.front()} : all;
}

Cell Cell::of(std::span<const std::int64_t> indices) {
  const auto at = [&](std::size_t from_last) {
    return from_last <= indices.size() ? indices[indices.size() - from_last] : 0;
  };
  return {.row = at(2), .column = at(1), .plane = at(3)};
}

std::vector<std::pair<GridAxis, std::int64_t>> shape_axes(Shape shape) {
  std::vector<std::pair<GridAxis, std::int64_t>> found;
  auto axis = all_axes.end() - shape.axes;
  for (const std::int64_t extent : shape.extents()) found.emplace_back(*axis++, extent);
  return found;
}

std::string shape_text(Shape shape) { return fmt::format("{}", fmt::join(shape.extents(), " x ")); }

std::string place_text(Cell cell, int axes) {
  std::string text = fmt::format("column {}", cell.column);
  if (axes > 1) text = fmt::format("row {}, {}", cell.row, text);
  if (axes > 2) text = fmt::format("plane {}, {}", cell.plane, text);
  return text;
}

}  // namespace lapl
