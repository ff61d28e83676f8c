#include "io/config/found_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/config/config_number.hpp"
#include "io/readers/initial_source.hpp"
#include "solver/automatic_steps.hpp"
#include "solver/schedule.hpp"
#include "solver/times.hpp"

namespace lapl {
namespace {

StateFields load(const RunConfig& run) { return load_state_fields(run); }

/// Replaces `auto` by the value found for `key` and records the reason as its origin.
void note_found(ConfigInMaking& config, const char* key, std::string value,
                const std::string& why) {
  const auto at = std::ranges::find(config.keys, key, &ResolvedKey::key);
  at->value = std::move(value);
  at->origin = "auto: " + why;
}

/// A decimal of six digits that is at least `time`, and larger by at most 2e-5 of it.
double rounded_up(double time) {
  for (const double more : {4e-6, 1.4e-5})
    if (const double found = *read_number(fmt::format("{:.6g}", time * (1 + more))).real;
        found >= time)
      return found;
  return time;
}

std::optional<double> output_count(const Entries& entries) {
  const Entry& entry = entries.at("output.count");
  return entry.is_null() ? std::nullopt : read_number(entry.value->text).real;
}

}  // namespace

void find_grid(ConfigInMaking& config, const Entries& entries) {
  const auto list = [&](const std::vector<double>& numbers) {
    std::string text;
    for (const double number : numbers) text += (text.empty() ? "" : ", ") + number_text(number);
    return numbers.size() == 1 ? text : '[' + text + ']';
  };
  const Spacing& spacing = config.run.spacing;
  if (!entries.at("grid.size").is_null()) {
    note_found(config, "grid.spacing", list(spacing.given(config.run.shape.axes)), "of grid.size");
    note_found(config, "grid.size", "null", "see grid.spacing");
  }
  if (entries.at("grid.center").value->text == "true" && spacing.middle == Spacing().middle) {
    const std::vector origin(spacing.origin.end() - config.run.shape.axes, spacing.origin.end());
    note_found(config, "grid.origin", list(origin), "of grid.center");
    note_found(config, "grid.center", "false", "see grid.origin");
  }
}

void find_step(ConfigInMaking& config, const Place& place, Mistakes& mistakes) {
  RunConfig& run = config.run;
  const auto [stable, is_found] = find_step(run, *config.system, load);
  if (!is_found) {
    mistakes.add(
        place, "time.step",
        fmt::format("found auto, and the largest stable step is {} (expected {})",
                    stable_step_text(run, stable),
                    !stable.largest        ? "a number"
                    : *stable.largest == 0 ? "another time.scheme, or a number"
                                           : "a number: a time in which values change by "
                                             "little, as no wave that is damped limits it"));
    mistakes.throw_any();
  }
  const std::string step = number_text(*run.time_step);
  if (run.scheme.tolerance) return note_found(config, "time.step", step, "the first step");
  const bool varies = run.scheme.varies;
  const char* const at_most = varies || exact_times(run).empty() ? "" : "at most ";
  note_found(config, "time.step", varies ? fmt::format("{{auto: {}}}", step) : step,
             fmt::format("{}0.9 of {}", at_most, stable_step_text(run, stable)));
  config.step_note = fmt::format(
      "time.step: {}, {}0.9 of the largest stable step of {}{}", with_unit(step, run.units.time),
      at_most, stable_step_text(run, stable), accuracy_note(run, *config.system, stable));
}

void find_stages(ConfigInMaking& config, const Place& place, Mistakes& mistakes) {
  RunConfig& run = config.run;
  const auto [stable, is_found] = find_stages(run, *config.system, load);
  if (!is_found) {
    mistakes.add(place, "time.stages",
                 fmt::format("found auto, and the largest stable step with {} stages is {}, with "
                             "steps of {} (expected shorter steps, or a number here)",
                             most_stages, stable_step_text(run, stable),
                             with_unit(fmt::format("{:.7g}", step_seconds(run)), run.units.time)));
    mistakes.throw_any();
  }
  note_found(config, "time.stages", std::to_string(*run.scheme.stages),
             fmt::format("stable to {}", stable_step_text(run, stable)));
  config.step_note = fmt::format("time.stages: {}, of which the largest stable step is {}",
                                 *run.scheme.stages, stable_step_text(run, stable));
}

void find_exact_outputs(RunConfig& run, const Entries& entries) {
  const std::optional<double> outputs = output_count(entries);
  if (!outputs || !run.end) return;
  const double every = run_seconds(run) / *outputs;
  if (decimal_multiple(every, static_cast<std::int64_t>(*outputs), run.start) == *run.end &&
      number_text(every).size() < 12)
    run.output_time = every;
}

void find_outputs(ConfigInMaking& config, const Entries& entries) {
  const std::optional<double> outputs = output_count(entries);
  if (!outputs) return;
  RunConfig& run = config.run;
  if (run.output_time && !run.scheme.varies && !divides(step_seconds(run), exact_times(run)))
    run.output_time.reset();
  if (run.ends_by_time() && !run.output_time)
    run.output_time = rounded_up(run_seconds(run) / *outputs);
  if (!run.output_time)
    run.output_every = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(std::ceil(static_cast<double>(run.steps) / *outputs)));
  note_found(config, "output.every",
             run.output_time ? fmt::format("{{time: {}}}", number_text(*run.output_time))
                             : std::to_string(run.output_every),
             "of output.count");
  note_found(config, "output.count", "null", "see output.every");
}

void find_checkpoints(ConfigInMaking& config, const Entry& every) {
  if (!is_spectral(config.run) || every.origin != "default") return;
  const std::int64_t steps = steps_between_outputs(config.run);
  config.run.checkpoint_every = {.steps = steps, .seconds = std::nullopt};
  note_found(config, "checkpoint.every", std::to_string(steps), "one with each output");
}

}  // namespace lapl
