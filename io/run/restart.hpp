// Chooses the checkpoint from which a run continues, and checks what its config may change.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "io/hdf5/checkpoint.hpp"
#include "io/run/run_folder.hpp"

namespace lapl {

/// `kept`: the checkpoint's values are kept; `of_ranks`: only verified, and each rank reads its
/// rows.
enum class StateValues : std::uint8_t { kept, of_ranks };

/// A checkpoint chosen for a restart.
struct Restart {
  std::filesystem::path path;
  Checkpoint checkpoint;
  std::vector<std::string> rejected;  ///< newer unusable checkpoints, each with the reason
  std::vector<std::string> damaged;   ///< faults of outputs from before this checkpoint
};

/// Compares a checkpoint with the run folder in which it continues. Throws CheckpointError where it
/// belongs to another run. Outputs that are missing or changed become missing ones in its header;
/// returns the fault of each.
using CheckpointCheck =
    std::function<std::vector<std::string>(const std::filesystem::path& path, CheckpointHeader&)>;

/// The check for the checkpoints in this folder: the problem must be that of its config.yaml, and
/// outputs changed since the checkpoint was written are verified. Throws IoError or ConfigError
/// where config.yaml cannot be read.
///
/// Equation and parameters may differ where `any_equation` is true or the log records a change of
/// the equation at the checkpoint's step.
CheckpointCheck check_for(const RunFolder& folder, bool any_equation = false);

/// The newest valid checkpoint in `folder` with every earlier output stored; where there is none,
/// the newest valid one. Valid means: whole, finite, consistent with its own config and name (grid,
/// precision, coefficient, time step, step, outputs), and accepted by `check`. Throws
/// CheckpointError with all of them and the reason for each where none is valid.
Restart newest_valid_checkpoint(const std::filesystem::path& folder,
                                const CheckpointCheck& check = {},
                                StateValues values = StateValues::kept);

/// The checkpoint that `from` names, by step number or file. Throws CheckpointError.
Restart checkpoint_from(const std::filesystem::path& folder, const std::string& from,
                        const CheckpointCheck& check = {}, StateValues values = StateValues::kept);

/// Throws ConfigError with every key that a restart may not change (grid, boundary, initial field,
/// equation, time step, precision) but that differs, with both values; `where` says where the
/// earlier one stands.
void require_same_problem(const LoadedConfig& before, const std::string& where,
                          const LoadedConfig& now);

/// The same, except that the sections equation and parameters may differ; returns their
/// differences, one key per line.
std::string require_same_but_for_equation(const LoadedConfig& before, const std::string& where,
                                          const LoadedConfig& now);

}  // namespace lapl
