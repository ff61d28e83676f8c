// The values of a config that follow from others: each replaces what the config says, and records
// the reason as its origin.
#pragma once

#include "io/config/config.hpp"
#include "io/config/config_reader.hpp"

namespace lapl {

/// Replaces grid.size and grid.center by the numbers that follow, so that equal grids have equal
/// texts.
void find_grid(LoadedConfig& config, const Entries& entries);

/// Computes the number for `time.step: auto`; needs find_exact_outputs.
void find_step(LoadedConfig& config, const Place& place, Mistakes& mistakes);

/// True if a scheme of super steps has `time.stages: auto` and no tolerance, by which each step has
/// stages of its own. The value of time.stages must be right.
bool stages_are_auto(const RunConfig& run, const Entries& entries);

/// Computes the number for `time.stages: auto`.
void find_stages(LoadedConfig& config, const Place& place, Mistakes& mistakes);

/// The interval of output.count, if it is a decimal whose multiple the end is, so that steps of one
/// size may divide it.
void find_exact_outputs(RunConfig& run, const Entries& entries);

/// Replaces output.count by output.every: a time where the run ends at one and steps meet it, else
/// a number of steps. Both are rounded up, so that there are at most so many outputs.
void find_outputs(LoadedConfig& config, const Entries& entries);

/// The spectral engine jumps from one stored state to the next, so the default is a checkpoint at
/// each output.
void find_checkpoints(LoadedConfig& config, const Entry& every);

}  // namespace lapl
