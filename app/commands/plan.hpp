// The memory, disk and time of a run, predicted before it starts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/run_backend.hpp"
#include "app/commands/run_needs.hpp"
#include "io/config/config.hpp"
#include "kernels/machine/memory.hpp"
#include "kernels/ranks/decomposition.hpp"
#include "solver/stable_step.hpp"

namespace lapl {

/// What the run would cost if it covered the same physical time by another scheme or step.
struct OtherSteps {
  std::string name;  ///< euler, rkl2 or spectral
  double step = 0;   ///< seconds
  int stages = 1;    ///< of a step
  std::int64_t steps = 0;
  double seconds = 0;        ///< that they take
  std::string why_not = {};  ///< empty where they can be taken
};

struct RunTime {
  BackendDescription by;
  double cells_per_second = 0;       ///< of the engine alone; 0 where the run takes no step
  double stepping_seconds = 0;       ///< of all steps
  double storing_seconds = 0;        ///< of all outputs and checkpoints
  double seconds = 0;                ///< of the whole run
  std::string frozen;                ///< a warning of the initial field; empty where there is none
  std::optional<double> good_steps;  ///< until float32 has made a mean drift; none: it does not
  std::string storing_unknown;       ///< why storing could not be measured; empty where it was
  std::vector<OtherSteps> others;    ///< to the same time
};

struct Plan {
  RunConfig config;
  std::string step_note;  ///< see LoadedConfig
  BackendChoice choice;
  Memory memory, available;
  std::int64_t largest_extent = 0;  ///< of the largest grid that fits, the same along each axis
  RunDisk disk;
  StableStep stable;
  std::string step_warning;
  std::optional<RunTime> time;  ///< none where the grid does not fit
};

/// Takes steps from the initial field for about a second, and of each other kind for some tenths,
/// then stores a field a few times in a temporary folder on the disk that the outputs will be on.
/// Storing goes on beside the steps of a GPU, and takes the time of cores away from those on a CPU.
/// The other steps are as long as time.step: auto takes them, but no longer than the time between
/// outputs; those of rkl2 have 20 stages, or fewer where that suffices. None of a kind whose
/// largest stable step is not known, but estimated: it may not be stable. Throws as running does.
Plan plan_of(const LoadedConfig& config);

/// How so many ranks would divide a run, and what the model of docs/scaling.md says of that. The
/// memory of this machine does not matter, nor is anything measured: the ranks may be elsewhere.
struct RanksPlan {
  int ranks = 0;
  std::string backend;
  Decomposition by;
  Shape block;  ///< the largest
  std::int64_t steps_at_once = 0;
  Memory memory;               ///< of a rank
  double memory_of_first = 0;  ///< what the first takes besides
  ModelledStep step;
};

/// Throws ConfigError where the config's engine steps on one rank alone.
RanksPlan plan_on_ranks(const RunConfig& config, int ranks);

}  // namespace lapl
