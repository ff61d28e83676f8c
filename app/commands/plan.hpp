// The memory, disk and time of a run, predicted before it starts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/trial.hpp"
#include "io/config/config.hpp"
#include "io/run/run_backend.hpp"
#include "io/run/run_needs.hpp"
#include "kernels/memory_needed.hpp"
#include "kernels/ranks/decomposition.hpp"
#include "kernels/solve/grid_equations.hpp"
#include "solver/stable_step.hpp"

namespace lapl {

/// One way to reach the end of a run: a scheme with its steps, or engine spectral, and its cost.
struct Way {
  std::string name;                      ///< a scheme, or spectral
  std::optional<double> tolerance = {};  ///< time.tolerance, if steps are set by error
  double step = 0;                       ///< on average, where steps vary
  int stages = 1;                        ///< of a step, with rkl2 and steps of one size
  Forecast forecast = {};                ///< of the whole run
  /// at the time Ways::trial, relative to the field's largest value; none if it is not known
  std::optional<double> error = {};
  std::string why_not = {};  ///< why the way is not offered; empty if it is
};

struct Ways {
  double trial = 0;           ///< simulated time after which errors are compared
  std::string why_no_errors;  ///< empty if errors are known
  Way own;                    ///< the run's own steps
  std::vector<Way> others;
};

/// The largest stable step of each scheme.
using StableSteps = std::function<StableStep(TimeScheme)>;

/// Tries each scheme with its largest stable step, each scheme that estimates its error also with a
/// tolerance (the run's, or 1e-4), and engine spectral. Each trial starts from `state` (every
/// field, one after the other) and takes some tenths of a second. The error is the largest
/// difference at Ways::trial from a solution in float64 with a tolerance of 1e-9. `own` is the
/// forecast of the run's own steps.
template <class T>
Ways measure_ways(const RunConfig& config, const BackendChoice& choice,
                  const CoefficientFields& coefficients, const StableSteps& stable_steps,
                  const std::vector<T>& state, const Forecast& own);

/// The time of a run, found by trials: seconds of wall-clock time where no unit is named.
struct RunTime {
  BackendDescription by;
  Forecast stepping;            ///< of all steps, without storing
  double cells_per_second = 0;  ///< of steps; 0 where the run takes no step
  /// the same with constants in place of reductions over the grid; 0 where there are none
  double without_reductions = 0;
  SolveReport solves;  ///< of the steps that were tried; `solves` is 0 where they solve nothing
  double solving_part = 0;     ///< of the time of these steps
  double storing_seconds = 0;  ///< in which all outputs and checkpoints are stored
  double seconds = 0;          ///< of the whole run; a lower bound if step sizes have not settled
  /// upper bound, if step sizes have not settled but do not shrink
  std::optional<double> most_seconds;
  std::string failure;  ///< the error that ends the run in its first steps; else empty
  std::string frozen;   ///< a warning about rounding in the initial field; else empty
  /// steps until rounding to float32 has moved a conserved mean by 1e-5; none: it does not
  std::optional<double> good_steps;
  std::string storing_unknown;  ///< why storing could not be measured; empty where it was
  std::optional<Ways> ways;     ///< none if not asked for, or if the trial took no step
};

struct Plan {
  RunConfig config;
  std::string step_note;       ///< see LoadedConfig
  std::string mask_note = {};  ///< what resolve_mask returns
  BackendChoice choice = {};
  Memory memory = {}, available = {};
  std::int64_t largest_extent = 0;  ///< cells along each axis of the largest grid that fits
  RunDisk disk = {};
  StableStep stable = {};
  std::string step_warning = {};
  std::optional<RunTime> time = {};  ///< none where the grid does not fit
};

/// Runs steps from the initial field for half a second, then stores a field a few times in a
/// temporary folder on the disk that the outputs will be on. A GPU steps while files are stored; on
/// a CPU the times of both add up. `tries_ways`: also tries the other ways (measure_ways). Throws
/// the errors that a run throws before its first step.
Plan plan_run(LoadedConfig config, bool tries_ways);

/// The division of a run among `ranks` processes, and its cost by the model of docs/scaling.md.
/// Nothing is measured, and the memory of this machine does not count: the ranks may be elsewhere.
struct RanksPlan {
  int ranks = 0;
  std::string backend;
  Decomposition by;
  Shape block;  ///< shape of the largest block, without halo
  std::int64_t steps_at_once = 0;
  Memory memory;               ///< of each rank
  double moved_bytes = 0;      ///< sent per rank and step by transforms of etdrk2 and etdrk4
  double memory_of_first = 0;  ///< bytes that the first rank needs in addition
  ModelledStep step;
};

/// Throws ConfigError where the config's engine steps on one rank alone.
RanksPlan plan_on_ranks(const RunConfig& config, int ranks);

}  // namespace lapl
