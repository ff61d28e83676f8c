#include "app/view/report/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "app/view/plot/indexed_png.hpp"
#include "app/view/plot/ticks.hpp"
#include "app/view/report/html.hpp"

namespace lapl {
namespace {

constexpr int most_numbers_across = 4, most_numbers_upwards = 5;
constexpr double flattest = 4, tallest = 0.2;  // limits of width / height for square cells
constexpr std::int64_t visible_cells = 200;  // fields with at most this many on a side show squares
constexpr double margin = 0.05;  // above and below a graph's lines, as a part of its height

// The numbers along an axis. Fractions are distances from the edge `side`, a property of CSS.
std::string numbers_html(const Ticks& ticks, const char* axis, const char* side) {
  std::string html = fmt::format("<div class=\"numbers {}\" aria-hidden=\"true\">", axis);
  for (const Tick& tick : ticks.ticks)
    html += fmt::format("<span style=\"{}:{:.2f}%\">{}</span>", side, 100 * tick.fraction,
                        html_escaped(tick.label));
  return html + "</div>";
}

std::string gradient(const Colormap& colormap) {
  std::string stops;
  for (int i = 0; i <= 16; ++i) stops += fmt::format(",#{:06x}", colormap.color(i / 16.0));
  return "linear-gradient(to top" + stops + ")";
}

constexpr double graph_width = 1000, graph_height = 400;  // units of the SVG

// Polylines through values at places from 0 to 1, with gaps at values that are not finite.
std::string polylines(const std::string& style, std::span<const double> across,
                      std::span<const double> values, Limits y) {
  std::string html;
  bool open = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      if (open) html += "\"/>";
      open = false;
      continue;
    }
    const std::string point = fmt::format("{:.1f},{:.1f}", across[i] * graph_width,
                                          (1 - y.fraction(values[i])) * graph_height);
    // Repeats the first point, because a line of a single point would be invisible.
    html += open ? " " + point
                 : fmt::format("<polyline class=\"{}\" points=\"{} {}", style, point, point);
    open = true;
  }
  return open ? html + "\"/>" : html;
}

// A graph of lines over `y`; head, data and x_name are HTML, words are for screen readers.
std::string graph_figure(const std::string& head, const std::string& data, const std::string& words,
                         const std::string& lines, Limits y, const Ticks& x,
                         const std::string& x_name) {
  const Ticks values = round_ticks(y.low, y.high, most_numbers_upwards);
  std::string rules;
  for (const Tick& tick : values.ticks)
    rules += fmt::format("<path class=\"rule\" d=\"M0 {:.1f}H{}\"/>",
                         (1 - tick.fraction) * graph_height, graph_width);
  return fmt::format(
      "<figure class=\"graph\"><figcaption>{} <span class=\"common\">{}</span>"
      "</figcaption><div class=\"plot\">{}<div class=\"lines\"{}>"
      "<svg role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\">{}{}"
      "</svg></div>{}<div class=\"name\">{}</div></div></figure>\n",
      head, html_with_superscripts(values.common_text()), numbers_html(values, "upwards", "bottom"),
      data, words, graph_width, graph_height, rules, lines, numbers_html(x, "across", "left"),
      x_name);
}

std::string x_name_of(const Panel& panel, const Ticks& x) {
  return html_with_superscripts(axis_title(panel.axes.x.name, panel.axes.unit, x));
}

Ticks axis_ticks(std::int64_t cells, const PlotAxis& axis, int most) {
  return cell_ticks(cells, axis.spacing, most, axis.origin);
}

// A graph of a field of one axis.
std::string values_html(const Panel& panel, const std::string& when) {
  std::vector<double> across;
  for (std::size_t i = 0; i < panel.pixels.size(); ++i)
    across.push_back((static_cast<double>(i) + 0.5) / static_cast<double>(panel.pixels.size()));
  const std::string title = html_escaped(panel.title);
  const Limits range = percentile_limits(panel.pixels, 0, 100);
  const Ticks x = axis_ticks(panel.shape.columns, panel.axes.x, most_numbers_across);
  return graph_figure(
      fmt::format("<b>{}</b> <span class=\"common\">{}</span>", title,
                  html_escaped(panel.subtitle)),
      "", fmt::format("{} at {}, from {:.4g} to {:.4g}", title, when, range.low, range.high),
      polylines("min", across, panel.pixels, panel.limits), panel.limits, x, x_name_of(panel, x));
}

}  // namespace

std::string picture_html(const Panel& panel, const std::string& when) {
  if (panel.line) return values_html(panel, when);
  const Extent extent = extent_of(panel.shape, panel.axes);
  const double ratio = std::clamp(extent.columns / extent.rows, tallest, flattest);
  const Ticks x = axis_ticks(panel.shape.columns, panel.axes.x, most_numbers_across);
  Ticks y = axis_ticks(panel.shape.rows, panel.axes.y, ratio > 3 ? 3 : most_numbers_upwards);
  if (!panel.axes.first_row_below)
    for (Tick& tick : y.ticks) tick.fraction = 1 - tick.fraction;
  const Ticks bar =
      round_ticks(panel.limits.low, panel.limits.high, ratio > 3 ? 3 : most_numbers_upwards);
  const bool squares = std::max(panel.shape.rows, panel.shape.columns) <= visible_cells;
  const std::string values =
      fmt::format("colours from {:.4g} to {:.4g}", panel.limits.low, panel.limits.high);
  return fmt::format(
      "<figure class=\"picture\" style=\"--ratio:{:.4f}\">"
      "<figcaption><b>{}</b> <span class=\"common\">{} {}</span></figcaption><div class=\"plot\">"
      "{}<img{} alt=\"{} at {}, {}\" width=\"{}\" height=\"{}\" src=\"data:image/png;base64,{}\">"
      "<div class=\"bar\" style=\"background:{}\"></div>{}{}"
      "<div class=\"name\">{}, {}</div></div></figure>\n",
      ratio, html_escaped(panel.title), html_with_superscripts(bar.common_text()),
      html_escaped(panel.subtitle), numbers_html(y, "upwards", "bottom"),
      squares ? " class=\"squares\"" : "", html_escaped(panel.title), when, values,
      panel.drawn.columns, panel.drawn.rows, base64(indexed_png(panel)), gradient(panel.colormap),
      numbers_html(bar, "scale", "bottom"), numbers_html(x, "across", "left"), x_name_of(panel, x),
      html_with_superscripts(axis_title(panel.axes.y.name, panel.axes.unit, y)));
}

std::string graph_html(const std::string& title, Along along,
                       std::span<const DiagnosticsLine> history,
                       const std::vector<ReportLine>& lines) {
  Limits range{1, 0};
  for (const DiagnosticsLine& at : history)
    for (const ReportLine& line : lines)
      if (const double value = line.value(at); std::isfinite(value))
        range = united(range, {value, value});
  range = widened(range);
  const double beyond = margin * (range.high - range.low);
  const Limits y{range.low - beyond, range.high + beyond};
  const bool over_time = along == Along::time;
  const auto place_of = [&](const DiagnosticsLine& at) {
    return over_time ? at.time : static_cast<double>(at.step);
  };
  const double first = place_of(history.front()), last = place_of(history.back());
  const Limits x{first, last > first ? last : first + 1};
  const Ticks ticks = round_ticks(x.low, x.high, most_numbers_across);

  std::vector<double> across;
  for (const DiagnosticsLine& at : history) across.push_back(x.fraction(place_of(at)));
  std::string drawing, legend, words;
  for (const ReportLine& line : lines) {
    std::vector<double> values;
    std::ranges::transform(history, std::back_inserter(values), line.value);
    drawing += polylines(line.style, across, values, y);
    if (lines.size() > 1)
      legend += fmt::format(" <span class=\"key {}\">{}</span>", line.style, line.name);
    words +=
        fmt::format("{}{} {:.4g} at last", words.empty() ? "" : ", ", line.name, values.back());
  }
  return graph_figure(
      fmt::format("<b>{}</b>{}", title, legend),
      fmt::format(" data-first=\"{}\" data-last=\"{}\" data-along=\"{}\"", x.low, x.high,
                  over_time ? "time" : "step"),
      words, drawing, y, ticks,
      html_with_superscripts(axis_title(over_time ? "t" : "step", over_time ? "s" : "", ticks)));
}

}  // namespace lapl
