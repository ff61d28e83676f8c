#include "app/commands/step_notes.hpp"

#include <fmt/format.h>

#include <memory>
#include <variant>

#include "app/commands/run_ranks.hpp"
#include "io/readers/initial_source.hpp"
#include "io/run/restart.hpp"
#include "kernels/error.hpp"
#include "kernels/for_floats.hpp"
#include "solver/equation/equation.hpp"
#include "solver/step_words.hpp"
#include "solver/times.hpp"

namespace lapl {

std::string step_hint(const Model& model, const RunFolder& folder) try {
  const RunConfig& config = model.run;
  if (is_spectral(config) || !has_stable_limit(config) || run_ranks().count() > 1) return {};
  const Checkpoint last = newest_valid_checkpoint(folder.checkpoints()).checkpoint;
  const auto steps = StepState::of_words(last.header.step_state);
  const StableStep stable = std::visit(
      [&]<class Values>(const Values& values) {
        return stable_step_at<typename Values::value_type>(
            config, model.system, load_coefficients(config), values, {header_time(last.header)});
      },
      last.values);
  const std::string step =
      with_unit(fmt::format("{:.7g}", steps ? steps->longest : step_seconds(config)),
                config.units.time) +
      (steps ? fmt::format(" at step {}", last.header.step) : "");
  const bool implicit = config.scheme.kind == Scheme::imex && !config.scheme.tolerance;
  return fmt::format("\ntime.step is {}; the largest stable step: {}{}", step,
                     stable_step_text(config, stable, fmt::format("at step {}", last.header.step)),
                     implicit ? "; imex also needs steps shorter than 3.4 times the time in which "
                                "its reactions grow by a factor of e (time.tolerance finds them)"
                              : "");
} catch (const CheckpointError&) {  // no checkpoint, no hint
  return {};
}

std::vector<std::string> check_precision(PrecisionWatch& watch, const StoredEvent& event) {
  std::vector<Statistics> statistics;
  std::vector<std::span<const float>> values;
  for (const StoredEvent::Field& field : event.fields) {
    statistics.push_back(field.statistics);
    if (const auto* const held = std::get_if<std::span<const float>>(&field.values))
      values.push_back(*held);
  }
  return watch.check(event.step, event.time, event.time_step, statistics, values);
}

template <class T>
void set_estimates(VaryingSteps<T>& steps, const Model& model, const RunFolder& folder,
                   Console& console) {
  steps.warn = [&folder, &console](std::int64_t step, const std::string& what) {
    const std::string text = fmt::format("step {}: {}", step, what);
    console.warning(text);
    folder.log({{"event", "warning"}, {"step", step}, {"what", what}});
  };
  if (!model.run.stability_checks()) return;
  const auto last = std::make_shared<StableStep>();
  steps.estimate = step_estimator<T>(model, load_coefficients(model.run), last);
  steps.report = [&folder, &console, last, run = model.run](std::int64_t step, double size) {
    const std::string what =
        fmt::format("the largest stable step is {}",
                    stable_step_text(run, *last, fmt::format("at step {}", step)));
    const std::string now = with_unit(fmt::format("{:.4g}", size), run.units.time);
    if (run.scheme.varies)
      console.note(fmt::format("step {}: time.step is {} from there on: {}", step, now, what));
    else
      console.warning(fmt::format("step {}: {}, and time.step is {}", step, what, now));
    nlohmann::ordered_json largest;  // null where it is not known
    if (last->largest) largest = *last->largest;
    folder.log({{"event", "step"}, {"step", step}, {"largest_stable_step", largest}});
  };
}
LAPL_FOR_FLOATS(set_estimates);

}  // namespace lapl
