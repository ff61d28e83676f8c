// The ways in which a run could be stepped, each tried for a stretch from the initial state.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/run_backend.hpp"
#include "solver/stable_step.hpp"

namespace lapl {

/// One way to reach the end of a run.
struct Way {
  std::string name;                      ///< a scheme, or spectral
  std::optional<double> tolerance = {};  ///< of steps that choose their size by their error
  double step = 0;         ///< seconds; of the trial's steps on average, where they vary
  int stages = 1;          ///< of a step, with rkl2 and steps of one size
  std::int64_t steps = 0;  ///< up to the end of the run
  double seconds = 0;      ///< of wall-clock time that they take
  /// at the end, relative to the largest value of the field; none if it is not known
  std::optional<double> error = {};
  std::string why_not = {};  ///< empty if the way can be taken
};

struct Ways {
  double trial = 0;           ///< seconds of physical time that each way was tried for
  std::string why_no_errors;  ///< empty if errors are known
  Way own;                    ///< the run's own steps
  std::vector<Way> others;
};

using StableSteps = std::function<StableStep(TimeScheme)>;

/// Tries each scheme with the longest stable step, each that estimates its error with a tolerance
/// (the run's, or 1e-4), and engine spectral, from `state` (every field, one after the other). The
/// error of the trial is the largest difference from a solution in float64 with a tolerance of
/// 1e-9. That at the end of the run follows as if it went on to grow as in the second half of the
/// trial. `cells_per_second` is the speed of the run's own steps, which limits the length of the
/// trial.
template <class T>
Ways ways_of(const RunConfig& config, const BackendChoice& choice,
             const CoefficientFields& coefficients, const StableSteps& stable_steps,
             const std::vector<T>& state, double cells_per_second);

}  // namespace lapl
