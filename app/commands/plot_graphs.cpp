#include "app/commands/plot_graphs.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/view/plot/plot_frames.hpp"
#include "app/view/run_graphs.hpp"
#include "io/run/provenance.hpp"
#include "io/run/run_folder.hpp"
#include "kernels/error.hpp"
#include "solver/names.hpp"

namespace lapl {
namespace {

struct ChosenColumn {
  const RunGraph* graph;
  const RunColumn* column;
};

std::vector<ChosenColumn> chosen_columns(const std::string& asked,
                                         const std::vector<RunGraph>& graphs,
                                         const std::string& folder) {
  std::vector<ChosenColumn> all, chosen;
  std::vector<std::string> names;
  for (const RunGraph& graph : graphs)
    for (const RunColumn& column : graph.columns) {
      all.push_back({&graph, &column});
      names.push_back(column.name);
    }
  for (const std::string& name : comma_separated(asked)) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end())
      throw ConfigError("--graph {}: {} has no column {} in its tables (it has: {})", asked, folder,
                        name,
                        names.empty() ? "none yet" : fmt::format("{}", fmt::join(names, ", ")));
    chosen.push_back(all[static_cast<std::size_t>(found - names.begin())]);
  }
  return chosen;
}

// The values at both ends of a list that grows.
Limits ends(const std::vector<double>& values) { return {values.front(), values.back()}; }

Panel graph_panel(const std::string& asked, const std::vector<ChosenColumn>& chosen,
                  const std::string& time_unit, const PlotStyle& style) {
  Limits times{1, 0}, steps{1, 0}, range{1, 0};
  const RunGraph& first = *chosen.front().graph;
  bool one_graph = true, one_unit = true;
  for (const auto& [graph, column] : chosen) {
    times = united(times, ends(graph->lines->times));
    steps = united(steps, ends(graph->lines->steps));
    for (const double value : column->values)
      if (std::isfinite(value) && (value > 0 || !style.log)) range = united(range, {value, value});
    one_graph = one_graph && graph == &first;
    one_unit = one_unit && graph->unit == first.unit;
  }
  const bool over_time = times.low < times.high;
  Panel panel{.title = chosen.size() == 1 ? chosen.front().column->title : first.title,
              .subtitle = "",
              .shape = {.rows = 1, .columns = 1, .axes = 1},
              .drawn = {},
              .pixels = {0},
              .limits = {},
              .colormap = colormap_named(style.colormap.value_or("viridis")),
              .axes = {.x = {over_time ? "t" : "step"}},
              .line = true,
              .unit = one_unit ? first.unit : "",
              .scale = style.log ? Scale::logarithmic : Scale::linear,
              .across = widened(over_time ? times : steps)};
  panel.limits = !style.limits ? graph_limits(asked, range, style.log)
                 : style.log   ? logs(*style.limits)
                               : *style.limits;
  panel.axes.x.unit = over_time ? time_unit : "";
  if (!one_graph) panel.title.clear();
  for (const auto& [graph, column] : chosen) {
    if (!one_graph) panel.title += (panel.title.empty() ? "" : ", ") + column->name;
    Panel::Graph& line = panel.graphs.emplace_back();
    line.label = one_unit ? column->name : with_unit_after(column->name, graph->unit);
    for (const std::size_t i : drawn_values(column->values)) {
      line.values.push_back(column->values[i]);
      line.places.push_back((over_time ? graph->lines->times : graph->lines->steps)[i]);
    }
    if (style.log) take_logs(line.values, std::numeric_limits<double>::quiet_NaN());
  }
  return panel;
}

// The outputs in rows that are equally spaced in time, with the distance of rows.
std::pair<std::vector<const PlotOutput*>, double> rows_in_time(
    const std::vector<PlotOutput>& outputs) {
  constexpr double most_rows = 4000;
  std::vector<double> times;
  for (const PlotOutput& output : outputs) times.push_back(time_at(output));
  double least = times.back() - times.front();
  for (std::size_t i = 1; i < times.size(); ++i) least = std::min(least, times[i] - times[i - 1]);
  const double length = times.back() - times.front();
  if (!(least > 0)) throw ConfigError("--space-time: two outputs have the same time");
  const auto gaps =
      static_cast<std::size_t>(std::clamp(std::round(length / least), 1.0, most_rows));
  std::vector<const PlotOutput*> rows;
  for (std::size_t row = 0, at = 0; row <= gaps; ++row) {
    const double time =
        times.front() + length * static_cast<double>(row) / static_cast<double>(gaps);
    while (at + 1 < times.size() && times[at + 1] - time <= time - times[at]) ++at;
    rows.push_back(&outputs[at]);
  }
  return {std::move(rows), length / static_cast<double>(gaps)};
}

}  // namespace

Picture space_time_picture(const PlotSource& source, const std::string& path,
                           const std::vector<std::string>& fields, const std::optional<Cut>& cut,
                           const PictureOptions& pictures, std::optional<PictureSize> size,
                           PictureFormat format) {
  const Shape line = cut_shape(source.content().shape, cut);
  const std::vector<PlotOutput> outputs = source.outputs_with(fields);
  if (line.axes > 1 || outputs.size() < 2 || !outputs.front().step)
    throw ConfigError("--space-time: {} has {} (expected one axis, or --line, and several outputs)",
                      path, line.axes > 1 ? fmt::format("{} axes", line.axes) : "one output");
  const auto [rows, distance] = rows_in_time(outputs);
  const int count = static_cast<int>(fields.size());
  const Extent extent{0.7, 1};
  Picture picture;
  picture.layout = figure_layout(size.value_or(default_size(count, extent)), count, extent);
  PlotAxes axes = cut_axes(source.axes(), cut);
  axes.y = {"t", distance, time_at(outputs.front()), axes.units.time};
  axes.first_row_below = true;
  const std::vector<PlotStyle> styles = panel_styles(pictures, fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    PlotStyle as_stored;
    as_stored.log = pictures.log;  // gaps at values that are not above 0
    ViewReader reader;
    std::vector<double> values;
    for (const PlotOutput* const output : rows)
      std::ranges::copy(reader.drawn({output, fields[i], cut}, line, as_stored).pixels,
                        std::back_inserter(values));
    DrawnField field =
        drawn_field(fields[i], std::span<const double>(values), {std::ssize(rows), line.columns},
                    box_pixels(picture.layout.panels[i], format), styles[i]);
    field.cut = cut_text(source.axes(), cut);
    picture.panels.push_back(make_panel(std::move(field), "", styles[i], axes));
  }
  std::vector<View> views;
  for (const PlotOutput& output : outputs) views.push_back({&output, fields.front(), cut});
  picture.about = texts_of_views(path, source.content(), {views});
  return picture;
}

void add_graph_option(Command& command, std::vector<std::string>& asked) {
  command.option("--graph NAME,...", &asked,
                 "A graph over the time of columns of diagnostics.csv and probes.csv, such as "
                 "u_max,u_min; over the step where the time does not grow (repeatable)",
                 {.repeatable = true,
                  .excludes = {"--step", "--steps", "--times", "--field", "--where", "--slice",
                               "--project", "--along", "--line", "--percentiles", "--of-cells",
                               "--own-limits", "--movie", "--space-time"}});
}

Picture graph_picture(const std::string& folder, const std::vector<std::string>& asked,
                      const PictureOptions& pictures, std::optional<PictureSize> size) {
  if (!RunFolder::has_run(folder))
    throw ConfigError("--graph {}: {} is not the folder of a run (expected one)", asked.front(),
                      folder);
  const RunView run = read_run_view(folder, host_name());
  const std::vector<RunGraph> graphs =
      run_graphs(run, run.config ? read_probes(folder, *run.config) : ProbeTable());
  const std::vector<PlotStyle> styles = panel_styles(pictures, asked.size());
  Picture picture;
  for (const std::string& columns : asked)
    picture.panels.push_back(graph_panel(columns, chosen_columns(columns, graphs, folder),
                                         run.units.time, styles[picture.panels.size()]));
  const int count = static_cast<int>(asked.size());
  const Extent extent = plot_extent(picture.panels.front().shape, {});
  picture.layout =
      figure_layout(size.value_or(default_size(count, extent, count)), count, extent, count);
  Provenance about = PlotSource(folder, pictures.origin).content().provenance;
  std::erase_if(about, [](const auto& text) { return text.first == "state_digest"; });
  picture.about = picture_provenance(folder, "", about);
  return picture;
}

}  // namespace lapl
