// A restart before its first step: whether there is anything to do, its state, its equation and the
// sizes of its steps.
#pragma once

#include <optional>

#include "app/commands/execute.hpp"
#include "app/commands/step_notes.hpp"
#include "solver/step_control.hpp"

namespace lapl {

/// True if the job goes on with a run that is complete under the same config, with all its files.
bool has_nothing_to_do(const Job& job);

/// The warning on its step that the run in the folder began with; empty where it had none.
std::string earlier_step_warning(const RunFolder& folder);

/// The change of the equation from here on, as text for the log; `digest` is that of the equation
/// now. Empty if nothing changes. Throws ConfigError for a change that is not allowed.
std::string equation_change(const Job& job, std::uint64_t digest);

/// Sets the state of the job's checkpoint. Throws CheckpointError.
template <class T>
void restore_state(Backend<T>& backend, const Job& job);

/// The state of the steps from which the job goes on; none if all steps have one size. `changed`:
/// the equation, or another key of --change-equation, differs from here on. If the checkpoint is of
/// a run with steps of one size, steps that vary begin with that size at its time.
std::optional<StepState> first_steps(const Job& job, bool changed);

/// For a restart that changes the equation: chooses the step for time.step auto from the current
/// state, or checks the given step, as at the start of a run. Returns the messages, on the first
/// rank; only this rank reads `coefficients`. Collective. Throws ConfigError.
template <class T>
StepWords recheck_step(Backend<T>& backend, const Model& model,
                       const CoefficientFields& coefficients, std::int64_t step,
                       std::optional<StepState>& steps);

}  // namespace lapl
