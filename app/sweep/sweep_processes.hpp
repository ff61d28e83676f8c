// Runs the members of a sweep side by side, each in a process of its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/sweep/sweep_members.hpp"

namespace lapl {

/// How a member ended.
struct MemberEnd {
  int code = 0;       ///< exit code, or 128 and the signal that ended it, as shells count
  std::string error;  ///< the last message in its log; empty where it is complete or stopped
};

struct SweepOptions {
  std::string config;  ///< path of the config file
  std::string text;    ///< of that file when the members were checked
  int jobs = 0;        ///< members at once, at most; 0: as many as cores and memory allow
  bool go_on = false;  ///< each member goes on where its run folder holds a run
};

/// Runs every member that is not complete as `lapl run`, in a process forked from this one, with
/// its output in the file `FOLDER.log`. Calls `ended` when one ends. SIGINT, SIGTERM and SIGUSR1
/// stop those that run, with checkpoints, and start no more. Returns the name of that signal, empty
/// without one.
std::string run_members(const std::vector<SweepMember>& members, const SweepOptions& options,
                        const std::function<void(const SweepMember&, const MemberEnd&)>& ended);

}  // namespace lapl
