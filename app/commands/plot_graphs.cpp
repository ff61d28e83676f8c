#include "app/commands/plot_graphs.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

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

}  // namespace

void add_graph_option(Command& command, std::vector<std::string>& asked) {
  command.option("--graph NAME,...", &asked,
                 "A graph over the time of columns of diagnostics.csv and probes.csv, such as "
                 "u_max,u_min; over the step where the time does not grow (repeatable)",
                 {.repeatable = true,
                  .excludes = {"--step", "--steps", "--times", "--field", "--where", "--slice",
                               "--project", "--along", "--line", "--percentiles", "--of-cells",
                               "--own-limits", "--movie"}});
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
  picture.layout = figure_layout(size.value_or(default_size(count, extent)), count, extent);
  Provenance about = PlotSource(folder, pictures.origin).content().provenance;
  std::erase_if(about, [](const auto& text) { return text.first == "state_digest"; });
  picture.about = picture_provenance(folder, "", about);
  return picture;
}

}  // namespace lapl
