// Messages of a run on its time step at its start, and estimates of the step while the run goes on.
#pragma once

#include <memory>
#include <string>

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

/// A function that estimates the longest stable step of a state and stores the whole estimate in
/// `last`; empty if the config asks for no estimates.
template <class T>
EstimateStep<T> step_estimator(
    const Model& model, const CoefficientFields& coefficients,
    const std::shared_ptr<StableStep>& last = std::make_shared<StableStep>());

}  // namespace lapl
