// Messages of a run on its time step: at its start, while it goes on, and where it fails.
#pragma once

#include <memory>
#include <string>

#include "app/view/console.hpp"
#include "io/run/run_folder.hpp"
#include "solver/initial_field.hpp"
#include "solver/model.hpp"
#include "solver/run.hpp"
#include "solver/stable_step.hpp"

namespace lapl {

/// Messages about the time step, for the user.
struct StepWords {
  std::string note = {}, warning = {};  ///< empty if there is none
  std::string refusal = {};             ///< why no step is possible; else empty
};
/// The messages at the start of a run: `step_note` of the config (LoadedConfig); if that is empty,
/// and steps have no tolerance, a warning about an unstable step, or a refusal. Adds to `whole` the
/// fields that an estimate needs.
StepWords words_on_step(const Model& model, const std::string& step_note,
                        const CoefficientFields& coefficients, WholeFields& whole);

/// A hint for a run whose state is no longer finite: its step and the longest stable step at the
/// last checkpoint, whose values are all finite. Empty if none can be given.
std::string step_hint(const Model& model, const RunFolder& folder);

/// A function that estimates the longest stable step of a state and stores the whole estimate in
/// `last`; empty if the config asks for no estimates.
template <class T>
EstimateStep<T> step_estimator(
    const Model& model, const std::shared_ptr<StableStep>& last = std::make_shared<StableStep>());

/// Sets functions of `steps`, which keep references to `folder` and `console`: the run prints and
/// logs its warnings. If the config asks for it, the run estimates the longest stable step while it
/// goes on, and reports if its steps change or are too long.
template <class T>
void set_estimates(VaryingSteps<T>& steps, const Model& model, const RunFolder& folder,
                   Console& console);

}  // namespace lapl
