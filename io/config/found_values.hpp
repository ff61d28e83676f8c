// Finds the values of a config that follow from others. Each replaces what the config says, and its
// origin records the reason.
#pragma once

#include "io/config/config.hpp"
#include "io/config/config_reader.hpp"

namespace lapl {

/// A config some of whose values are not found yet.
struct ConfigInMaking {
  RunConfig run;
  std::optional<FormulaSystem> system;  ///< once the formulas are checked
  std::vector<ResolvedKey> keys;
  std::string step_note;
};

/// In the resolved keys, replaces grid.size by grid.spacing and grid.center by grid.origin, so that
/// equal grids have equal texts.
void find_grid(ConfigInMaking& config, const Entries& entries);

/// Computes the number for `time.step: auto`; runs after find_exact_outputs; needs the system.
void find_step(ConfigInMaking& config, const Place& place, Mistakes& mistakes);

/// Computes the number for `time.stages: auto`; needs the system.
void find_stages(ConfigInMaking& config, const Place& place, Mistakes& mistakes);

/// Stores the interval of outputs that follows from output.count and the end, if it is a short
/// decimal of which the end is an exact multiple. Then steps of one size can divide it.
void find_exact_outputs(RunConfig& run, const Entries& entries);

/// Replaces output.count by output.every: an interval of time if steps meet it, else a number of
/// steps. It is rounded up, so that at most output.count outputs follow step 0.
void find_outputs(ConfigInMaking& config, const Entries& entries);

/// For the spectral engine, which jumps from one stored state to the next: makes a checkpoint at
/// each output the default.
void find_checkpoints(ConfigInMaking& config, const Entry& every);

}  // namespace lapl
