// The columns of diagnostics.csv: statistics of every field, and integrals.
#pragma once

#include <string>
#include <vector>

#include "kernels/backend.hpp"
#include "solver/run_config.hpp"
#include "solver/statistics.hpp"

namespace lapl {

/// What the diagnostics say of a state.
struct Diagnostics {
  std::vector<Statistics> fields;  ///< in the order of the config
};

/// What stands before the names of a field's columns: u_ where there are several fields, nothing
/// where there is one.
std::string column_prefix(const std::vector<std::string>& fields, const std::string& field);

/// Between the time and the speed: those of each field, u_min to u_l2 or min to l2.
std::vector<std::string> diagnostics_columns(const RunConfig& config);

/// The values of these columns.
std::vector<double> values_of(const Diagnostics& diagnostics);

template <class T>
Diagnostics diagnostics_of(const Captured<T>& captured, const RunConfig& config) {
  Diagnostics diagnostics;
  for (std::int64_t field = 0; field < std::ssize(config.fields); ++field)
    diagnostics.fields.push_back(
        statistics_of(captured.field(field), config.shape, config.spacing));
  return diagnostics;
}

/// Throws NumericalError where a sum is not finite.
void require_finite(const Diagnostics& diagnostics, const RunConfig& config, std::int64_t step);

}  // namespace lapl
