// The memory, disk and time of a run, predicted before it starts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/run_backend.hpp"
#include "app/commands/run_needs.hpp"
#include "app/commands/trial.hpp"
#include "io/config/config.hpp"
#include "kernels/memory_needed.hpp"
#include "kernels/ranks/decomposition.hpp"
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
Ways measure_ways(const RunConfig& config, const BackendChoice& choice,
                  const CoefficientFields& coefficients, const StableSteps& stable_steps,
                  const std::vector<T>& state, const Forecast& own);

struct RunTime {
  BackendDescription by;
  Forecast stepping;            ///< of all steps
  double cells_per_second = 0;  ///< of steps; 0 where the run takes no step
  /// the same with constants in place of reductions over the grid; 0 where there are none
  double without_reductions = 0;
  double storing_seconds = 0;  ///< of all outputs and checkpoints
  double seconds = 0;          ///< of the whole run; the least, where steps have not settled
  std::optional<double> most_seconds;  ///< where steps have not settled but become no shorter
  std::string failure;                 ///< how the run ends early; empty where it does not
  std::string frozen;                ///< a warning of the initial field; empty where there is none
  std::optional<double> good_steps;  ///< until float32 has made a mean drift; none: it does not
  std::string storing_unknown;       ///< why storing could not be measured; empty where it was
  std::optional<Ways> ways;          ///< to the same time; none unless asked for, or without steps
};

struct Plan {
  RunConfig config;
  std::string step_note;       ///< see LoadedConfig
  std::string mask_note = {};  ///< of resolve_mask
  BackendChoice choice = {};
  Memory memory = {}, available = {};
  std::int64_t largest_extent = 0;  ///< of the largest grid that fits, the same along each axis
  RunDisk disk = {};
  StableStep stable = {};
  std::string step_warning = {};
  std::optional<RunTime> time = {};  ///< none where the grid does not fit
};

/// Runs steps from the initial field for half a second, then stores a field a few times in a
/// temporary folder on the disk that the outputs will be on. A GPU steps while files are stored; on
/// a CPU, storing takes processor time from the steps. `tries_ways`: also tries the other ways
/// (measure_ways). Throws as running does before its first step.
Plan plan_run(LoadedConfig config, bool tries_ways);

/// How so many ranks would divide a run, and the cost that the model of docs/scaling.md predicts.
/// Neither this machine's memory nor its speed matters: the ranks may be elsewhere.
struct RanksPlan {
  int ranks = 0;
  std::string backend;
  Decomposition by;
  Shape block;  ///< the largest
  std::int64_t steps_at_once = 0;
  Memory memory;               ///< of a rank
  double moved_bytes = 0;      ///< by transforms of etdrk2 and etdrk4, in each step, to other ranks
  double memory_of_first = 0;  ///< additional, on the first rank
  ModelledStep step;
};

/// Throws ConfigError where the config's engine steps on one rank alone.
RanksPlan plan_on_ranks(const RunConfig& config, int ranks);

}  // namespace lapl
