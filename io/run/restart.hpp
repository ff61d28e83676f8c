// Chooses the checkpoint from which a run continues.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "io/config/config_keys.hpp"
#include "io/hdf5/checkpoint.hpp"
#include "io/run/run_folder.hpp"

namespace lapl {

/// `kept`: the Restart holds the checkpoint's values. `of_ranks`: it holds none; the values are
/// only verified, and each rank reads its own rows later.
enum class StateValues : std::uint8_t { kept, of_ranks };

/// A checkpoint chosen for a restart.
struct Restart {
  std::filesystem::path path;
  Checkpoint checkpoint;
  LoadedConfig config;                ///< of the checkpoint
  std::vector<std::string> rejected;  ///< newer unusable checkpoints, each with the reason
  std::vector<std::string> damaged;   ///< messages about outputs before this checkpoint
};

/// Compares a checkpoint with the run folder in which it continues. Throws CheckpointError if it
/// belongs to another run. Moves outputs whose files are missing or changed to missing_outputs of
/// the header and adds a message about each to `damaged`.
using CheckpointCheck = std::function<void(Restart&)>;

/// The check for the checkpoints in this folder: the problem must be that of its config.yaml, and
/// outputs changed since the checkpoint was written are verified. Keys of the permissions `allowed`
/// may differ, and those of all permissions if the log records a change at the checkpoint's step.
/// Throws IoError or ConfigError if config.yaml cannot be read.
CheckpointCheck check_for(const RunFolder& folder, const Permissions& allowed = {});

/// The newest valid checkpoint in `folder` that has every earlier output stored; if there is none,
/// the newest valid one. Valid means whole, finite, consistent with its own config and file name,
/// and accepted by `check`. Throws CheckpointError, with each checkpoint and the reason against it,
/// if none is valid.
Restart newest_valid_checkpoint(const std::filesystem::path& folder,
                                const CheckpointCheck& check = {},
                                StateValues values = StateValues::kept);

/// The checkpoint that `from` names by step number or file. Throws CheckpointError.
Restart checkpoint_from(const std::filesystem::path& folder, const std::string& from,
                        const CheckpointCheck& check = {}, StateValues values = StateValues::kept);

}  // namespace lapl
