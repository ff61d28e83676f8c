// The part that run and resume share: from a config, and maybe a checkpoint, to a finished run
// folder.
#pragma once

#include <optional>

#include "app/view/console.hpp"
#include "io/config/config.hpp"
#include "io/run/restart.hpp"
#include "io/run/run_folder.hpp"

namespace lapl {

struct Job {
  LoadedConfig config;
  std::optional<Restart> restart = {};                         ///< none: from the initial field
  RunFolder::Existing existing = RunFolder::Existing::refuse;  ///< where there is no folder yet
  std::optional<RunFolder> folder = {};  ///< an existing run's, already locked
  bool change_equation = false;          ///< the equation may change from here on
  std::string equation_change = {};      ///< the keys that change it; empty: none
  bool after_change = false;  ///< the checkpoint has the equation before a change in the log
  bool goes_back = false;     ///< files of later steps are moved to a folder of their own
  std::vector<std::string> moved_probes = {};  ///< columns that record another cell from here on
};

/// In a member of a sweep, the text that the sweep has checked: `lapl run` reads it in place of the
/// config file, which may have changed since. Null in other processes.
extern const std::string* checked_config_text;

/// The job that goes on from `restart` in `folder` under `config`; prints which checkpoints were
/// rejected. Throws ConfigError where the config asks for another problem or an earlier end. If
/// `change_equation`, keys of --change-equation may have other values.
Job resume_job(const LoadedConfig& config, RunFolder folder, Restart restart, Console& console,
               bool change_equation = false);

/// Runs the job, unless it goes on with a run that is complete under this config; returns the exit
/// code: complete, or stopped early. Everything that can be wrong with config, initial field,
/// device and memory is found before the run folder is touched.
int execute(const Job& job, Console& console);

}  // namespace lapl
