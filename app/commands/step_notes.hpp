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
/// Describes the time step or number of stages that auto has chosen, or the reason why the given
/// step is unstable: `step_note`, where the config has one (LoadedConfig). Adds to `whole` the
/// fields that an estimate needs.
StepWords words_on_step(const Model& model, const std::string& step_note,
                        const CoefficientFields& coefficients, WholeFields& whole);

/// A hint where a state has become infinite: the longest stable step of the last checkpoint, whose
/// values are all finite. Empty where none is known.
std::string step_hint(const Model& model, const RunFolder& folder);

/// Estimates the longest stable step of a state, and keeps the estimate, with its words, in `last`;
/// empty where the config asks for no estimates.
template <class T>
EstimateStep<T> step_estimator(
    const Model& model, const std::shared_ptr<StableStep>& last = std::make_shared<StableStep>());

/// Lets a run print and log its warnings. Where the config asks for it, the run estimates the
/// longest stable step while it goes on, and reports where steps change or are too long. Keeps
/// references.
template <class T>
void set_estimates(VaryingSteps<T>& steps, const Model& model, const RunFolder& folder,
                   Console& console);

}  // namespace lapl
