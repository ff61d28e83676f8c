// A sweep: its members, the product of the lists on the command line, each checked; and their
// processes, which run side by side.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "solver/run_config.hpp"

namespace lapl {

struct SweepMember {
  std::string name;  ///< of its run folder, such as coefficient-0.05_seed-1
  std::vector<std::pair<std::string, std::string>> values;  ///< key and value, as YAML
  std::vector<std::string> settings;                        ///< for --set: common ones and its own
  RunConfig run;                                            ///< its directory is the run folder
  bool complete = false;  ///< its folder contains this very run, done to the end
};

/// One member for each combination of the values in `settings` (KEY=VALUE,VALUE,...); the last list
/// varies fastest; `text` is that of the file `config`; their run folders will be below `folder`.
/// Throws ConfigError with the mistakes of all members at once; a run folder that contains a run is
/// a mistake, too (with `go_on` only if that run has another problem). Throws IoError if a file
/// that a config names cannot be read.
std::vector<SweepMember> sweep_members(const std::string& config, const std::string& text,
                                       const std::vector<std::string>& settings,
                                       const std::filesystem::path& folder, bool go_on);

/// How a member ended.
struct MemberEnd {
  int code = 0;       ///< exit code, or 128 and the signal that ended it, as shells count
  std::string error;  ///< the last message in its log; empty where it is complete or stopped
};

struct SweepOptions {
  std::string config;  ///< path of the config file
  std::string text;    ///< of that file when the members were checked
  int jobs = 0;        ///< members at once, at most; 0: as many as cores and memory allow
  bool go_on = false;  ///< each member goes on where its run folder contains a run
};

/// Runs every member that is not complete as `lapl run`, in a process forked from this one, with
/// its output in the file `FOLDER.log`. Calls `ended` when one ends. SIGINT, SIGTERM and SIGUSR1
/// stop those that run, with checkpoints, and start no more. Returns the name of that signal, empty
/// without one.
std::string run_members(const std::vector<SweepMember>& members, const SweepOptions& options,
                        const std::function<void(const SweepMember&, const MemberEnd&)>& ended);

}  // namespace lapl
