#include "app/view/run_graphs.hpp"

#include <algorithm>
#include <limits>

#include "solver/diagnostics.hpp"
#include "solver/equation/complex_parts.hpp"

namespace lapl {
namespace {

// The graphs of diagnostics.csv.
class OutputGraphs {
 public:
  explicit OutputGraphs(const RunView& run) : run_(run) {
    TableLines lines;
    for (const DiagnosticsLine& at : run.diagnostics) {
      lines.steps.push_back(static_cast<double>(at.step));
      lines.times.push_back(at.time);
    }
    lines_ = std::make_shared<const TableLines>(std::move(lines));
    if (run.diagnostics.empty()) return;
    for (std::size_t field = 0; field < run.fields.size(); ++field) add_field(field);
    for (std::size_t i = 0; i < run.integrals.size(); ++i) {
      const std::string& name = run.integrals[i];
      const auto of_steps = std::ranges::find(step_columns, name, &StepColumn::name);
      const std::string title = of_steps == step_columns.end() ? name : of_steps->title;
      add_graph(title, name == step_columns.front().name ? run.units.time : "");
      add(name, "value", title, [i](const DiagnosticsLine& at) { return at.integrals[i]; });
    }
    add_graph("Cells per second", "");
    add("cells_per_second", "speed", "Cells per second", [](const DiagnosticsLine& at) {
      // The first output precedes all steps, so it has no speed.
      return at.cells_per_second > 0 ? at.cells_per_second
                                     : std::numeric_limits<double>::quiet_NaN();
    });
  }
  std::vector<RunGraph> graphs;

 private:
  void add_field(std::size_t field) {
    const std::string title = run_.field_title(field);
    const auto column = [&](const char* name, const std::string& alone) {
      const auto member =
          std::ranges::find(statistics_columns, std::string_view(name), &StatisticsColumn::name)
              ->value;
      const std::string& prefix = run_.fields[field];
      add(prefix.empty() ? name : prefix + "_" + name, name, alone,
          [field, member](const DiagnosticsLine& at) { return at.fields[field].*member; });
    };
    add_graph(title, run_.labels[field].unit);
    for (const char* const name : {"max", "mean", "min"}) column(name, title + " " + name);
    const bool of_part =
        run_.config && !complex_parent(*run_.config, run_.config->fields[field]).empty();
    add_graph("Mass of " + title, "", of_part);
    column("mass", "Mass of " + title);
    add_graph("L2 norm of " + title, "", of_part);
    column("l2", "L2 norm of " + title);
  }
  void add_graph(const std::string& title, const std::string& unit, bool of_part = false) {
    graphs.push_back({title, unit, false, of_part, lines_, {}});
  }
  template <class ValueOf>
  void add(const std::string& name, const std::string& label, const std::string& title,
           const ValueOf& value) {
    RunColumn& column = graphs.back().columns.emplace_back(RunColumn{name, label, title, {}});
    for (const DiagnosticsLine& at : run_.diagnostics) column.values.push_back(value(at));
  }

  const RunView& run_;
  std::shared_ptr<const TableLines> lines_;
};

}  // namespace

std::vector<RunGraph> run_graphs(const RunView& run, const ProbeTable& probes) {
  std::vector<RunGraph> graphs = OutputGraphs(run).graphs;
  if (probes.steps.empty()) return graphs;
  const auto lines = std::make_shared<const TableLines>(TableLines{probes.steps, probes.times});
  const std::size_t fields = std::max<std::size_t>(run.fields.size(), 1);
  for (std::size_t field = 0; field < fields; ++field) {
    const std::string unit = field < run.labels.size() ? run.labels[field].unit : "";
    RunGraph graph{run.field_title(field) + " at probes", unit, true, false, lines, {}};
    for (std::size_t i = field; i < probes.names.size(); i += fields)
      graph.columns.push_back(
          {probes.names[i], probes.names[i], "Probe " + probes.names[i], probes.values[i]});
    graphs.push_back(std::move(graph));
  }
  return graphs;
}

std::vector<std::size_t> drawn_values(std::span<const double> values) {
  constexpr std::size_t most = 1000, pieces = most / 2;
  std::vector<std::size_t> drawn;
  if (values.size() <= most) {
    for (std::size_t i = 0; i < values.size(); ++i) drawn.push_back(i);
    return drawn;
  }
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const std::size_t first = piece * values.size() / pieces;
    const std::size_t end = (piece + 1) * values.size() / pieces;
    std::size_t low = first, high = first;
    for (std::size_t i = first; i < end; ++i) {
      if (!(values[i] >= values[low])) low = i;
      if (!(values[i] <= values[high])) high = i;
    }
    drawn.push_back(std::min(low, high));
    if (low != high) drawn.push_back(std::max(low, high));
  }
  return drawn;
}

}  // namespace lapl
