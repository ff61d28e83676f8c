// Choosing the checkpoint to go on from, and what a config may change there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "io/hdf5/checkpoint.hpp"

namespace lapl {

struct Restart {
  std::filesystem::path path;
  Checkpoint checkpoint;
  std::vector<std::string> rejected;  ///< newer checkpoints that cannot be used, each with why
};

/// Valid: whole, and in keeping with its own config and its name (grid, precision, coefficient,
/// time step, step, outputs), with finite values.
///
/// The newest valid checkpoint in `folder` up to which every output could be stored; where there is
/// none, the newest valid one. Throws CheckpointError that lists every one with the reason why it
/// was rejected where none is valid.
Restart newest_valid_checkpoint(const std::filesystem::path& folder);

/// The checkpoint that `from` names: a step number or a file. Throws CheckpointError.
Restart checkpoint_from(const std::filesystem::path& folder, const std::string& from);

/// Throws ConfigError that names every key which a restart may not change (grid, boundary, initial
/// field, equation, time step, precision) and which differs from the checkpoint's config, with both
/// values.
void require_same_problem(const LoadedConfig& of_checkpoint, const LoadedConfig& now);

}  // namespace lapl
