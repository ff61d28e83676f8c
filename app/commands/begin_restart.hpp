// The work of a restart before its first step: checks whether anything is left to do and whether
// the equation has changed, then sets the state and the sizes of the steps.
#pragma once

#include <optional>

#include "app/commands/execute.hpp"
#include "solver/step_control.hpp"
#include "solver/step_words.hpp"

namespace lapl {

/// True if the job goes on with a run that is complete under the same config, with all its files.
bool has_nothing_to_do(const Job& job);

/// The warning about the time step in the folder's run.json; empty if there is none.
std::string earlier_step_warning(const RunFolder& folder);

/// A text about the change of what is computed since the checkpoint: the changed keys, or, if only
/// the digest of the equation's canonical form (now `digest`) differs, both digests. Empty if
/// nothing has changed. Throws ConfigError if the job does not allow a change.
std::string problem_change(const Job& job, std::uint64_t digest);

/// The values of a checkpoint in this precision: float64 is rounded to float32. Throws
/// CheckpointError for a value that is too large.
template <class T>
std::vector<T> in_precision(FieldValues values, const std::filesystem::path& path);

/// Sets the backend's state from the job's checkpoint. Throws CheckpointError.
template <class T>
void restore_state(Backend<T>& backend, const Job& job);

/// The step controller's state at the restart; none if steps have one size. If those of the
/// checkpoint had one size, it starts from that size and the checkpoint's time. `changed`: what
/// is computed has changed, so earlier estimates and planned steps are dropped; with another scheme
/// also the last error and number of stages.
std::optional<StepState> first_steps(const Job& job, bool changed);

/// For a restart with a changed equation: finds the step of time.step: auto from the backend's
/// state, or checks the given step, as at the start of a run. Returns messages on the first rank;
/// only that rank reads `coefficients`. All ranks must call it. Throws ConfigError.
template <class T>
StepWords recheck_step(Backend<T>& backend, const Model& model,
                       const CoefficientFields& coefficients, std::int64_t step,
                       std::optional<StepState>& steps);

}  // namespace lapl
