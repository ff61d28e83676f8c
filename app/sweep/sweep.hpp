// A sweep runs a config with each combination of listed values. Each combination is a member, which
// is checked first, and then runs in a process beside others.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "solver/run_config.hpp"

namespace lapl {

struct SweepMember {
  std::string name;  ///< of its run folder, such as coefficient-0.05_seed-1
  std::vector<std::pair<std::string, std::string>> values;  ///< each swept key, its value (YAML)
  nlohmann::ordered_json swept;                             ///< the values, for the run's files
  std::vector<std::string> settings;                        ///< KEY=VALUE for --set, swept or not
  RunConfig run;                                            ///< its `directory` is the run folder
  bool complete = false;  ///< its folder contains this very run, done to the end
};

/// One member for each combination of the values in `settings` (KEY=VALUE,VALUE,...); the last list
/// varies fastest. `text` is the content of the file `config`; run folders will be made below
/// `folder`. Throws ConfigError with the mistakes of all members at once. A run that is already in
/// a member's folder is a mistake too; with `go_on`, only one of another problem. Throws IoError if
/// a file that a config names cannot be read.
std::vector<SweepMember> sweep_members(const std::string& config, const std::string& text,
                                       const std::vector<std::string>& settings,
                                       const std::filesystem::path& folder, bool go_on);

/// How a member ended.
struct MemberEnd {
  int code = 0;       ///< exit code, or 128 + the number of the signal that ended it
  std::string error;  ///< the last message in its log; empty where it is complete or stopped
};

struct SweepOptions {
  std::string config;  ///< path of the config file
  std::string text;    ///< its content when the members were checked
  int jobs = 0;        ///< members at once, at most; 0: as many as cores and memory allow
  bool go_on = false;  ///< each member goes on where its run folder contains a run
};

/// Runs every member that is not complete as `lapl run`, in a process forked from this one, with
/// its output in the file `FOLDER.log`. Calls `ended` when a member ends. At a stop signal
/// (app/signals.hpp) stops the members that run, with checkpoints, and starts no more. Returns the
/// name of that signal, empty without one.
std::string run_members(const std::vector<SweepMember>& members, const SweepOptions& options,
                        const std::function<void(const SweepMember&, const MemberEnd&)>& ended);

}  // namespace lapl
