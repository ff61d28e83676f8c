// The part that lapl run and lapl resume share: from a config, and maybe a checkpoint, to a
// finished run folder.
#pragma once

#include <optional>

#include "app/view/console.hpp"
#include "io/config/config.hpp"
#include "io/run/config_changes.hpp"
#include "io/run/restart.hpp"
#include "io/run/run_folder.hpp"

namespace lapl {

struct Job {
  LoadedConfig config;
  std::optional<Restart> restart = {};  ///< none: starts from the initial field
  std::string origin = {};  ///< of initial fields from another run, for the provenance; else empty
  RunFolder::Existing existing = RunFolder::Existing::refuse;  ///< for a run that is there already
  std::optional<RunFolder> folder = {};  ///< its run folder, locked; none: to be created
  Permissions allowed = {};              ///< what the restart may change
  PermittedChanges changes = {};         ///< the keys that it changes
  bool after_change = false;             ///< the log has a change at this checkpoint's step
  bool goes_back = false;                ///< outputs and checkpoints of later steps are set aside
  std::vector<std::string> moved_probes = {};  ///< columns of probes.csv that get another cell
};

/// In a member of a sweep, the config text that the sweep has checked: `lapl run` reads it in place
/// of the config file, which may have changed since. Null in other processes.
extern const std::string* checked_config_text;
/// There too, the swept values, as io/hdf5/axes.hpp has them; empty in other processes.
extern std::string swept_values;

/// The job that goes on from `restart` in `folder` under `config`. Prints which checkpoints were
/// rejected. Throws ConfigError if the config has another problem than the checkpoint, or ends
/// before it; keys of the permissions `allowed` may differ.
Job resume_job(const LoadedConfig& config, RunFolder folder, Restart restart, Console& console,
               const Permissions& allowed = {});

/// Runs the job, unless it goes on with a run that is complete under this config; returns the exit
/// code: complete, or stopped early. Throws all errors of config, initial field, device and memory
/// before it writes to the run folder.
int execute(const Job& job, Console& console);

}  // namespace lapl
