// Choosing the checkpoint to go on from, and what a config may change there.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "io/hdf5/checkpoint.hpp"
#include "io/run/run_folder.hpp"

namespace lapl {

/// Whether a checkpoint's values are kept, or only verified: then each rank reads its rows.
enum class StateValues : std::uint8_t { kept, of_ranks };

struct Restart {
  std::filesystem::path path;
  Checkpoint checkpoint;
  std::vector<std::string> rejected;  ///< newer checkpoints that cannot be used, each with why
  std::vector<std::string> damaged;   ///< what is wrong with outputs from before this one
};

/// Compares a checkpoint with the run folder that it is to go on in. Throws CheckpointError where
/// it is of another run. Outputs that are not there as they were stored become missing ones in its
/// header; returned is what is wrong with each.
using CheckpointCheck =
    std::function<std::vector<std::string>(const std::filesystem::path& path, CheckpointHeader&)>;

/// The check for the checkpoints of this folder: the problem is that of its config.yaml, and
/// outputs that changed since the checkpoint was written are verified. Throws IoError or
/// ConfigError where config.yaml cannot be read.
///
/// Where the log says that the equation was changed at the step of a checkpoint, or `any_equation`
/// is true, the equation and the parameters may be others.
CheckpointCheck check_for(const RunFolder& folder, bool any_equation = false);

/// The newest valid checkpoint in `folder` up to which every output is stored; where there is none,
/// the newest valid one. Valid: whole, with finite values, in keeping with its own config and its
/// name (grid, precision, coefficient, time step, step, outputs), and of the run that `check`
/// knows. Throws CheckpointError that lists every one with the reason why it was rejected where
/// none is valid.
Restart newest_valid_checkpoint(const std::filesystem::path& folder,
                                const CheckpointCheck& check = {},
                                StateValues values = StateValues::kept);

/// The checkpoint that `from` names: a step number or a file. Throws CheckpointError.
Restart checkpoint_from(const std::filesystem::path& folder, const std::string& from,
                        const CheckpointCheck& check = {}, StateValues values = StateValues::kept);

/// Throws ConfigError that names every key which a restart may not change (grid, boundary, initial
/// field, equation, time step, precision) and which differs from what it was `where`, with both
/// values.
void require_same_problem(const LoadedConfig& before, const std::string& where,
                          const LoadedConfig& now);

/// The same but for keys of sections equation and parameters; returns what differs in these, a line
/// for each key.
std::string require_same_but_for_equation(const LoadedConfig& before, const std::string& where,
                                          const LoadedConfig& now);

}  // namespace lapl
