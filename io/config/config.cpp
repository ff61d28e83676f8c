// Reads the entries of the file, then the settings, adds defaults, and checks the rules between
// keys. Each step continues after a mistake, so that all mistakes are reported together.
#include "io/config/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <system_error>

#include "io/config/config_checks.hpp"
#include "io/config/config_mistakes.hpp"
#include "io/config/config_number.hpp"
#include "io/config/config_reader.hpp"
#include "io/config/config_text.hpp"
#include "io/config/config_uses.hpp"
#include "io/config/short_forms.hpp"
#include "io/durable/posix_file.hpp"
#include "io/readers/initial_source.hpp"
#include "kernels/error.hpp"
#include "solver/equation/complex_fields.hpp"
#include "solver/equation/equation.hpp"
#include "solver/first_step.hpp"
#include "solver/schedule.hpp"
#include "solver/times.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

/// The value of each `kind` key by the name of the key; empty if the value is wrong.
using Kinds = std::map<std::string, std::string>;

Kinds kinds_in(const Entries& entries, const ConfigTable& table, const Kinds& otherwise) {
  Kinds kinds = otherwise;
  std::set<std::string> names;  // not parameters.kind, on which no key depends
  for (const ConfigKey& key : table)
    if (!key.kinds.empty()) names.insert(key.key_of_kind());
  for (const ConfigKey& key : table) {
    if (!names.contains(key.name)) continue;
    if (const auto at = entries.find(key.name); at != entries.end())
      kinds[key.name] = at->second.value ? at->second.value->text : "";
    else if (otherwise.empty())
      kinds[key.name] = key.preset;
  }
  return kinds;
}

/// True if the key is read under these kinds; false if its kind is wrong and so unknown.
bool applies(const ConfigKey& key, const Kinds& kinds) {
  return key.kinds.empty() || key.belongs_to(kinds.at(key.key_of_kind()));
}

/// Reports keys that belong to neither set of kinds. A setting of initial.kind replaces the file's
/// initial field, so keys of the file's kind are not mistakes then.
void check_kinds(const Entries& entries, const Kinds& kinds, const Kinds& other_kinds,
                 Mistakes& mistakes) {
  for (const auto& [name, entry] : entries) {
    const ConfigKey& key = *entry.key;
    if (key.kinds.empty()) continue;
    const std::string& kind = kinds.at(key.key_of_kind());
    if (kind.empty() || other_kinds.at(key.key_of_kind()).empty()) continue;
    if (!applies(key, kinds) && !applies(key, other_kinds))
      mistakes.add(entry.place, name,
                   fmt::format("does not apply to {} {} (it belongs to {})", key.key_of_kind(),
                               kind, either_of(key.kinds)));
  }
}

/// Adds the defaults of missing keys and reports missing required ones.
void add_defaults(Entries& entries, const ConfigTable& table, const GivenKeys& file,
                  const Kinds& kinds, Mistakes& mistakes) {
  for (const ConfigKey& key : table) {
    if (!applies(key, kinds)) {
      entries.erase(key.name);
      continue;
    }
    if (entries.contains(key.name)) continue;
    const auto section = file.sections.find(key.section());
    Entry entry;
    entry.key = &key;
    if (section != file.sections.end()) entry.place.position = section->second;
    entry.origin = "default";
    if (key.is_required()) {
      mistakes.add(entry.place, key.name,
                   fmt::format("missing (expected {})", description(key.type)));
    } else {
      entry.value = preset_of(key);
    }
    entries.emplace(key.name, entry);
  }
}

/// For keys that exclude each other: a setting of one removes the other one that the file gave.
void let_settings_replace(Entries& entries) {
  const auto given = [&](const char* key) -> Entry* {
    const auto at = entries.find(key);
    const bool is_none = at == entries.end() || at->second.is_null() ||
                         at->second.origin == "default" ||
                         (at->second.value && at->second.value->text == "false");
    return is_none ? nullptr : &at->second;
  };
  constexpr std::pair<const char*, const char*> pairs[] = {{"time.steps", "time.end"},
                                                           {"grid.spacing", "grid.size"},
                                                           {"grid.origin", "grid.center"},
                                                           {"output.every", "output.count"}};
  for (const auto& [one, other] : pairs) {
    Entry* const a = given(one);
    Entry* const b = given(other);
    if (!a || !b || a->place.in_file() == b->place.in_file()) continue;
    Entry& replaced = a->place.in_file() ? *a : *b;
    replaced.value = preset_of(*replaced.key);
    replaced.origin = "default";
  }
}

/// Calls `take` with every file path in a value.
void for_each_path(YamlNode& node, const std::function<void(std::string&)>& take) {
  if (node.names_file) take(node.text);
  for (YamlNode& child : node.children) for_each_path(child, take);
}

/// Makes paths absolute and inserts the config's name into the default output folder.
void complete_texts(Entries& entries, const std::string& name, const fs::path& folder,
                    Mistakes& mistakes) {
  for (auto& each : entries) {
    const std::string& key_name = each.first;
    auto& entry = each.second;
    if (!entry.value) continue;
    // File names may hold any bytes, but this text is written into YAML and HDF5 attributes.
    const auto require_clean = [&](const std::string& text) {
      if (!is_clean_line(text))
        mistakes.add(entry.place, key_name,
                     fmt::format("found {} (expected one line of UTF-8 without control characters)",
                                 shown(text)));
    };
    for_each_path(*entry.value, [&](std::string& path) {
      std::error_code error;
      const fs::path absolute =
          fs::absolute((entry.place.in_file() ? folder : fs::path()) / path, error);
      if (error) throw IoError("current folder: cannot be found: " + error.message());
      path = absolute.lexically_normal().string();
      require_clean(path);
    });
    std::string& text = entry.value->text;
    const std::size_t mark = text.find(config_name_mark);
    if (entry.origin != "default" || mark == text.npos) continue;
    const std::string own = fs::path(name).stem().string();
    if (own == "." || own == "..")  // a config called "...yaml" would name another folder
      mistakes.add(entry.place, key_name,
                   fmt::format("missing, and the config's name makes none (found {})", own));
    text.replace(mark, config_name_mark.size(), own);
    require_clean(text);
  }
}

/// The function stable_steps_of(run) without a limit on the size of the state.
std::function<StableStep(TimeScheme)> stable_steps_of_all(const RunConfig& run) {
  const auto of_first_step = [&] {
    StateFields fields = load_state_fields(run);
    fields.ahead.steps = 1;
    return fields;
  };
  return stable_steps_of(run, of_first_step, std::numeric_limits<std::int64_t>::max());
}

/// Replaces `auto` by the value found for `key` and records the reason as its origin.
void say_found(LoadedConfig& config, const char* key, std::string value, const std::string& why) {
  const auto at = std::ranges::find(config.keys, key, &ResolvedKey::key);
  at->value = std::move(value);
  at->origin = "auto: " + why;
}

/// Replaces grid.size and grid.center by the numbers that follow, so that equal grids have equal
/// texts.
void find_grid(LoadedConfig& config, const Entries& entries) {
  const auto list = [&](const std::vector<double>& numbers) {
    std::string text;
    for (const double number : numbers) text += (text.empty() ? "" : ", ") + number_text(number);
    return numbers.size() == 1 ? text : '[' + text + ']';
  };
  const Spacing& spacing = config.run.spacing;
  if (!entries.at("grid.size").is_null()) {
    say_found(config, "grid.spacing", list(spacing.given(config.run.shape.axes)), "of grid.size");
    say_found(config, "grid.size", "null", "see grid.spacing");
  }
  if (entries.at("grid.center").value->text == "true") {
    const std::vector origin(spacing.origin.end() - config.run.shape.axes, spacing.origin.end());
    say_found(config, "grid.origin", list(origin), "of grid.center");
    say_found(config, "grid.center", "false", "see grid.origin");
  }
}

/// Computes the first of steps by error, for `time.step: auto`.
void find_first_step(LoadedConfig& config) {
  RunConfig& run = config.run;
  run.time_step =
      first_step_of(run, [](const RunConfig& looked_at) { return load_state_fields(looked_at); });
  run.step_is_auto = false;
  say_found(config, "time.step", number_text(*run.time_step), "the first step");
}

/// Computes the number for `time.step: auto`.
void find_step(LoadedConfig& config, const Place& place, Mistakes& mistakes) {
  RunConfig& run = config.run;
  if (run.scheme.tolerance) return find_first_step(config);
  const StableStep stable = stable_steps_of_all(run)(run.scheme);
  run.step_is_auto = false;
  run.time_step = automatic_step(stable);
  if (run.time_step && stable.estimated) {  // and estimated again while the run goes on
    run.scheme.varies = true;
    say_found(config, "time.step", fmt::format("{{auto: {}}}", number_text(*run.time_step)),
              fmt::format("0.9 of {}", text_of(stable)));
    config.step_note =
        fmt::format("time.step: {} s, 0.9 of the largest stable step of {}{}",
                    number_text(*run.time_step), text_of(stable), accuracy_note(run, stable));
    return;
  }
  const std::vector<double> times = exact_times(run);
  if (run.time_step && !times.empty())
    run.time_step = dividing_step(times, *run.time_step).value_or(*run.time_step);
  if (!run.time_step) {
    mistakes.add(
        place, "time.step",
        fmt::format("found auto, and the largest stable step is {} (expected {})", text_of(stable),
                    !stable.largest        ? "a number"
                    : *stable.largest == 0 ? "another time.scheme, or a number"
                                           : "a number: a time in which values change by "
                                             "little, as no wave that is damped limits it"));
    mistakes.throw_any();
  }
  say_found(config, "time.step", number_text(*run.time_step),
            fmt::format("{}0.9 of {}", times.empty() ? "" : "at most ", text_of(stable)));
  config.step_note = fmt::format("time.step: {} s, {}0.9 of the largest stable step of {}{}",
                                 number_text(*run.time_step), times.empty() ? "" : "at most ",
                                 text_of(stable), accuracy_note(run, stable));
}

/// Computes the number for `time.stages: auto`.
void find_stages(LoadedConfig& config, const Place& place, Mistakes& mistakes) {
  RunConfig& run = config.run;
  const auto stable_step = stable_steps_of_all(run);
  const std::optional<int> stages = automatic_stages(run, stable_step);
  const StableStep stable = stable_step({Scheme::rkl2, stages.value_or(most_stages)});
  if (!stages) {
    mistakes.add(place, "time.stages",
                 fmt::format("found auto, and the largest stable step with {} stages is {}, with "
                             "steps of {:.7g} s (expected shorter steps, or a number here)",
                             most_stages, text_of(stable), time_step_of(run)));
    mistakes.throw_any();
  }
  run.stages_are_auto = false;
  run.scheme.stages = *stages;
  say_found(config, "time.stages", std::to_string(*stages),
            fmt::format("stable to {}", text_of(stable)));
  config.step_note = fmt::format("time.stages: {}, of which the largest stable step is {}", *stages,
                                 text_of(stable));
}

std::optional<double> count_of(const Entry& entry) {
  if (entry.is_null()) return std::nullopt;
  return read_number(entry.value->text).real;
}

/// The interval of this number of outputs, if it is a decimal whose multiple the end is, so that
/// steps of one size may divide it.
void find_exact_outputs(RunConfig& run, double outputs) {
  const double every = *run.end / outputs;
  if (multiple_of(every, static_cast<std::int64_t>(outputs)) == *run.end &&
      number_text(every).size() < 12)
    run.output_time = every;
}

/// Replaces output.count by output.every: a time where the run ends at one and steps meet it, else
/// a number of steps. Both are rounded up, so that there are at most so many outputs.
void find_outputs(LoadedConfig& config, double outputs) {
  RunConfig& run = config.run;
  if (run.output_time && !run.scheme.varies && !divides(time_step_of(run), exact_times(run)))
    run.output_time.reset();
  if (run.ends_by_time() && !run.output_time)
    run.output_time = *read_number(fmt::format("{:.6g}", *run.end / outputs * (1 + 4e-6))).real;
  if (!run.output_time)
    run.output_every = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(std::ceil(static_cast<double>(run.steps) / outputs)));
  say_found(config, "output.every",
            run.output_time ? fmt::format("{{time: {}}}", number_text(*run.output_time))
                            : std::to_string(run.output_every),
            "of output.count");
  say_found(config, "output.count", "null", "see output.every");
}

/// Outputs by time and the end of a run lie exactly there.
void check_times(const RunConfig& run, const Entries& entries, Mistakes& mistakes) {
  const std::vector<double> times = exact_times(run);
  const double step = time_step_of(run);
  if (run.scheme.varies || times.empty() || divides(step, times)) return;
  const auto plain = [&](std::optional<double> found) {
    if (!found) return found;
    const double rounded = *read_number(fmt::format("{:.15g}", *found)).real;
    const bool shorter = number_text(rounded).size() + 2 < number_text(*found).size();
    return std::optional(shorter && divides(rounded, times) ? rounded : *found);
  };
  const auto shorter = plain(dividing_step(times, step)),
             longer = plain(dividing_step(times, step, true));
  std::string right = "times that have a common step";
  if (shorter || longer)
    right = fmt::format("{}{}{} s", shorter ? number_text(*shorter) : "",
                        shorter && longer ? " or " : "", longer ? number_text(*longer) : "");
  mistakes.add(
      entries.at("time.step").place, "time.step",
      fmt::format("{} s do not divide {}{}{} (expected {})", number_text(step),
                  run.end ? fmt::format("time.end {}", *run.end) : "",
                  times.size() > 1 ? " and " : "",
                  run.output_time ? fmt::format("output.every {}", *run.output_time) : "", right));
}

/// The spectral engine jumps from one stored state to the next, so the default is a checkpoint at
/// each output.
void find_checkpoints(LoadedConfig& config, const Entry& every) {
  if (!is_spectral(config.run) || every.origin != "default") return;
  const std::int64_t steps = steps_between_outputs(config.run);
  config.run.checkpoint_every = {.steps = steps, .seconds = std::nullopt};
  say_found(config, "checkpoint.every", std::to_string(steps), "one with each output");
}

}  // namespace

std::string read_config_text(const fs::path& path) {
  if (fs::is_directory(path))
    throw IoError(
        fmt::format("{0}: a folder (expected a config file{1})", path.string(),
                    fs::exists(path / "run.json")
                        ? fmt::format("; lapl resume {} goes on with its run", path.string())
                        : ""));
  if (const std::string name = path.stem().string();
      !fs::exists(path) && std::ranges::count(names_of_new(), name) > 0)
    throw IoError(
        fmt::format("{0}: cannot open: No such file or directory (lapl new {1} writes "
                    "{1}.yaml)",
                    path.string(), name));
  // One byte more than parse_yaml accepts, so that parse_yaml reports a text that is too long.
  return read_start(path, yaml_size_limit + 1);
}

LoadedConfig parse_config(const std::string& text, const std::string& name, const fs::path& folder,
                          const std::vector<std::string>& settings) {
  Mistakes mistakes(shown(name), settings);
  GivenKeys file_given = given_in_file(text, mistakes);
  GivenKeys set_given = given_in_settings(settings, mistakes);
  const ConfigTable table = config_keys_for(write_out(file_given, set_given, mistakes));
  const Entries set = read_entries(set_given, name, table, mistakes);
  if (!file_given.complete) mistakes.throw_any();
  const Entries file = read_entries(file_given, name, table, mistakes);

  const Kinds file_kinds = kinds_in(file, table, {});
  const Kinds kinds = kinds_in(set, table, file_kinds);
  check_kinds(file, kinds, file_kinds, mistakes);
  check_kinds(set, kinds, kinds, mistakes);

  Entries entries = set;
  entries.insert(file.begin(), file.end());  // does not overwrite the settings
  let_settings_replace(entries);
  add_defaults(entries, table, file_given, kinds, mistakes);
  complete_texts(entries, name, folder, mistakes);

  LoadedConfig config;
  for (const ConfigKey& key : table) {
    const auto at = entries.find(key.name);
    if (at == entries.end() || !at->second.value) continue;
    if (key.put) key.put(config.run, *at->second.value);
    config.keys.push_back({key.name, yaml_of(*at->second.value), at->second.origin});
  }
  if (!config.run.time_step && !config.run.equation.number("coefficient"))
    config.run.step_is_auto = true;
  const std::vector<KeyMistake> of_splitting = split_complex_fields(config.run);
  check_together(config.run, entries, mistakes, of_splitting);
  mistakes.throw_any();
  find_grid(config, entries);
  const std::optional<double> count = count_of(entries.at("output.count"));
  if (count && config.run.end) find_exact_outputs(config.run, *count);
  if (config.run.step_is_auto || config.run.stages_are_auto) {
    if (config.run.step_is_auto)
      find_step(config, entries.at("time.step").place, mistakes);
    else
      find_stages(config, entries.at("time.stages").place, mistakes);
    check_together(config.run, entries, mistakes);
    mistakes.throw_any();
  }
  if (config.run.end) {
    const double steps = std::ceil(*config.run.end / time_step_of(config.run));
    if (!(steps <= static_cast<double>(most_steps)) && !config.run.scheme.tolerance)
      mistakes.add(entries.at("time.end").place, "time.end",
                   fmt::format("found {}, which takes {:.3g} steps (at most {})", *config.run.end,
                               steps, most_steps));
    mistakes.throw_any();
    config.run.steps =
        std::min(first_step_at(*config.run.end, time_step_of(config.run)), most_steps);
  }
  if (config.run.end && config.run.output_time)
    if (const double outputs = *config.run.end / *config.run.output_time;
        !(outputs <= static_cast<double>(most_steps)))
      mistakes.add(entries.at("output.every").place, "output.every",
                   fmt::format("found a time of {}, which makes {:.3g} outputs (at most {})",
                               *config.run.output_time, outputs, most_steps));
  if (count) find_outputs(config, *count);
  check_times(config.run, entries, mistakes);
  mistakes.throw_any();
  find_checkpoints(config, entries.at("checkpoint.every"));
  if (const std::size_t size = resolved_yaml(config).size(); size > yaml_size_limit)
    throw ConfigError(
        "{}: with all defaults it has {} bytes (expected at most {}, as config.yaml of the run "
        "folder, from which a run is resumed)",
        shown(name), size, yaml_size_limit);
  return config;
}

LoadedConfig load_config(const fs::path& path, const std::vector<std::string>& settings) {
  return parse_config(read_config_text(path), path.string(), path.parent_path(), settings);
}

}  // namespace lapl
