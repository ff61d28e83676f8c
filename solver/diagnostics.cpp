#include "solver/diagnostics.hpp"

#include "kernels/error.hpp"

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
  for (const auto& [name, cell] : config.probes->at)
    for (const std::string& field : config.fields)
      columns.push_back(config.fields.size() == 1 ? name : name + "_" + field);
  return columns;
}

std::vector<std::string> moved_probe_columns(const RunConfig& before, const RunConfig& now) {
  std::vector<std::string> moved;
  if (!before.probes || !now.probes) return moved;
  const std::vector<std::string> earlier = probe_columns(before), columns = probe_columns(now);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto at = std::ranges::find(earlier, columns[i]);
    if (at != earlier.end() &&
        before.probes->at[(at - earlier.begin()) / before.fields.size()].second !=
            now.probes->at[i / now.fields.size()].second)
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
