#include "app/view/terminal/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/view/plot/resample.hpp"

namespace lapl {
namespace {

constexpr int label_columns = 10;
constexpr int dots_across = 2, dots_down = 4;  // dots of a braille character

// An area of the grid in which single dots can be set.
class Dots {
 public:
  Dots(TextGrid& grid, TextArea area)
      : grid_(grid),
        area_(area),
        cells_(static_cast<std::size_t>(area.rows) * static_cast<std::size_t>(area.columns)) {}

  int across() const { return area_.columns * dots_across; }
  int down() const { return area_.rows * dots_down; }

  void set(int x, int y, Rgb ink) {
    // Bits of the dots in U+2800 and later, in two columns of four.
    constexpr int bits[dots_down][dots_across] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    const int row = y / dots_down, column = x / dots_across;
    char32_t& cell = cells_[row * area_.columns + column];
    cell |= static_cast<char32_t>(bits[y % dots_down][x % dots_across]);
    grid_.glyph(area_.row + row, area_.column + column, 0x2800 + cell, {.ink = ink});
  }

 private:
  TextGrid& grid_;
  TextArea area_;
  std::vector<char32_t> cells_;
};

// The statistics of a field over the steps.
struct History {
  std::span<const DiagnosticsLine> lines;
  std::size_t field;

  const Statistics& of(const DiagnosticsLine& line) const { return line.fields[field]; }
};

Limits history_limits(const History& history) {
  Limits range{1, 0};
  for (const DiagnosticsLine& line : history.lines) {
    const Statistics& s = history.of(line);
    for (const double value : {s.min, s.max, s.mean})
      if (std::isfinite(value)) range = united(range, {value, value});
  }
  return widened(range);
}

// The value at a step, interpolated linearly; none if one of its two neighbours is not finite.
std::optional<double> value_at(const History& history, double Statistics::*member, double step) {
  const auto lines = history.lines;
  const auto after = std::ranges::lower_bound(
      lines, step, {}, [](const DiagnosticsLine& line) { return static_cast<double>(line.step); });
  const DiagnosticsLine& later = after == lines.end() ? lines.back() : *after;
  const DiagnosticsLine& earlier = after == lines.begin() ? later : after[-1];
  const double steps = static_cast<double>(later.step - earlier.step);
  const double part =
      steps > 0 ? std::min(1.0, (step - static_cast<double>(earlier.step)) / steps) : 0;
  const double value = history.of(earlier).*member * (1 - part) + history.of(later).*member * part;
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// Draws a curve through `samples` points; curve_value(x) is the value at x from 0 (left) to 1
// (right), or none.
template <class CurveValue>
void draw_line(Dots& dots, Limits range, Rgb ink, int samples, CurveValue curve_value) {
  int before = -1;  // row of the point before; -1 if there is none
  for (int i = 0; i < samples; ++i) {
    const double part = static_cast<double>(i) / (samples - 1);
    const std::optional<double> value = curve_value(part);
    if (!value) {
      before = -1;
      continue;
    }
    const double place = std::clamp(1 - range.fraction(*value), 0.0, 1.0);
    const int x = static_cast<int>(std::lround(part * (dots.across() - 1)));
    const int y = static_cast<int>(std::lround(place * (dots.down() - 1)));
    const int from = before < 0 ? y : before;
    for (int at = std::min(y, from); at <= std::max(y, from); ++at) dots.set(x, at, ink);
    before = y;
  }
}

// Draws the numbers of a graph, and returns the area beside and above them for its lines; none if
// there is no room.
std::optional<Dots> dots_within(TextGrid& grid, TextArea area, Limits range,
                                const std::string& first, const std::string& last) {
  if (area.rows < 2 || area.columns <= label_columns + 4) return std::nullopt;
  const int last_row = area.row + area.rows - 2;
  const TextArea plot{area.row, area.column + label_columns, area.rows - 1,
                      area.columns - label_columns};
  const auto label = [&](int row, double value) {
    grid.text(row, area.column, fmt::format("{:>{}.3g}", value, label_columns - 1), {.dim = true});
  };
  label(area.row, range.high);
  if (last_row > area.row) label(last_row, range.low);
  grid.text(last_row + 1, plot.column, first, {.dim = true});
  const int at = plot.column + plot.columns - static_cast<int>(last.size());
  if (at > plot.column + static_cast<int>(first.size()))
    grid.text(last_row + 1, at, last, {.dim = true});
  return Dots(grid, plot);
}

}  // namespace

void draw_history(TextGrid& grid, TextArea area, std::span<const DiagnosticsLine> lines,
                  std::size_t field) {
  if (lines.empty()) return;
  const History history{lines, field};
  const Limits range = history_limits(history);
  const std::int64_t first = lines.front().step, last = lines.back().step;
  auto dots = dots_within(grid, area, range, fmt::format("step {}", first), std::to_string(last));
  if (!dots) return;
  const auto draw = [&](double Statistics::*member, Rgb ink) {
    draw_line(*dots, range, ink, dots->across(), [&](double part) {
      return value_at(history, member,
                      static_cast<double>(first) + part * static_cast<double>(last - first));
    });
  };
  draw(&Statistics::min, min_ink);
  draw(&Statistics::max, max_ink);
  draw(&Statistics::mean, mean_ink);
}

void draw_values(TextGrid& grid, TextArea area, const Panel& panel) {
  const Limits range = widened(percentile_limits(panel.pixels, 0, 100));
  auto dots = dots_within(grid, area, range, "column 0", std::to_string(panel.shape.columns - 1));
  if (!dots) return;
  const auto count = static_cast<int>(panel.pixels.size());
  const auto curve_value = [&](double part) -> std::optional<double> {
    const double at = part * (count - 1);
    const auto before = static_cast<std::size_t>(at);
    const double beyond = at - static_cast<double>(before);
    double value = panel.pixels[before];
    if (beyond > 0) value += beyond * (panel.pixels[before + 1] - value);
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  };
  draw_line(*dots, range, panel.colormap.color(0.3), std::max(dots->across(), count), curve_value);
}

void draw_thumbnail(TextGrid& grid, TextArea area, const Panel& panel, TerminalColors colors) {
  if (area.rows < 1 || area.columns < 1) return;
  const double rows = static_cast<double>(panel.shape.rows);
  const double columns = static_cast<double>(panel.shape.columns);
  const double scale = std::min(2 * area.rows / rows, area.columns / columns);
  const Shape pixels{std::clamp<std::int64_t>(std::llround(rows * scale), 1, 2 * area.rows),
                     std::clamp<std::int64_t>(std::llround(columns * scale), 1, area.columns)};
  const std::vector<double> values =
      resample(FieldView(std::span(panel.pixels)), panel.drawn, pixels);
  const auto fraction = [&](std::int64_t row, std::int64_t column) {
    const auto line = panel.axes.first_row_below ? pixels.rows - 1 - row : row;
    return panel.limits.fraction(values[line * pixels.columns + column]);
  };
  for (std::int64_t row = 0; row < pixels.rows; row += 2)
    for (std::int64_t column = 0; column < pixels.columns; ++column) {
      const int y = area.row + static_cast<int>(row / 2),
                x = area.column + static_cast<int>(column);
      const bool whole = row + 1 < pixels.rows;
      const double upper = fraction(row, column);
      const double lower = whole ? fraction(row + 1, column) : upper;
      if (colors == TerminalColors::none) {
        constexpr char32_t shades[] = {U' ', U'░', U'▒', U'▓', U'█'};
        const double mean = std::clamp((upper + lower) / 2, 0.0, 1.0);
        grid.glyph(y, x, std::isnan(mean) ? U'?' : shades[std::lround(mean * 4)]);
      } else {
        TextStyle style{.ink = panel.colormap.color(upper)};
        if (whole) style.paper = panel.colormap.color(lower);
        grid.glyph(y, x, U'▀', style);
      }
    }
}

}  // namespace lapl
