#include "solver/diagnostics.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/error.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/near_nodes.hpp"

namespace lapl {

std::string column_prefix(const std::vector<std::string>& fields, const std::string& field) {
  return fields.size() == 1 ? "" : field + "_";
}

std::vector<std::string> diagnostics_columns(const RunConfig& config) {
  std::vector<std::string> columns;
  for (const std::string& field : config.fields)
    for (const StatisticsColumn& column : statistics_columns)
      columns.push_back(column_prefix(config.fields, field) + column.name);
  for (const IntegralConfig& integral : config.integrals) columns.push_back(integral.name);
  const auto& [size, error, rejections, stages, iterations, residual] = step_columns;
  if (config.scheme.varies) columns.emplace_back(size.name);
  if (config.scheme.tolerance)
    for (const StepColumn& column : {error, rejections}) columns.emplace_back(column.name);
  if (config.chooses_stages()) columns.emplace_back(stages.name);
  if (has_solves(config))
    for (const StepColumn& column : {iterations, residual}) columns.emplace_back(column.name);
  return columns;
}

std::vector<std::string> probe_columns(const RunConfig& config) {
  std::vector<std::string> columns;
  if (!config.probes) return columns;
  for (const Probe& probe : config.probes->at)
    for (const std::string& field : config.fields)
      columns.push_back(config.fields.size() == 1 ? probe.name : probe.name + "_" + field);
  return columns;
}

std::string place_text(const Probe& probe) {
  if (probe.position.empty()) return fmt::format("[{}]", fmt::join(probe.cell, ", "));
  return fmt::format("{{at: [{}]}}", fmt::join(probe.position, ", "));
}

std::vector<std::pair<std::int64_t, double>> cells_of_probe(const RunConfig& config,
                                                            const Probe& probe,
                                                            const std::string& field) {
  if (probe.position.empty()) return {{cell_index(config.shape, Cell::of(probe.cell)), 1}};
  std::array<double, 3> at{};
  for (std::size_t i = 0; i < probe.position.size(); ++i) {
    const std::size_t axis = 2 - i;
    at[axis] =
        node_index(probe.position[i], config.spacing.origin[axis], config.spacing.by_axis[axis]);
    if (!probe.is_linear) at[axis] = std::floor(at[axis] + 0.5);
    const bool ends = std::ranges::any_of(config.conditions, [&](const SideCondition& condition) {
      return condition.axis == static_cast<int>(axis) &&
             condition.kind != ConditionKind::periodic && applies_to(condition, field, config);
    });
    if (ends || by_axis(config.boundaries)[axis] != Boundary::periodic)
      at[axis] = std::clamp(at[axis], 0.0, static_cast<double>(by_axis(config.shape)[axis] - 1));
  }
  std::vector<std::pair<std::int64_t, double>> cells;
  for (const auto& [index, weight] : nodes_around(at, config.shape))
    cells.emplace_back(cell_index(config.shape, {index[1], index[2], index[0]}), weight);
  return cells;
}

ProbedCells::ProbedCells(const RunConfig& config) {
  if (!config.probes) return;
  for (const Probe& probe : config.probes->at)
    for (std::size_t field = 0; field < config.fields.size(); ++field) {
      for (const auto& [cell, weight] : cells_of_probe(config, probe, config.fields[field])) {
        indices_.push_back(static_cast<std::int64_t>(field) * config.shape.cells() + cell);
        weights_.push_back(weight);
      }
      ends_.push_back(weights_.size());
    }
}

std::vector<std::string> moved_probe_columns(const RunConfig& before, const RunConfig& now) {
  std::vector<std::string> moved;
  if (!before.probes || !now.probes) return moved;
  const std::vector<std::string> earlier = probe_columns(before), columns = probe_columns(now);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto at = std::ranges::find(earlier, columns[i]);
    if (at != earlier.end() && before.probes->at[(at - earlier.begin()) / before.fields.size()] !=
                                   now.probes->at[i / now.fields.size()])
      moved.push_back(columns[i]);
  }
  return moved;
}

std::vector<double> diagnostics_values(const Diagnostics& diagnostics, const RunConfig& config,
                                       const std::optional<StepState>& steps,
                                       const SolveReport& solves) {
  std::vector<double> values;
  for (const Statistics& of_field : diagnostics.fields)
    for (const StatisticsColumn& column : statistics_columns)
      values.push_back(of_field.*column.value);
  values.insert(values.end(), diagnostics.integrals.begin(), diagnostics.integrals.end());
  if (config.scheme.varies && steps) {
    values.push_back(steps->clock.step);
    if (config.scheme.tolerance)
      values.insert(values.end(), {steps->error, static_cast<double>(steps->rejections)});
    if (config.chooses_stages()) values.push_back(static_cast<double>(steps->stages));
  }
  if (has_solves(config))
    values.insert(values.end(), {static_cast<double>(solves.iterations), solves.residual});
  return values;
}

void require_finite(const Diagnostics& diagnostics, const RunConfig& config, std::int64_t step) {
  for (std::size_t field = 0; field < diagnostics.fields.size(); ++field) {
    const Statistics& statistics = diagnostics.fields[field];
    for (const auto& [name, value] : statistics_columns)
      if (!std::isfinite(statistics.*value))
        throw NumericalError(
            "step {}: {}{} is not finite: the values, from {} to {}, are too large to be summed "
            "up; nothing of this step was stored",
            step, column_prefix(config.fields, config.fields[field]), name, statistics.min,
            statistics.max);
  }
  for (std::size_t i = 0; i < diagnostics.integrals.size(); ++i)
    if (!std::isfinite(diagnostics.integrals[i]))
      throw NumericalError("step {}: integral {} is {}; nothing of this step was stored", step,
                           config.integrals[i].name, diagnostics.integrals[i]);
}

}  // namespace lapl
