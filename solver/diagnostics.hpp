// The columns and rows of diagnostics.csv (statistics of every field, integrals) and of probes.csv.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "kernels/backend.hpp"
#include "solver/outputs.hpp"
#include "solver/run_config.hpp"
#include "solver/statistics.hpp"
#include "solver/step_control.hpp"

namespace lapl {

/// One row of diagnostics.csv without step, time and speed.
struct Diagnostics {
  std::vector<Statistics> fields;  ///< in the order of the config
  /// in the order of the config; empty if the capture has no derived outputs
  std::vector<double> integrals;
};

/// A column about the steps of a run.
struct StepColumn {
  const char* name;
  const char* title;  ///< for the pages of reports
};
inline constexpr std::array<StepColumn, 6> step_columns = {
    {{"step_size", "Step size"},
     {"step_error", "Error of the last step, of the tolerance"},
     {"rejections", "Rejected steps"},
     {"stages", "Stages of a step"},
     {"solve_iterations", "Iterations of the last solves"},
     {"solve_residual", "Largest residual of the last solves"}}};

/// The prefix of a field's column names: "u_" if there are several fields, else "".
std::string column_prefix(const std::vector<std::string>& fields, const std::string& field);

/// Column names of diagnostics.csv between time and speed: u_min to u_l2 for each field (min to l2
/// if there is one field), then the integrals. If steps vary: those of step_columns that the run
/// has: the size of the last step, its error in units of the tolerance, the number of
/// steps rejected so far, and the stages of the last step. If steps solve equations over the grid:
/// the iterations and the largest residual.
std::vector<std::string> diagnostics_columns(const RunConfig& config);

/// Column names of probes.csv after the time: inlet_u for each probe and field (inlet if there is
/// one field).
std::vector<std::string> probe_columns(const RunConfig& config);

/// Where a probe is, as a config says it.
std::string place_text(const Probe& probe);
/// The cells at which a probe reads a field, with their weights. Its place must be in the grid.
std::vector<std::pair<std::int64_t, double>> cells_of_probe(const RunConfig& config,
                                                            const Probe& probe,
                                                            const std::string& field);

/// The cells of the state that the probes of a run read.
class ProbedCells {
 public:
  explicit ProbedCells(const RunConfig& config);

  /// Indices in the state, all fields one after the other.
  const std::vector<std::int64_t>& indices() const { return indices_; }

  /// The values of probe_columns, from the state's values at indices().
  template <class T>
  std::vector<T> values(const std::vector<T>& found) const {
    std::vector<T> values;
    for (std::size_t at = 0; const std::size_t end : ends_) {
      double sum = -0.0;  // keeps the sign of a zero
      for (; at < end; ++at) sum += weights_[at] * static_cast<double>(found[at]);
      values.push_back(static_cast<T>(sum));
    }
    return values;
  }

 private:
  std::vector<std::int64_t> indices_;
  std::vector<double> weights_;
  std::vector<std::size_t> ends_;  // of each value, among the weights
};

/// The columns of probes.csv that both configs have, but that refer to different places.
std::vector<std::string> moved_probe_columns(const RunConfig& before, const RunConfig& now);

/// The values of diagnostics_columns, in the same order; `steps` is the controller's state, if
/// steps vary, and `solves` the report of the last solves.
std::vector<double> diagnostics_values(const Diagnostics& diagnostics, const RunConfig& config,
                                       const std::optional<StepState>& steps,
                                       const SolveReport& solves);

/// The diagnostics of a captured state, on all ranks. On a grid with a mask, the capture must have
/// derived outputs, whose values tell which cells are outside. Collective.
template <class T>
Diagnostics compute_diagnostics(const Captured<T>& captured, const RunConfig& config) {
  Diagnostics diagnostics;
  Ranks& ranks = *captured.ranks;
  const bool masked = config.mask && !captured.derived.empty();
  for (std::int64_t field = 0; field < std::ssize(config.fields); ++field)
    diagnostics.fields.push_back(
        compute_statistics(masked ? captured.derived[field] : captured.field(field), config.shape,
                           config.spacing, ranks, masked));
  if (captured.derived.empty()) return diagnostics;
  const std::size_t first = captured.derived.size() - config.integrals.size();
  for (std::size_t i = 0; i < config.integrals.size(); ++i)
    diagnostics.integrals.push_back(
        field_integral<T>(captured.derived.at(first + i), config.shape, config.spacing, ranks));
  return diagnostics;
}

/// Throws NumericalError, with field and step, if a statistic or an integral is not finite.
void require_finite(const Diagnostics& diagnostics, const RunConfig& config, std::int64_t step);

}  // namespace lapl
