#include "solver/step_words.hpp"

#include <limits>

#include "kernels/for_floats.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation/growth.hpp"

namespace lapl {

StepWords words_on_step(const Model& model, const std::string& step_note,
                        const CoefficientFields& coefficients, WholeFields& whole) {
  if (!step_note.empty()) return {step_note, ""};
  if (model.run.scheme.tolerance) return {};
  const StableStep stable = find_stable_step(model.run, model.system, [&] {
    add_computed_fields(whole, model.run, coefficients);
    return StateFields{coefficients, whole, {model.run.start}};
  });
  return {"", step_warning(model.run, model.system, stable), why_no_step(model.run, stable)};
}

template <class T>
EstimateStep<T> step_estimator(const Model& model, const CoefficientFields& coefficients,
                               const std::shared_ptr<StableStep>& last) {
  RunConfig config = model.run;
  if (!config.stability_checks()) return {};
  config.scheme = config.estimated_scheme();
  return [config, system = model.system, last, known = stable_limit(config, model.system),
          coefficients](std::span<const T> state, const Ahead& ahead) {
    *last = known ? StableStep{.largest = known}
                  : stable_step_at(config, system, coefficients, state, ahead,
                                   std::numeric_limits<std::int64_t>::max());
    const double longest = last->largest.value_or(0);
    return StepEstimate{
        .longest = longest,
        .step = longest == any_step ? any_step : automatic_step(*last).value_or(0),
        .growth = last->growth,
        .why_none = longest > 0 ? "" : stable_step_text(config, *last, "at this state")};
  };
}
LAPL_FOR_FLOATS(step_estimator);

}  // namespace lapl
