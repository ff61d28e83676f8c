// The columns of diagnostics.csv, statistics of every field and integrals, and of probes.csv.
#pragma once

#include <string>
#include <vector>

#include "kernels/backend.hpp"
#include "solver/outputs.hpp"
#include "solver/run_config.hpp"
#include "solver/statistics.hpp"

namespace lapl {

/// What the diagnostics say of a state.
struct Diagnostics {
  std::vector<Statistics> fields;  ///< in the order of the config
  std::vector<double> integrals;   ///< likewise; none where nothing derived was captured
};

/// What stands before the names of a field's columns: u_ where there are several fields, nothing
/// where there is one.
std::string column_prefix(const std::vector<std::string>& fields, const std::string& field);

/// Between the time and the speed: those of each field, u_min to u_l2 or min to l2; and integrals.
std::vector<std::string> diagnostics_columns(const RunConfig& config);

/// Those of probes.csv after the time: every field at each cell, inlet_u, or inlet of one field.
std::vector<std::string> probe_columns(const RunConfig& config);

/// The columns that both have, but at another cell.
std::vector<std::string> moved_probe_columns(const RunConfig& before, const RunConfig& now);

/// The values of these columns.
std::vector<double> values_of(const Diagnostics& diagnostics);

template <class T>
Diagnostics diagnostics_of(const Captured<T>& captured, const RunConfig& config) {
  Diagnostics diagnostics;
  Ranks& ranks = *captured.ranks;
  for (std::int64_t field = 0; field < std::ssize(config.fields); ++field)
    diagnostics.fields.push_back(
        statistics_of(captured.field(field), config.shape, config.spacing, ranks));
  if (captured.derived.empty()) return diagnostics;
  const std::size_t first = captured.derived.size() - config.integrals.size();
  for (std::size_t i = 0; i < config.integrals.size(); ++i)
    diagnostics.integrals.push_back(
        integral_of(captured.derived.at(first + i), config.shape, config.spacing, ranks));
  return diagnostics;
}

/// Throws NumericalError where a sum is not finite.
void require_finite(const Diagnostics& diagnostics, const RunConfig& config, std::int64_t step);

}  // namespace lapl
