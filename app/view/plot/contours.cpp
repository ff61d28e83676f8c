#include "app/view/plot/contours.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>

#include "app/view/plot/ticks.hpp"
#include "kernels/error.hpp"

namespace lapl {

std::vector<double> line_levels(const LineChoice& lines, Limits range, const std::string& field) {
  if (range.low > range.high) throw ConfigError("{}: {} has no finite value", lines.option, field);
  for (const double level : lines.levels)
    if (!(level >= range.low && level <= range.high))
      throw ConfigError("{}: {} is outside of the values of {} (expected {} to {})", lines.option,
                        level, field, number_text(range.low, 6), number_text(range.high, 6));
  std::vector<double> levels = lines.levels;
  for (int i = 1; i <= lines.count; ++i)
    levels.push_back(range.low + (range.high - range.low) * i / (lines.count + 1));
  return levels;
}

std::vector<Segment> contour(std::span<const double> nodes, Shape shape, double level) {
  constexpr std::array<int, 5> right = {0, 1, 1, 0, 0}, down = {0, 0, 1, 1, 0};
  std::vector<Segment> segments;
  for (std::int64_t row = 0; row + 1 < shape.rows; ++row)
    for (std::int64_t column = 0; column + 1 < shape.columns; ++column) {
      std::array<double, 5> above{};  // of the four nodes around, the first one also at the end
      double sum = 0;
      for (std::size_t k = 0; k < 5; ++k) {
        above[k] = nodes[(row + down[k]) * shape.columns + column + right[k]] - level;
        sum += k < 4 ? above[k] : 0;
      }
      if (!std::isfinite(sum)) continue;
      std::array<std::array<double, 2>, 4> points;
      std::size_t count = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        if ((above[k] < 0) == (above[k + 1] < 0)) continue;
        const double part = above[k] / (above[k] - above[k + 1]);
        const auto place = [&](std::int64_t first, const std::array<int, 5>& to,
                               double nodes_along) {
          return (static_cast<double>(first) + 0.5 + to[k] + part * (to[k + 1] - to[k])) /
                 nodes_along;
        };
        points[count++] = {place(column, right, static_cast<double>(shape.columns)),
                           place(row, down, static_cast<double>(shape.rows))};
      }
      // At a saddle the middle belongs to the first and third nodes, or to the other two.
      const std::size_t shift = count == 4 && (sum < 0) != (above[0] < 0) ? 3 : 0;
      for (std::size_t i = 0; i + 1 < count; i += 2) {
        const auto &from = points[(i + shift) % 4], &to = points[(i + 1 + shift) % 4];
        segments.push_back({from[0], from[1], to[0], to[1]});
      }
    }
  return segments;
}

std::string lines_text(const std::string& name, std::span<const double> levels,
                       const std::string& unit) {
  constexpr std::size_t most = 4;
  std::vector<std::string> numbers;
  for (const double level : levels) numbers.push_back(number_text(level, 3));
  const std::string values = numbers.size() <= most ? fmt::format("{}", fmt::join(numbers, ", "))
                                                    : numbers.front() + " to " + numbers.back();
  return with_unit(fmt::format(", lines of {} at {}", name, values), unit);
}

}  // namespace lapl
