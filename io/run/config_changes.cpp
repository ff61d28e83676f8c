#include "io/run/config_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "io/config/config_number.hpp"
#include "io/config/config_text.hpp"
#include "io/config/map_values.hpp"
#include "io/readers/initial_source.hpp"
#include "kernels/error.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation_digest.hpp"

namespace lapl {
namespace {

// The values that a restart compares, by key. They are resolved, so equal values have equal texts
// (0.250 is 0.25). `of_outputs`: those that change freely, but with a permission that records it.
std::map<std::string, std::string> compared_values(const LoadedConfig& config, bool of_outputs) {
  std::map<std::string, std::string> values;
  for (const ResolvedKey& key : config.keys) {
    const RestartRule& rule = row_of_resolved(key.key);
    const bool is_free = rule.on_restart == OnRestart::free;
    const bool has_words = rule.on_restart == OnRestart::words;
    if (of_outputs ? has_words || (is_free && rule.by != Permission::none) : !is_free)
      values[key.key] = has_words && !of_outputs ? field_names_text(key.value) : key.value;
  }
  if (!of_outputs)
    values["compute.engine"] = is_spectral(config.run) ? config.run.engine : "one that steps";
  return values;
}

// True if equal digests of both equations would show that the change is one of words alone.
bool is_in_digest(const ConfigChange& change) {
  const auto is_number = [](const std::string& value) {
    return read_number(value).real.has_value();
  };
  const bool is_parameter = change.key.starts_with("parameters.");
  return row_of_resolved(change.key).on_restart == OnRestart::reworded &&
         !(is_parameter && (is_number(change.was) || is_number(change.is)));
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

// Sets what a change asks for besides the permission of its key, and why.
void add_needs(ConfigChange& change, const RunConfig& before, const RunConfig& now) {
  const RestartRule& rule = row_of_resolved(change.key);
  const bool of_steady = before.scheme.kind == Scheme::steady || now.scheme.kind == Scheme::steady;
  if (of_steady && rule.by != Permission::equation) {
    change.why = ", as time.scheme steady is one step from an initial state";
    return;
  }
  change.needs = {rule.by};
  if (!counts_anew(before, now)) return;
  const bool is_implied = is_diffusion(now) && !before.time_step && !now.time_step;
  if (rule.by == Permission::equation && is_implied)
    change.why = ", as time.step follows from it";
  else if (rule.by == Permission::tolerance && before.scheme.varies)
    change.why = ", as steps of one size have another clock";
  if (!change.why.empty()) change.needs.insert(Permission::step);
}

std::vector<ConfigChange> differing_keys(const LoadedConfig& before, const LoadedConfig& now,
                                         bool of_outputs) {
  auto after = compared_values(now, of_outputs);
  // A key that one config lacks, such as boundary.mask without a mask, has its default there.
  const auto given = [&](const std::string& key, const std::string& value) {
    const ConfigKey& row = row_of_resolved(key);
    return row.is_required() || value != node_yaml(resolved_preset(row));
  };
  std::vector<ConfigChange> found;
  for (const auto& [key, was] : compared_values(before, of_outputs)) {
    const auto is = after.extract(key);
    if (is.empty() ? given(key, was) : was != is.mapped())
      found.push_back({key, was, is.empty() ? "not set" : is.mapped()});
  }
  for (const auto& [key, is] : after)
    if (given(key, is)) found.push_back({key, "not set", is});
  return found;
}

std::string changes_text(const std::vector<ConfigChange>& changes) {
  std::string text;
  for (const ConfigChange& change : changes)
    text += fmt::format("{}{}: {} before, {} from then on", text.empty() ? "" : "; ", change.key,
                        change.was, change.is);
  return text;
}

}  // namespace

bool counts_anew(const RunConfig& before, const RunConfig& now) {
  return !now.scheme.varies && (before.scheme.varies || step_seconds(before) != step_seconds(now));
}

std::vector<ConfigChange> changes_between(const LoadedConfig& before, const LoadedConfig& now) {
  std::vector<ConfigChange> found = differing_keys(before, now, false);
  if (same_estimates(before.run, now.run))
    std::erase_if(found, [](const ConfigChange& change) {
      return row_of_resolved(change.key).on_restart == OnRestart::estimates;
    });
  if (!found.empty() && std::ranges::all_of(found, is_in_digest) && same_equation(before, now))
    return {};
  for (ConfigChange& change : found)
    if (row_of_resolved(change.key).by != Permission::none) add_needs(change, before.run, now.run);
  std::stable_partition(found.begin(), found.end(),
                        [](const ConfigChange& change) { return change.needs.empty(); });
  return found;
}

std::string restart_refusal(const std::vector<ConfigChange>& changes, const std::string& where,
                            const Permissions& allowed) {
  std::string text;
  for (const ConfigChange& change : changes) {
    if (!change.needs.empty() && std::ranges::includes(allowed, change.needs)) continue;
    text += fmt::format(
        "{}{}: {} in {}, {} now (a restart may not change it{}{})", text.empty() ? "" : "\n",
        change.key, change.was, where, change.is, change.why,
        change.needs.empty()
            ? ""
            : fmt::format("; lapl resume --change {} does", permissions_text(change.needs)));
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
  const std::string differs = restart_refusal(changes_between(before, now), where, {});
  if (!differs.empty()) throw ConfigError(differs);
}

PermittedChanges require_permitted(const LoadedConfig& before, const std::string& where,
                                   const LoadedConfig& now, const Permissions& allowed) {
  const std::vector<ConfigChange> found = changes_between(before, now);
  if (const std::string differs = restart_refusal(found, where, allowed); !differs.empty())
    throw ConfigError(differs);
  PermittedChanges permitted{changes_text(found), ""};
  if (allowed.contains(Permission::output))
    permitted.of_outputs = changes_text(differing_keys(before, now, true));
  return permitted;
}

}  // namespace lapl
