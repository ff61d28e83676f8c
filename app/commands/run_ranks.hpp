// The ranks of the run in which this process takes part (just itself, without MPI ranks). The first
// rank reads the command line, the config and the run folder, and tells the others what to run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "io/config/config.hpp"
#include "io/run/restart.hpp"
#include "kernels/backend.hpp"
#include "kernels/ranks/ranks.hpp"
#include "solver/step_control.hpp"

namespace lapl {

/// The ranks that mpirun or srun started with this process; otherwise this process alone.
Ranks& run_ranks();

/// Called first by each command with the option --ranks (`wanted`; 0: not given). Catches the stop
/// signals. Returns the exit code if other processes did the work: this process started ranks, or
/// it is a follower and the first rank has finished. Returns none if this process must execute the
/// command. Throws ConfigError if the number of ranks differs from `wanted`, if they cannot be
/// started, or if `live` is set with several ranks.
std::optional<int> done_on_ranks(int wanted, bool live = false);

/// The part of a checkpoint that this rank reads. With several ranks none reads the whole state.
inline StateValues values_to_keep() {
  return run_ranks().count() == 1 ? StateValues::kept : StateValues::of_ranks;
}

/// On the first rank: tells the other ranks which run they take part in. From then on all ranks
/// wait for each other. `masked` is false if every cell is inside the mask, `backend` "cpu" or
/// "cuda"; `restart` is none for a run from step 0. `steps`: the step controller's state at a
/// restart. `changed`: all ranks call recheck_step.
void share_run(Ranks& ranks, const LoadedConfig& config, bool masked, const std::string& backend,
               const std::optional<Restart>& restart, const std::optional<StepState>& steps,
               bool changed);

/// A state stored in a file.
struct StoredState {
  std::filesystem::path path;
  std::int64_t step = 0;
  std::uint64_t digest = 0;
};
/// Sets the state from a checkpoint of this run; each rank reads its own rows. All ranks must call
/// it. Throws the same CheckpointError on all ranks.
template <class T>
void restore_rows(Backend<T>& backend, const StoredState& from, const RunConfig& config);

/// Marks the run that share_run announced as finished: a later error no longer aborts the other
/// ranks.
void end_shared_run();

/// Releases the ranks that wait for this one, or ends them if a run is unfinished. Returns the exit
/// code for this process: 0 if start_ranks has received `exit_code`, because launchers print
/// messages about other codes.
int leave_ranks(int exit_code);

}  // namespace lapl
