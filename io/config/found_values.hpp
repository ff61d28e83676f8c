// The values of a config that follow from others: each replaces what the config says, and records
// the reason as its origin.
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

/// Replaces grid.size and grid.center by the numbers that follow, so that equal grids have equal
/// texts.
void find_grid(ConfigInMaking& config, const Entries& entries);

/// Computes the number for `time.step: auto`; needs find_exact_outputs and the system.
void find_step(ConfigInMaking& config, const Place& place, Mistakes& mistakes);

/// Computes the number for `time.stages: auto`; needs the system.
void find_stages(ConfigInMaking& config, const Place& place, Mistakes& mistakes);

/// The interval of output.count, if it is a decimal whose multiple the end is, so that steps of one
/// size may divide it.
void find_exact_outputs(RunConfig& run, const Entries& entries);

/// Replaces output.count by output.every: a time where the run ends at one and steps meet it, else
/// a number of steps. Both are rounded up, so that there are at most so many outputs.
void find_outputs(ConfigInMaking& config, const Entries& entries);

/// The spectral engine jumps from one stored state to the next, so the default is a checkpoint at
/// each output.
void find_checkpoints(ConfigInMaking& config, const Entry& every);

}  // namespace lapl
