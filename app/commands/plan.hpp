// What a run will take, known before any of it is taken.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/commands/run_backend.hpp"
#include "app/commands/run_needs.hpp"
#include "app/commands/run_time.hpp"
#include "io/config/config.hpp"
#include "kernels/machine/memory.hpp"
#include "kernels/ranks/decomposition.hpp"
#include "solver/stable_step.hpp"

namespace lapl {

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

/// Measures as measure_run_time does. Throws as running does.
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
