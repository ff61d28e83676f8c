// Watches for damage by rounding to float32: cells that do not change although their rate is not 0,
// and means that drift although the equation conserves them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solver/diagnostics.hpp"
#include "solver/make_problem.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// For each field, true if the equation conserves its mean: on a small grid with the same
/// boundaries and random states, its rates sum to 0, except for rounding.
std::vector<bool> keeps_means(const RunConfig& config);

/// The drift of a mean, relative to the larger of its earlier value and a tenth of the field's root
/// mean square.
double mean_drift(const Statistics& now, const Statistics& before, Shape shape,
                  const Spacing& spacing);

/// The relative drift of a mean from which on the user is warned.
inline constexpr double large_drift = 1e-5;

/// The parts of the grid that stuck_values checks: the whole grid; or boxes spread over `rows`, if
/// the grid has too many values or `rows` are not all of its rows. Each box has a halo of `reach`
/// cells for the stages to read. Empty where there is no room for a box.
std::vector<Part> watched_parts(Shape shape, std::int64_t fields, RowRange rows,
                                std::int64_t reach);

/// A part of the grid, with the problem that computes its rates.
struct WatchedPart {
  /// `rates_of_grid` is a rates_problem, which needs no values of coefficients.
  WatchedPart(const RunConfig& config, const Problem<double>& rates_of_grid, const Part& part,
              const CoefficientFields& coefficients_of_grid);

  Problem<double> rates;
  std::int64_t cells = 0;  ///< of the part without its halo; inside the mask if there is one
};

/// Counts the values in a part of the grid that a step of `time_step` seconds leaves unchanged
/// although their rate is not 0. A value counts if the mean rate of 32 successive cells around it
/// exceeds rounding and keeps its sign when all values change by a factor of 1 + 1e-5 or 1 - 1e-5;
/// else these cells are in balance. `fields` begin at the grid's first row and reach as far as the
/// part reads them.
std::int64_t stuck_values(const WatchedPart& in, std::span<const std::span<const float>> fields,
                          double time, double time_step);

/// Collects warnings about a run in float32 at its outputs.
class PrecisionWatch {
 public:
  /// Keeps a reference to `config`; `system` has its formulas. Only `rows` of the grid are searched
  /// for values that do not change.
  PrecisionWatch(const RunConfig& config, const FormulaSystem& system,
                 const CoefficientFields& coefficients, RowRange rows);

  /// The new warnings at this output; each warning is returned once. The first call stores the
  /// means with which later means are compared. `values` has every field in the rows given above;
  /// `time_step` is 0 where none is known.
  std::vector<std::string> check(std::int64_t step, double time, double time_step,
                                 std::span<const Statistics> fields,
                                 std::span<const std::span<const float>> values);
  /// The number of steps after which a mean will have drifted by large_drift if it goes on to drift
  /// at the same rate; none if no mean drifts.
  std::optional<double> good_steps(std::int64_t step, std::span<const Statistics> fields) const;

 private:
  double stuck_share(std::span<const std::span<const float>> values, double time,
                     double time_step) const;

  const RunConfig& config_;
  std::vector<WatchedPart> parts_;  // empty after the warning about values that do not change
  std::vector<bool> keeps_means_;
  std::vector<Statistics> first_;
  std::int64_t first_step_ = 0, checks_ = 0;
};

}  // namespace lapl
