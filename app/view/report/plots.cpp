#include "app/view/report/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/view/plot/indexed_png.hpp"
#include "app/view/plot/ticks.hpp"
#include "app/view/report/html.hpp"

namespace lapl {
namespace {

constexpr int most_numbers_across = 4, most_numbers_upwards = 5;
constexpr double flattest = 4, tallest = 0.2;  // width by height; beyond, cells are not square
constexpr std::int64_t visible_cells = 200;    // up to as many cells a side are shown as squares
constexpr double margin = 0.05;                // of a graph's height, above and below its lines

// The numbers along an axis; `side` is the side that fractions count from.
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

struct Place {
  double low = 0, high = 1;
  double operator()(double value, double size) const { return (value - low) / (high - low) * size; }
};

constexpr double graph_width = 1000, graph_height = 400;  // units of its drawing

std::string polylines(std::span<const DiagnosticsLine> history, const ReportLine& line, Place x,
                      Place y) {
  std::string html;
  bool open = false;
  for (const DiagnosticsLine& at : history) {
    const double value = line.value(at);
    if (!std::isfinite(value)) {
      if (open) html += "\"/>";
      open = false;
      continue;
    }
    const std::string point =
        fmt::format("{:.1f},{:.1f}", x(static_cast<double>(at.step), graph_width),
                    graph_height - y(value, graph_height));
    // The first one twice: a line of a single point would not show.
    html += open ? " " + point
                 : fmt::format("<polyline class=\"{}\" points=\"{} {}", line.style, point, point);
    open = true;
  }
  return open ? html + "\"/>" : html;
}

}  // namespace

std::string picture_html(const Panel& panel, const std::string& when) {
  const Extent extent = extent_of(panel.shape, panel.axes);
  const double ratio =  // one axis is a strip here
      panel.line ? flattest : std::clamp(extent.columns / extent.rows, tallest, flattest);
  const Ticks x = cell_ticks(panel.shape.columns, panel.axes.x.spacing, most_numbers_across);
  Ticks y =
      cell_ticks(panel.shape.rows, panel.axes.y.spacing, ratio > 3 ? 3 : most_numbers_upwards);
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
      numbers_html(bar, "scale", "bottom"), numbers_html(x, "across", "left"),
      html_with_superscripts(axis_title(panel.axes.x.name, panel.axes.unit, x)),
      html_with_superscripts(axis_title(panel.axes.y.name, panel.axes.unit, y)));
}

std::string graph_html(const std::string& title, std::span<const DiagnosticsLine> history,
                       const std::vector<ReportLine>& lines) {
  Limits range{1, 0};
  for (const DiagnosticsLine& at : history)
    for (const ReportLine& line : lines)
      if (const double value = line.value(at); std::isfinite(value))
        range = united(range, {value, value});
  range = widened(range);
  const double beyond = margin * (range.high - range.low);
  const Place y{range.low - beyond, range.high + beyond};
  const double first = static_cast<double>(history.front().step);
  const Place x{first, std::max(first + 1, static_cast<double>(history.back().step))};
  const Ticks steps = round_ticks(x.low, x.high, most_numbers_across);
  const Ticks values = round_ticks(y.low, y.high, most_numbers_upwards);

  std::string drawing, legend, words;
  for (const Tick& tick : values.ticks) {
    const double at = (1 - tick.fraction) * graph_height;
    drawing += fmt::format("<path class=\"rule\" d=\"M0 {0:.1f}H{1}\"/>", at, graph_width);
  }
  for (const ReportLine& line : lines) {
    drawing += polylines(history, line, x, y);
    if (lines.size() > 1)
      legend += fmt::format(" <span class=\"key {}\">{}</span>", line.style, line.name);
    words += fmt::format("{}{} {:.4g} at last", words.empty() ? "" : ", ", line.name,
                         line.value(history.back()));
  }
  return fmt::format(
      "<figure class=\"graph\"><figcaption><b>{}</b>{} <span class=\"common\">{}</span>"
      "</figcaption><div class=\"plot\">{}<div class=\"lines\" data-first=\"{}\" data-last=\"{}\">"
      "<svg role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\">{}"
      "</svg></div>{}<div class=\"name\">{}</div></div></figure>\n",
      title, legend, html_with_superscripts(values.common_text()),
      numbers_html(values, "upwards", "bottom"), x.low, x.high, words, graph_width, graph_height,
      drawing, numbers_html(steps, "across", "left"),
      html_with_superscripts(axis_title("step", "", steps)));
}

}  // namespace lapl
