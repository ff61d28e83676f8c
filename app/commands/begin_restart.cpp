#include "app/commands/begin_restart.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <variant>

#include "app/commands/run_ranks.hpp"
#include "io/json.hpp"
#include "io/run/config_changes.hpp"
#include "io/run/run_writer.hpp"
#include "kernels/error.hpp"
#include "kernels/fields/host_vector.hpp"
#include "kernels/for_floats.hpp"
#include "solver/times.hpp"

namespace lapl {

bool has_nothing_to_do(const Job& job) {
  if (!job.restart || !job.folder || job.goes_back || job.after_change ||
      !job.changes.of_problem.empty() || !job.changes.of_outputs.empty() || job.config.run.stops_at)
    return false;
  const CheckpointHeader& header = job.restart->checkpoint.header;
  const nlohmann::ordered_json summary = summary_if_any(job.folder->path());
  return summary.value("status", nlohmann::ordered_json()) == "complete" &&
         summary.value("step", nlohmann::ordered_json()) == header.step &&
         job.restart->rejected.empty() && job.restart->damaged.empty() &&
         header.missing_outputs.empty() && std::filesystem::exists(job.folder->index()) &&
         is_same_config(load_config(job.folder->config(), {}), job.config);
}

std::string earlier_step_warning(const RunFolder& folder) {
  const nlohmann::ordered_json summary = summary_if_any(folder.path());
  const auto warning = summary.find("step_warning");
  return warning != summary.end() && warning->is_string() ? warning->get<std::string>() : "";
}

std::string problem_change(const Job& job, std::uint64_t digest) {
  if (!job.restart || !job.changes.of_problem.empty()) return job.changes.of_problem;
  const std::optional<std::uint64_t> before = job.restart->checkpoint.header.equation_digest;
  if (!before || *before == digest) return {};
  if (!job.allowed.contains(Permission::equation))
    throw ConfigError(
        "{}: the digest of its equation's canonical form is {}, that of the same config {} now: "
        "this version discretises it otherwise, or a file of its parameters has changed (a restart "
        "may not change it; lapl resume --change equation does)",
        job.restart->path.string(), digest_text(*before), digest_text(digest));
  return fmt::format("canonical form: {} before, {} from then on", digest_text(*before),
                     digest_text(digest));
}

template <class T>
std::vector<T> in_precision(FieldValues values, const std::filesystem::path& path) {
  if (auto* const held = std::get_if<std::vector<T>>(&values)) return std::move(*held);
  return std::visit(
      [&](const auto& others) {
        std::vector<T> converted = host_vector<T>(std::ssize(others));
        for (std::int64_t i = 0; i < std::ssize(others); ++i) {
          converted[i] = static_cast<T>(others[i]);
          if (!std::isfinite(converted[i]))
            throw CheckpointError("{}: {} is too large for float32", path.string(), others[i]);
        }
        return converted;
      },
      values);
}
LAPL_FOR_FLOATS(in_precision);

template <class T>
void restore_state(Backend<T>& backend, const Job& job) {
  const CheckpointHeader& header = job.restart->checkpoint.header;
  if (backend.ranks().count() > 1)
    return restore_rows(backend, {job.restart->path, header.step, header.state_digest},
                        job.config.run);
  const FieldValues& values = job.restart->checkpoint.values;
  if (const auto* const held = std::get_if<std::vector<T>>(&values))
    backend.set_state(*held, header.step);
  else
    backend.set_state(in_precision<T>(values, job.restart->path), header.step);
}

LAPL_FOR_FLOATS(restore_state);

std::optional<StepState> first_steps(const Job& job, bool changed) {
  if (!job.restart || !job.config.run.scheme.varies) return std::nullopt;
  const CheckpointHeader& header = job.restart->checkpoint.header;
  std::optional<StepState> steps = StepState::of_words(header.step_state);
  if (!steps)
    steps = StepState{.clock = {.step = header.time_step,
                                .start = header_time(header),
                                .start_step = header.step},
                      .longest = header.time_step};
  if (changed) {
    const RunConfig &before = job.restart->config.run, &now = job.config.run;
    steps->end_planned(header.step);
    if (now.time_step && now.time_step != before.time_step) steps->longest = *now.time_step;
    if (now.scheme.kind != before.scheme.kind) {
      steps->error = StepState().error;
      steps->stages = StepState().stages;
    }
    steps->radius = StepState().radius;  // unknown
    steps->allowed = StepState().allowed;
    steps->next_estimate = header.step;
  }
  return steps;
}

template <class T>
StepWords recheck_step(Backend<T>& backend, const Model& model,
                       const CoefficientFields& coefficients, std::int64_t step,
                       std::optional<StepState>& steps) {
  const RunConfig& config = model.run;
  if (config.scheme.tolerance || !has_stable_limit(config)) return {};
  const std::int64_t fields = std::ssize(config.fields);
  if (!steps && config.shape.cells() * fields > most_estimated_values) return {};
  const std::vector<T> state = whole_state(backend, fields);
  StepWords words;
  double size = 0;
  if (backend.ranks().is_first()) {
    const std::string at = fmt::format("at step {}", step);
    const double time = steps ? steps->clock.time(step) : time_at_step(config, step);
    const StableStep stable =
        stable_step_at(config, model.system, coefficients, std::span<const T>(state),
                       {time, steps ? 1 : 0}, std::numeric_limits<std::int64_t>::max());
    if (!steps) return {"", step_warning(config, model.system, stable, at)};
    size = automatic_step(stable).value_or(0);
    if (size == 0)
      throw ConfigError(
          "time.step: found auto, and the largest stable step is {} (expected a "
          "change under which some steps are stable, and others are not)",
          stable_step_text(config, stable, at));
    words.note = fmt::format("time.step: {} from there on, 0.9 of the largest stable step of {}",
                             with_unit(fmt::format("{:.4g}", size), config.units.time),
                             stable_step_text(config, stable, at));
  }
  if (steps) steps->longest = of_first(backend.ranks(), size);
  return words;
}
LAPL_FOR_FLOATS(recheck_step);

}  // namespace lapl
