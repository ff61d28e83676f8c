// Rounding to float32 takes from a run: cells that stand still, and means that drift though
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

/// For each field, whether steps keep its mean but for rounding: the sum of its rate over a small
/// grid with the same faces, of random states, is nothing but rounding.
std::vector<bool> keeps_means(const RunConfig& config);

/// By how much a mean has gone away from what it was, as a share of it, or, where it is next to 0
/// beside the values, of a tenth of these.
double drift_of(const Statistics& now, const Statistics& before, Shape shape,
                const Spacing& spacing);

/// A drift that people are warned of.
inline constexpr double large_drift = 1e-5;

/// The values of a state that a step leaves as they are, though their rate is not 0. The mean rate
/// of those beside them is more than their rounding makes, and of the same sign were all by 1e-5
/// of themselves further on: so it is no balance that they have come to.
std::int64_t stuck_values(const RunConfig& config, const CoefficientFields& coefficients,
                          std::span<const float> state, std::int64_t step);

/// Looks at the outputs of a run in float32.
class PrecisionWatch {
 public:
  /// `frozen`: whether to look for values that stand still, too, which takes memory for the state
  /// and the coefficients in float64.
  PrecisionWatch(const RunConfig& config, const CoefficientFields& coefficients, bool frozen);

  /// Warnings, each once. The first call gives the means that others are compared with.
  std::vector<std::string> look(std::int64_t step, std::span<const Statistics> fields,
                                std::span<const std::span<const float>> values);
  /// After how many steps a mean will have drifted by large_drift, where it drifts on as it did up
  /// to this step; none where none drifts.
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
