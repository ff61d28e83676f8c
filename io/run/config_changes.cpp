#include "io/run/config_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "io/config/config_number.hpp"
#include "io/config/config_text.hpp"
#include "io/readers/initial_source.hpp"
#include "kernels/error.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation_digest.hpp"

namespace lapl {
namespace {

// The values that a restart compares, by key. They are resolved, so equal values have equal texts
// (0.250 is 0.25).
std::map<std::string, std::string> compared_values(const LoadedConfig& config) {
  std::map<std::string, std::string> values;
  for (const ResolvedKey& key : config.keys)
    if (row_of_resolved(key.key).on_restart != OnRestart::free) values[key.key] = key.value;
  values["compute.engine"] = is_spectral(config.run) ? config.run.engine : "one that steps";
  return values;
}

// True if equal digests of both equations would show that the change is one of words alone.
bool is_in_digest(const ConfigChange& change) {
  const OnRestart rule = row_of_resolved(change.key).on_restart;
  const auto is_number = [](const std::string& value) {
    return read_number(value).real.has_value();
  };
  const bool is_parameter = change.key.starts_with("parameters.");
  return rule == OnRestart::spelling ||
         (rule == OnRestart::of_equation &&
          !(is_parameter && (is_number(change.was) || is_number(change.is))));
}

bool same_equation(const Model& a, const Model& b) {
  const auto config_digest = [](Model model) {
    resolve_mask(model);
    return equation_digest(model, load_coefficients(model.run));
  };
  return config_digest(a) == config_digest(b);
}

// True if both configs estimate the stable step at the same steps, or one makes no estimates.
bool same_estimates(const RunConfig& a, const RunConfig& b) {
  return !a.scheme.varies || !b.scheme.varies || a.stability_checks() == b.stability_checks();
}

// Why steps after the change would not continue the times; empty if they do. The parameters of
// diffusion may imply the step.
std::string why_times_differ(OnRestart rule, const RunConfig& before, const RunConfig& now) {
  if (now.scheme.varies) return {};
  if (rule == OnRestart::asked && before.scheme.varies)
    return "steps that vary cannot go on as steps of one size, whose time is their number times "
           "time.step";
  const bool is_implied = is_diffusion(now) && !before.time_step && !now.time_step;
  if (rule != OnRestart::of_equation || !is_implied || step_seconds(before) == step_seconds(now))
    return {};
  return "a restart may not change it, as time.step follows from it";
}

}  // namespace

std::vector<ConfigChange> changes_between(const LoadedConfig& before, const LoadedConfig& now) {
  auto after = compared_values(now);
  // A key that one config lacks, such as boundary.mask without a mask, has its default there.
  const auto given = [&](const std::string& key, const std::string& value) {
    const ConfigKey& row = row_of_resolved(key);
    return row.is_required() || value != node_yaml(resolved_preset(row));
  };
  std::vector<ConfigChange> found;
  const auto add = [&](const std::string& key, const std::string& was, const std::string& is) {
    const OnRestart rule = row_of_resolved(key).on_restart;
    if (rule == OnRestart::estimates && same_estimates(before.run, now.run)) return;
    const bool asked =
        rule == OnRestart::asked || rule == OnRestart::of_equation || rule == OnRestart::estimates;
    const std::string why = asked ? why_times_differ(rule, before.run, now.run) : "";
    found.push_back({key, was, is, asked && why.empty(), why});
  };
  for (const auto& [key, was] : compared_values(before)) {
    const auto is = after.extract(key);
    if (is.empty() ? given(key, was) : was != is.mapped())
      add(key, was, is.empty() ? "not set" : is.mapped());
  }
  for (const auto& [key, is] : after)
    if (given(key, is)) add(key, "not set", is);
  if (!found.empty() && std::ranges::all_of(found, is_in_digest) && same_equation(before, now))
    return {};
  std::stable_partition(found.begin(), found.end(),
                        [](const ConfigChange& change) { return !change.asked; });
  return found;
}

std::string restart_refusal(const std::vector<ConfigChange>& changes, const std::string& where,
                            bool any_asked) {
  std::string text;
  for (const ConfigChange& change : changes) {
    if (change.asked && any_asked) continue;
    const std::string why = !change.why.empty() ? change.why
                            : change.asked
                                ? "a restart may not change it; lapl resume --change-equation does"
                                : "a restart may not change it";
    text += fmt::format("{}{}: {} in {}, {} now ({})", text.empty() ? "" : "\n", change.key,
                        change.was, where, change.is, why);
  }
  return text;
}

bool is_same_config(const LoadedConfig& before, const LoadedConfig& now) {
  const auto key_values = [](const LoadedConfig& config) {
    std::map<std::string, std::string> values;
    for (const ResolvedKey& key : config.keys)
      if (key.key != "output.directory") values[key.key] = key.value;
    return values;
  };
  return key_values(before) == key_values(now);
}

void require_same_problem(const LoadedConfig& before, const std::string& where,
                          const LoadedConfig& now) {
  const std::string differs = restart_refusal(changes_between(before, now), where);
  if (!differs.empty()) throw ConfigError(differs);
}

std::string require_same_but_for_asked(const LoadedConfig& before, const std::string& where,
                                       const LoadedConfig& now) {
  const std::vector<ConfigChange> found = changes_between(before, now);
  if (const std::string differs = restart_refusal(found, where, true); !differs.empty())
    throw ConfigError(differs);
  std::string changes;
  for (const ConfigChange& change : found)
    changes += fmt::format("{}{}: {} before, {} from then on", changes.empty() ? "" : "; ",
                           change.key, change.was, change.is);
  return changes;
}

}  // namespace lapl
