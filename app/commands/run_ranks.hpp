// The ranks of this process, and what those do that are not the first: the first reads the command
// line, the config and the run folder, and tells the others what to run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "io/config/config.hpp"
#include "io/run/restart.hpp"
#include "kernels/backend.hpp"
#include "kernels/ranks/ranks.hpp"

namespace lapl {

/// The ranks that mpirun or srun started together with this process; else this process alone.
Ranks& run_ranks();

/// Called by a command with its option --ranks (0: not given), before anything else. Catches the
/// stop signals. Where others do its work, returns its exit code once they have: ranks that are
/// started here, by mpirun, or the first one, whom this process follows. Throws ConfigError where
/// there are other ranks than asked for, where they cannot be started, and where they are to be
/// shown while they run (`live`).
std::optional<int> done_on_ranks(int wanted, bool live = false);

/// The part of a checkpoint that this rank keeps: no rank of several holds the whole state.
inline StateValues values_to_keep() {
  return run_ranks().count() == 1 ? StateValues::kept : StateValues::of_ranks;
}

/// Says to the other ranks, on the first, which run they take part in; from then on all of them
/// wait for each other. `backend` as chosen; `restart`: what the run goes on from, none at its
/// beginning.
void share_run(Ranks& ranks, const LoadedConfig& config, const std::string& backend,
               const std::optional<Restart>& restart);

/// A state in a file.
struct StoredState {
  std::filesystem::path path;
  std::int64_t step = 0;
  std::uint64_t digest = 0;
};
/// Sets the state to that of a checkpoint of this run, of which every rank reads its rows. Called
/// by all ranks; throws the same CheckpointError on all.
template <class T>
void restore_rows(Backend<T>& backend, const StoredState& from, const RunConfig& config);

/// That run has ended, on all ranks.
void end_shared_run();

/// Lets the others go that wait for this one, or ends them where they wait for it amid a run.
/// Returns what this process is to end with: 0 where start_ranks has got the exit code already,
/// since launchers have words of their own for others.
int leave_ranks(int exit_code);

}  // namespace lapl
