// The ranks of this process, and what those do that are not the first: the first reads the command
// line, the config and the run folder, and tells the others what to run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "kernels/ranks/ranks.hpp"

namespace lapl {

/// Those that this process was started with, by mpirun or srun; else itself alone.
Ranks& run_ranks();

/// The command line that starts so many ranks of this program, up to the program itself.
std::vector<std::string> words_of_ranks(int count);

/// Called by a command with its option --ranks (0: not given), before anything else. Where others
/// do its work, returns its exit code once they have: ranks that are started here, by mpirun, or
/// the first one, whom this process follows. Throws ConfigError where there are other ranks than
/// asked for, where they cannot be started, and where they are to be shown while they run (`live`).
std::optional<int> done_on_ranks(int wanted, bool live = false);

/// Says to the other ranks, on the first, which run they take part in; from then on all of them
/// wait for each other. `backend` as chosen; `step` of the state that the run goes on from, none at
/// its beginning.
void share_run(Ranks& ranks, const LoadedConfig& config, const std::string& backend,
               std::optional<std::int64_t> step);
/// That run has ended, on all ranks.
void end_shared_run();

/// Lets the others go that wait for this one, or ends them where they wait for it amid a run.
void leave_ranks(int exit_code);

}  // namespace lapl
