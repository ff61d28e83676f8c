// Watches for damage by rounding to float32: cells that stand still, and means that drift although
// the equation keeps them.
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

/// For each field, true where the equation keeps its mean: the sum of its rate over a small grid
/// with the same faces and random states is 0 but for rounding.
std::vector<bool> keeps_means(const RunConfig& config);

/// The drift of a mean as a share of its earlier value, or of a tenth of the field's values where
/// the mean is nearly 0 beside them.
double drift_of(const Statistics& now, const Statistics& before, Shape shape,
                const Spacing& spacing);

/// The drift at which a warning is given.
inline constexpr double large_drift = 1e-5;

/// Counts the values that a step leaves unchanged although their rate is not 0. A value counts if
/// the mean rate of its neighbourhood exceeds rounding and keeps its sign when all values are moved
/// by 1e-5 of themselves, so that the place is not in balance.
std::int64_t stuck_values(const RunConfig& config, const CoefficientFields& coefficients,
                          std::span<const float> state, std::int64_t step);

/// Collects warnings about a run in float32 at its outputs.
class PrecisionWatch {
 public:
  /// `frozen`: look for values that stand still as well, which needs memory for the state and the
  /// coefficients in float64.
  PrecisionWatch(const RunConfig& config, const CoefficientFields& coefficients, bool frozen);

  /// The new warnings at this output; each is given once. The first call sets the means for
  /// comparison.
  std::vector<std::string> look(std::int64_t step, std::span<const Statistics> fields,
                                std::span<const std::span<const float>> values);
  /// The number of steps after which a mean will have drifted by large_drift at the pace so far;
  /// none where no mean drifts.
  std::optional<double> good_steps(std::int64_t step, std::span<const Statistics> fields) const;

 private:
  const RunConfig& config_;
  CoefficientFields coefficients_;
  std::vector<bool> keeps_means_;
  std::vector<Statistics> first_;
  std::int64_t first_step_ = 0, looks_ = 0;
  bool looks_for_frozen_;
};

}  // namespace lapl
