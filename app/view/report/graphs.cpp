#include "app/view/report/graphs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/view/plot/indexed_png.hpp"
#include "app/view/plot/ticks.hpp"
#include "app/view/report/html.hpp"
#include "app/view/run_graphs.hpp"

namespace lapl {
namespace {

// Pictures and graphs in HTML. Their numbers are text of the page, so that they stay legible on a
// screen of any width.

constexpr int most_numbers_across = 4, most_numbers_upwards = 5;
constexpr double flattest = 4, tallest = 0.2;  // limits of a picture's width / height
// Fields with at most this many cells on a side show them as squares.
constexpr std::int64_t visible_cells = 200;
// Space above and below the values of a graph, relative to their range.
constexpr double margin = 0.05;

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

// Polylines through values at places from 0 to 1, with gaps at values that are not finite. `style`
// has attributes.
std::string polylines(const std::string& style, std::span<const double> across,
                      std::span<const double> values, Limits y) {
  std::string html;
  bool open = false;
  for (const std::size_t i : drawn_values(values)) {
    if (!std::isfinite(values[i])) {
      if (open) html += "\"/>";
      open = false;
      continue;
    }
    const std::string point = fmt::format("{:.1f},{:.1f}", across[i] * graph_width,
                                          (1 - y.fraction(values[i])) * graph_height);
    // Repeats the first point, because a line of a single point would be invisible.
    html += open ? " " + point : fmt::format("<polyline {} points=\"{} {}", style, point, point);
    open = true;
  }
  return open ? html + "\"/>" : html;
}

// The parts of a graph that depend on the quantity across: lines (SVG), numbers and name.
struct Across {
  std::string style;  // class in page.css
  std::string lines;
  Ticks ticks;
  std::string name;
};

// The HTML of a graph with the values `y` upwards. `head`, `data` (attributes) and names are HTML,
// `words` are for screen readers.
std::string graph_figure(const std::string& head, const std::string& data, const std::string& words,
                         Limits y, const std::string& unit, const std::vector<Across>& across) {
  const Ticks values = round_ticks(y.low, y.high, most_numbers_upwards);
  std::string drawing, numbers;
  for (const Tick& tick : values.ticks)
    drawing += fmt::format("<path class=\"rule\" d=\"M0 {:.1f}H{}\"/>",
                           (1 - tick.fraction) * graph_height, graph_width);
  for (const Across& each : across) {
    drawing += fmt::format("<g class=\"{}\">{}</g>", each.style, each.lines);
    numbers += fmt::format("{}<div class=\"name {}\">{}</div>",
                           numbers_html(each.ticks, ("across " + each.style).c_str(), "left"),
                           each.style, each.name);
  }
  return fmt::format(
      "<figure class=\"graph\"><figcaption>{} <span class=\"common\">{}</span>"
      "</figcaption><div class=\"plot\">{}<div class=\"lines\"{}>"
      "<svg role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\">{}"
      "</svg></div>{}</div></figure>\n",
      head, html_with_superscripts(values.common_text(unit)),
      numbers_html(values, "upwards", "bottom"), data, words, graph_width, graph_height, drawing,
      numbers);
}

std::string x_axis_name(const Panel& panel, const Ticks& x) {
  return html_with_superscripts(axis_title(panel.axes.x.name, panel.axes.units.length, x));
}

Ticks axis_ticks(std::int64_t cells, const PlotAxis& axis, int most) {
  return cell_ticks(cells, axis.spacing, most, axis.origin);
}

// Where the nodes of a field of one axis lie, from 0 to 1.
std::vector<double> places_of_nodes(const Panel& panel) {
  std::vector<double> across;
  for (std::size_t i = 0; i < panel.pixels.size(); ++i)
    across.push_back((static_cast<double>(i) + 0.5) / static_cast<double>(panel.pixels.size()));
  return across;
}

// A graph of a field of one axis.
std::string values_html(const Panel& panel, const std::string& when) {
  const std::vector<double> across = places_of_nodes(panel);
  const std::string title = html_escaped(panel.title);
  const Limits range = percentile_limits(panel.pixels, 0, 100);
  const Ticks x = axis_ticks(panel.shape.columns, panel.axes.x, most_numbers_across);
  return graph_figure(
      fmt::format("<b>{}</b> <span class=\"common\">{}</span>", title,
                  html_escaped(panel.subtitle)),
      "", fmt::format("{} at {}, from {:.4g} to {:.4g}", title, when, range.low, range.high),
      panel.limits, panel.unit,
      {{"", polylines("class=\"min\"", across, panel.pixels, panel.limits), x,
        x_axis_name(panel, x)}});
}

}  // namespace

std::string color_bar_html(const Panel& panel, int numbers) {
  const Ticks ticks = round_ticks(panel.limits.low, panel.limits.high, numbers);
  return fmt::format("<div class=\"bar\" style=\"background:{}\"></div>{}",
                     gradient(panel.colormap), numbers_html(ticks, "scale", "bottom"));
}

std::string picture_html(const Panel& panel, const std::string& when) {
  if (panel.line) return values_html(panel, when);
  const Extent extent = plot_extent(panel.shape, panel.axes);
  const double ratio = std::clamp(extent.columns / extent.rows, tallest, flattest);
  const Ticks x = axis_ticks(panel.shape.columns, panel.axes.x, most_numbers_across);
  Ticks y = axis_ticks(panel.shape.rows, panel.axes.y, ratio > 3 ? 3 : most_numbers_upwards);
  if (!panel.axes.first_row_below)
    for (Tick& tick : y.ticks) tick.fraction = 1 - tick.fraction;
  const int bar_numbers = ratio > 3 ? 3 : most_numbers_upwards;
  const Ticks bar = round_ticks(panel.limits.low, panel.limits.high, bar_numbers);
  const bool squares = std::max(panel.shape.rows, panel.shape.columns) <= visible_cells;
  const std::string values =
      fmt::format("colours from {:.4g} to {:.4g}", panel.limits.low, panel.limits.high);
  return fmt::format(
      "<figure class=\"picture\" style=\"--ratio:{:.4f}\">"
      "<figcaption><b>{}</b> <span class=\"common\">{} {}</span></figcaption><div class=\"plot\">"
      "{}<img{} alt=\"{} at {}, {}\" width=\"{}\" height=\"{}\" src=\"data:image/png;base64,{}\">"
      "{}{}"
      "<div class=\"name\">{}, {}</div></div></figure>\n",
      ratio, html_escaped(panel.title), html_with_superscripts(bar.common_text(panel.unit)),
      html_escaped(panel.subtitle), numbers_html(y, "upwards", "bottom"),
      squares ? " class=\"squares\"" : "", html_escaped(panel.title), when, values,
      panel.drawn.columns, panel.drawn.rows, base64(indexed_png(panel)),
      color_bar_html(panel, bar_numbers), numbers_html(x, "across", "left"), x_axis_name(panel, x),
      html_with_superscripts(axis_title(panel.axes.y.name, panel.axes.units.length, y)));
}

std::string graph_html(const std::string& title, const GraphUnits& units,
                       const std::vector<GraphLine>& lines) {
  Limits range{1, 0};
  Limits steps{1, 0}, times{1, 0};
  for (const GraphLine& line : lines) {
    for (const double value : line.values)
      if (std::isfinite(value)) range = united(range, {value, value});
    if (line.values.empty()) continue;
    steps = united(steps, {line.steps.front(), line.steps.back()});
    times = united(times, {line.times.front(), line.times.back()});
  }
  for (Limits* const across : {&steps, &times})
    if (across->high <= across->low) across->high = across->low + 1;
  range = widened(range);
  const double beyond = margin * (range.high - range.low);
  const Limits y{range.low - beyond, range.high + beyond};
  std::vector<Across> both;
  for (const bool over_time : {true, false}) {
    const Limits& x = over_time ? times : steps;
    const Ticks ticks = round_ticks(x.low, x.high, most_numbers_across);
    Across& across = both.emplace_back();
    across.style = over_time ? "over-time" : "over-step";
    across.ticks = ticks;
    across.name = html_with_superscripts(
        axis_title(over_time ? "t" : "step", over_time ? units.time : "", ticks));
    for (const GraphLine& line : lines) {
      std::vector<double> places;
      for (const double place : over_time ? line.times : line.steps)
        places.push_back(x.fraction(place));
      across.lines += polylines(line.style, places, line.values, y);
    }
  }
  std::string legend, words;
  constexpr std::size_t most_keys = 12;
  for (const GraphLine& line : lines) {
    if (lines.size() > 1 && lines.size() <= most_keys)
      legend += fmt::format(" <span class=\"key\"><i {}></i>{}</span>", line.style, line.name);
    if (lines.size() <= most_keys && !line.values.empty())
      words += fmt::format("{}{} {:.4g} at last", words.empty() ? "" : ", ", line.name,
                           line.values.back());
  }
  if (words.empty()) words = fmt::format("{} lines", lines.size());
  return graph_figure(fmt::format("<b>{}</b>{}", title, legend),
                      fmt::format(" data-steps=\"{} {}\" data-times=\"{} {}\"", steps.low,
                                  steps.high, times.low, times.high),
                      words, y, units.values, both);
}

std::string small_graph_html(const Panel& panel, const std::string& words) {
  return fmt::format(
      "<svg role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\">{}"
      "</svg>",
      words, graph_width, graph_height,
      polylines("class=\"min\"", places_of_nodes(panel), panel.pixels, panel.limits));
}

std::string hue_style(std::size_t index, std::size_t count) {
  const double part = count > 1 ? static_cast<double>(index) / static_cast<double>(count - 1) : 0;
  return fmt::format("class=\"hue\" style=\"--hue:{:.0f}\"", 215 - 235 * part);
}

}  // namespace lapl
