// The ways in which a run could be stepped, each tried from the initial state.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/run_backend.hpp"
#include "app/commands/trial.hpp"
#include "solver/stable_step.hpp"

namespace lapl {

/// One way to reach the end of a run.
struct Way {
  std::string name;                      ///< a scheme, or spectral
  std::optional<double> tolerance = {};  ///< of steps that choose their size by their error
  double step = 0;                       ///< seconds; on average, where steps vary
  int stages = 1;                        ///< of a step, with rkl2 and steps of one size
  Forecast forecast = {};                ///< of the whole run
  /// at the end of the errors' trial, relative to the largest value; none if it is not known
  std::optional<double> error = {};
  std::string why_not = {};  ///< empty if the way can be taken
};

struct Ways {
  double trial = 0;           ///< seconds of simulated time after which errors are compared
  std::string why_no_errors;  ///< empty if errors are known
  Way own;                    ///< the run's own steps
  std::vector<Way> others;
};

using StableSteps = std::function<StableStep(TimeScheme)>;

/// Tries each scheme with the longest stable step, each that estimates its error with a tolerance
/// (the run's, or 1e-4), and engine spectral, from `state` (every field, one after the other). Each
/// goes on for some tenths of a second. The error is the largest difference from a solution in
/// float64 with a tolerance of 1e-9, after a part of the run that takes about as long. `own` is the
/// forecast of the run's own steps.
template <class T>
Ways ways_of(const RunConfig& config, const BackendChoice& choice,
             const CoefficientFields& coefficients, const StableSteps& stable_steps,
             const std::vector<T>& state, const Forecast& own);

}  // namespace lapl
