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

/// The keys of the equation that change from here on, by its digest now; empty where none does.
/// Throws ConfigError for a change that is not allowed.
std::string equation_change(const Job& job, std::uint64_t digest);

/// Sets the state of the job's checkpoint. Throws CheckpointError.
template <class T>
void restore_state(Backend<T>& backend, const Job& job);

/// The state of the steps with which the job goes on; none where they have one size. `changed`: its
/// equation, or another key of --change-equation, is another one from there on. Steps of one size
/// go on as steps that vary at the time that they have reached.
std::optional<StepState> first_steps(const Job& job, bool changed);

/// For a restart from which on the equation is another one: chooses the step that auto means from
/// the state at hand, or checks the given one, as at the start of a run. Returns what there is to
/// say on the first rank, which alone reads `coefficients`. Collective. Throws ConfigError.
template <class T>
StepWords recheck_step(Backend<T>& backend, const Model& model,
                       const CoefficientFields& coefficients, std::int64_t step,
                       std::optional<StepState>& steps);

}  // namespace lapl
