#include "app/commands/step_notes.hpp"

#include <fmt/format.h>

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
  const StableStep stable = stable_step_of(config.run, [&] {
    return StateFields{coefficients, whole};
  });
  if (const std::string warning = step_warning(config.run, stable); !warning.empty())
    console.warning(warning);
}

std::string step_hint(const RunConfig& config, const RunFolder& folder) try {
  if (is_spectral(config) || run_ranks().count() > 1) return {};
  const Checkpoint last = newest_valid_checkpoint(folder.checkpoints()).checkpoint;
  const StableStep stable = std::visit(
      [&]<class Values>(const Values& values) {
        return stable_step_at<typename Values::value_type>(config, load_coefficients(config),
                                                           values);
      },
      last.values);
  return fmt::format("\ntime.step is {:.7g} s; the largest stable step: {}", time_step_of(config),
                     text_of(stable, fmt::format("at step {}", last.header.step)));
} catch (const CheckpointError&) {  // there is nothing to say
  return {};
}

namespace {

// Of rkl2 with a tolerance.
template <class T>
LongestStep<T> longest_step_of_stages(RunConfig config) {
  config.scheme = config.estimated_scheme();
  return [config, known = largest_step_of(config), coefficients = load_coefficients(config)](
             std::span<const T> state, std::int64_t, double) {
    const StableStep stable =
        known ? StableStep{.largest = known} : stable_step_at(config, coefficients, state);
    return stable.largest == any_step ? any_step : automatic_step(stable).value_or(0);
  };
}

}  // namespace

template <class T>
LongestStep<T> longest_step(const RunConfig& config, const RunFolder& folder, Console& console) {
  if (!config.stability_checks()) return {};
  if (config.chooses_stages()) return longest_step_of_stages<T>(config);
  return [&, coefficients = load_coefficients(config)](std::span<const T> state, std::int64_t step,
                                                       double longest) {
    const bool varies = config.scheme.varies;
    const StableStep stable = stable_step_at(config, coefficients, state);
    const std::optional<double> found = automatic_step(stable);
    // Not for a little more or less, so that steps change and are said to change rarely.
    const bool fits = varies
                          ? longest <= 0.95 * stable.largest.value_or(0) && found <= 1.2 * longest
                          : stable.largest >= longest;
    if (!found || fits) return longest;
    const std::string what = fmt::format("the largest stable step is {}",
                                         text_of(stable, fmt::format("at step {}", step)));
    if (varies)
      console.note(
          fmt::format("step {}: time.step is {:.4g} s from there on: {}", step, *found, what));
    else
      console.warning(fmt::format("step {}: {}, and time.step is {:.4g} s", step, what, longest));
    folder.log({{"event", "step"}, {"step", step}, {"largest_stable_step", *stable.largest}});
    return *found;
  };
}
template LongestStep<float> longest_step(const RunConfig&, const RunFolder&, Console&);
template LongestStep<double> longest_step(const RunConfig&, const RunFolder&, Console&);

}  // namespace lapl
