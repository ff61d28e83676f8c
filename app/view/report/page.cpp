#include "app/view/report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <span>

#include "app/view/plot/indexed_png.hpp"
#include "app/view/plot/ticks.hpp"
#include "app/view/report/html.hpp"
#include "io/readers/quantities.hpp"
#include "page_files.hpp"
#include "solver/diagnostics.hpp"

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

// The HTML of a graph with the values `y` upwards. `head`, `data` (attributes) and `x_name` are
// HTML, `lines` are SVG, `words` are for screen readers.
std::string graph_figure(const std::string& head, const std::string& data, const std::string& words,
                         const std::string& lines, Limits y, const std::string& unit,
                         const Ticks& x, const std::string& x_name) {
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
      head, html_with_superscripts(values.common_text(unit)),
      numbers_html(values, "upwards", "bottom"), data, words, graph_width, graph_height, rules,
      lines, numbers_html(x, "across", "left"), x_name);
}

std::string x_axis_name(const Panel& panel, const Ticks& x) {
  return html_with_superscripts(axis_title(panel.axes.x.name, panel.axes.units.length, x));
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
      polylines("min", across, panel.pixels, panel.limits), panel.limits, panel.unit, x,
      x_axis_name(panel, x));
}

// A field with axes and colour bar. `when` names the step for screen readers.
std::string picture_html(const Panel& panel, const std::string& when) {
  if (panel.line) return values_html(panel, when);
  const Extent extent = plot_extent(panel.shape, panel.axes);
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
      ratio, html_escaped(panel.title), html_with_superscripts(bar.common_text(panel.unit)),
      html_escaped(panel.subtitle), numbers_html(y, "upwards", "bottom"),
      squares ? " class=\"squares\"" : "", html_escaped(panel.title), when, values,
      panel.drawn.columns, panel.drawn.rows, base64(indexed_png(panel)), gradient(panel.colormap),
      numbers_html(bar, "scale", "bottom"), numbers_html(x, "across", "left"),
      x_axis_name(panel, x),
      html_with_superscripts(axis_title(panel.axes.y.name, panel.axes.units.length, y)));
}

// One line of a graph.
struct ReportLine {
  std::string name;
  std::string style;  // class in page.css: max, mean, min
  std::function<double(const DiagnosticsLine&)> value;
};

// The quantity along the axis of a graph.
enum class Along { step, time };

// Lines over the steps or the time; values that are not finite leave gaps.
std::string graph_html(const std::string& title, const std::string& unit, Along along,
                       const RunView& run, const std::vector<ReportLine>& lines) {
  const std::span<const DiagnosticsLine> history = run.diagnostics;
  Limits range{1, 0};
  for (const DiagnosticsLine& at : history)
    for (const ReportLine& line : lines)
      if (const double value = line.value(at); std::isfinite(value))
        range = united(range, {value, value});
  range = widened(range);
  const double beyond = margin * (range.high - range.low);
  const Limits y{range.low - beyond, range.high + beyond};
  const bool over_time = along == Along::time;
  const auto axis_place = [&](const DiagnosticsLine& at) {
    return over_time ? at.time : static_cast<double>(at.step);
  };
  const double first = axis_place(history.front()), last = axis_place(history.back());
  const Limits x{first, last > first ? last : first + 1};
  const Ticks ticks = round_ticks(x.low, x.high, most_numbers_across);

  std::vector<double> across;
  for (const DiagnosticsLine& at : history) across.push_back(x.fraction(axis_place(at)));
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
  return graph_figure(fmt::format("<b>{}</b>{}", title, legend),
                      fmt::format(" data-first=\"{}\" data-last=\"{}\" data-along=\"{}\"", x.low,
                                  x.high, over_time ? "time" : "step"),
                      words, drawing, y, unit, ticks,
                      html_with_superscripts(axis_title(over_time ? "t" : "step",
                                                        over_time ? run.units.time : "", ticks)));
}

std::string fact(const std::string& name, const std::string& value) {
  if (value.empty()) return "";
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, html_escaped(value));
}

std::string facts_html(const RunView& run) {
  return fact("step", fmt::format("{} of {}", run.step, run.steps)) +
         fact("state digest", run.digest_at(run.step)) +
         fact("grid", fmt::format("{}, {}", shape_text(run.shape), run.precision)) +
         fact("engine", run.engine) + fact("device", run.device) + fact("host", run.host) +
         fact("started", run.started) +
         fact("speed", run.cells_per_second > 0 ? cell_rate(run.cells_per_second) : "");
}

std::string step_html(const ReportStep& step, const std::string& time_unit) {
  const std::string when =
      html_escaped(with_unit(fmt::format("step {}, t = {:.6g}", step.step, step.time), time_unit));
  std::string html = fmt::format(
      "<div class=\"step\" id=\"step={0}\" data-step=\"{0}\" data-time=\"{2}\" data-when=\"{1}\">"
      "<h3>{1}</h3><div class=\"pictures\">\n",
      step.step, when, step.time);
  for (const Panel& panel : step.panels) html += picture_html(panel, when);
  return html + "</div></div>\n";
}

// The title of a column of diagnostics.csv that belongs to no field: about steps, or an integral.
std::string column_title(const std::string& name) {
  const auto of_steps = std::ranges::find(step_columns, name, &StepColumn::name);
  return of_steps == step_columns.end() ? "Integral " + html_escaped(name) : of_steps->title;
}

// Graphs are over the time if steps vary, because equal numbers of steps are then no equal times.
Along history_along(const RunView& run) {
  return std::ranges::count(run.integrals, step_columns.front().name) > 0 ? Along::time
                                                                          : Along::step;
}

std::string graphs_html(const RunView& run) {
  if (run.diagnostics.empty()) return "<p>There are none yet.</p>\n";
  using At = const DiagnosticsLine&;
  const Along along = history_along(run);
  std::string html;
  for (std::size_t field = 0; field < run.fields.size(); ++field) {
    const auto of = [field](double Statistics::*member) {
      return [field, member](At at) { return at.fields[field].*member; };
    };
    const auto& [unit, label, standard_name] = run.labels[field];
    const std::string name = html_escaped(label.empty() ? run.fields[field] : label);
    const std::string what = name.empty() ? "" : " of " + name;
    html += graph_html(name.empty() ? "Field" : name, unit, along, run,
                       {{"max", "max", of(&Statistics::max)},
                        {"mean", "mean", of(&Statistics::mean)},
                        {"min", "min", of(&Statistics::min)}}) +
            graph_html("Mass" + what, "", along, run, {{"mass", "min", of(&Statistics::mass)}}) +
            graph_html("L2 norm" + what, "", along, run, {{"l2", "min", of(&Statistics::l2)}});
  }
  for (std::size_t i = 0; i < run.integrals.size(); ++i)
    html += graph_html(column_title(run.integrals[i]),
                       run.integrals[i] == step_columns.front().name ? run.units.time : "", along,
                       run, {{"value", "min", [i](At at) { return at.integrals[i]; }}});
  return html + graph_html("Cells per second", "", along, run,
                           {{"speed", "min", [](At at) {
                               // The first output precedes all steps, so it has no speed.
                               return at.cells_per_second > 0
                                          ? at.cells_per_second
                                          : std::numeric_limits<double>::quiet_NaN();
                             }}});
}

std::string outputs_head(const RunView& run) {
  std::string html;
  for (const std::string& field : run.fields)
    for (const char* what : {"min", "max", "mean"})
      html += fmt::format("<th scope=\"col\">{}",
                          html_escaped(field.empty() ? what : fmt::format("{} {}", field, what)));
  return html;
}

std::string outputs_html(const RunView& run) {
  std::string html;
  for (const DiagnosticsLine& at : run.diagnostics) {
    html += fmt::format("<tr><td>{}<td>{:.6g}", at.step, at.time);
    for (const Statistics& s : at.fields)
      html += fmt::format("<td>{:.6g}<td>{:.6g}<td>{:.6g}", s.min, s.max, s.mean);
    html += fmt::format("<td>{}</tr>\n", html_escaped(run.digest_at(at.step)));
  }
  return html;
}

// A dotted key; the line may break after the dot.
std::string key_html(const std::string& key) {
  std::string html = html_escaped(key);
  if (const auto dot = html.find('.'); dot != std::string::npos) html.insert(dot + 1, "<wbr>");
  return html;
}

std::string config_html(const std::vector<ResolvedKey>& keys) {
  std::string html;
  for (const ResolvedKey& key : keys)
    html += fmt::format("<tr><th scope=\"row\">{}<td>{}<td>{}</tr>\n", key_html(key.key),
                        html_escaped(key.value), html_escaped(key.origin));
  return html;
}

std::string provenance_html(const Provenance& provenance) {
  std::string html;
  for (const auto& [name, text] : provenance)
    if (name != "config" && !text.empty())  // the config has a table of its own
      html += fmt::format("<tr><th scope=\"row\">{}<td>{}</tr>\n", html_escaped(name),
                          html_escaped(text));
  return html;
}

std::string pictures_remark(const ReportContent& content) {
  if (content.steps.size() == content.outputs)
    return fmt::format("All {} outputs.", content.outputs);
  if (content.steps.size() == 1)
    return fmt::format("The newest of the {} outputs.", content.outputs);
  return fmt::format("{} of the {} outputs, evenly chosen.", content.steps.size(), content.outputs);
}

}  // namespace

std::string report_page(const ReportContent& content) {
  std::string steps;
  for (const ReportStep& step : content.steps) steps += step_html(step, content.run.units.time);
  const RunView& run = content.run;
  return fmt::format(
      fmt::runtime(page_html), fmt::arg("name", html_escaped(run.name)),
      fmt::arg("generator", html_escaped(content.generator)), fmt::arg("css", page_css),
      fmt::arg("script", page_js), fmt::arg("status", html_escaped(run.status)),
      fmt::arg("note", html_escaped(run.note)), fmt::arg("facts", facts_html(run)),
      fmt::arg("pictures_remark", pictures_remark(content)),
      fmt::arg("last_index", content.steps.size() - 1), fmt::arg("steps", steps),
      fmt::arg("graphs", graphs_html(run)), fmt::arg("outputs_head", outputs_head(run)),
      fmt::arg("outputs", outputs_html(run)), fmt::arg("config", config_html(content.config)),
      fmt::arg("provenance", provenance_html(content.provenance)),
      fmt::arg("commands", html_escaped(content.commands)),
      fmt::arg("citation", html_escaped(content.citation)));
}

}  // namespace lapl
