#include "app/commands/step_notes.hpp"

#include <fmt/format.h>

#include <memory>
#include <variant>

#include "app/commands/run_ranks.hpp"
#include "io/readers/initial_source.hpp"
#include "io/run/restart.hpp"
#include "kernels/error.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation/growth.hpp"

namespace lapl {

void say_stable_step(const LoadedConfig& config, const CoefficientFields& coefficients,
                     const WholeFields& whole, Console& console) {
  if (!config.step_note.empty()) return console.note(config.step_note);
  if (config.run.scheme.tolerance) return;
  const StableStep stable = stable_step_of(config.run, [&] {
    return StateFields{coefficients, whole};
  });
  if (const std::string warning = step_warning(config.run, stable); !warning.empty())
    console.warning(warning);
}

std::string step_hint(const RunConfig& config, const RunFolder& folder) try {
  if (is_spectral(config) || is_exponential(config) || run_ranks().count() > 1) return {};
  const Checkpoint last = newest_valid_checkpoint(folder.checkpoints()).checkpoint;
  const StableStep stable = std::visit(
      [&]<class Values>(const Values& values) {
        return stable_step_at<typename Values::value_type>(config, load_coefficients(config),
                                                           values);
      },
      last.values);
  const auto steps = StepState::of_words(last.header.step_state);
  const std::string step =
      steps ? fmt::format("{:.7g} s at step {}", steps->longest, last.header.step)
            : fmt::format("{:.7g} s", time_step_of(config));
  return fmt::format("\ntime.step is {}; the largest stable step: {}", step,
                     text_of(stable, fmt::format("at step {}", last.header.step)));
} catch (const CheckpointError&) {  // there is nothing to say
  return {};
}

namespace {

// Also keeps the estimate, with its words, in `last`.
template <class T>
EstimateStep<T> estimate_to(const std::shared_ptr<StableStep>& last, RunConfig config) {
  config.scheme = config.estimated_scheme();
  return [config, last, known = largest_step_of(config),
          coefficients = load_coefficients(config)](std::span<const T> state) {
    *last = known ? StableStep{.largest = known} : stable_step_at(config, coefficients, state);
    const double longest = last->largest.value_or(0);
    return StepEstimate{.longest = longest,
                        .step = longest == any_step ? any_step : automatic_step(*last).value_or(0),
                        .growth = last->growth};
  };
}

}  // namespace

template <class T>
EstimateStep<T> estimate_of(const RunConfig& run) {
  if (!run.stability_checks()) return {};
  return estimate_to<T>(std::make_shared<StableStep>(), run);
}
template EstimateStep<float> estimate_of(const RunConfig&);
template EstimateStep<double> estimate_of(const RunConfig&);

template <class T>
void set_estimates(VaryingSteps<T>& steps, const RunConfig& run, const RunFolder& folder,
                   Console& console) {
  if (!run.stability_checks()) return;
  const auto last = std::make_shared<StableStep>();
  steps.estimate = estimate_to<T>(last, run);
  steps.say = [&folder, &console, last, varies = run.scheme.varies](std::int64_t step,
                                                                    double size) {
    const std::string what = fmt::format("the largest stable step is {}",
                                         text_of(*last, fmt::format("at step {}", step)));
    if (varies)
      console.note(
          fmt::format("step {}: time.step is {:.4g} s from there on: {}", step, size, what));
    else
      console.warning(fmt::format("step {}: {}, and time.step is {:.4g} s", step, what, size));
    folder.log({{"event", "step"}, {"step", step}, {"largest_stable_step", *last->largest}});
  };
}
template void set_estimates(VaryingSteps<float>&, const RunConfig&, const RunFolder&, Console&);
template void set_estimates(VaryingSteps<double>&, const RunConfig&, const RunFolder&, Console&);

}  // namespace lapl
