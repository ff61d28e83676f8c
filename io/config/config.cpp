// Reads the entries of the file, then the settings, adds defaults, and checks the rules between
// keys. Each step continues after a mistake, so that all mistakes are reported together.
#include "io/config/config.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <system_error>

#include "io/config/config_checks.hpp"
#include "io/config/config_mistakes.hpp"
#include "io/config/config_number.hpp"
#include "io/config/config_reader.hpp"
#include "io/config/config_text.hpp"
#include "io/config/found_values.hpp"
#include "io/config/gallery.hpp"
#include "io/config/short_forms.hpp"
#include "io/durable/posix_file.hpp"
#include "io/filters/window_keys.hpp"
#include "kernels/error.hpp"
#include "solver/equation/complex_parts.hpp"
#include "solver/equation/equation.hpp"
#include "solver/times.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

/// The kind of the key's section in these entries, such as initial.kind; empty if it is wrong.
std::string kind_for(const ConfigKey& key, const Entries& entries) {
  const auto kind = entries.find(key.key_of_kind());
  if (kind == entries.end()) return find_config_key(key.key_of_kind())->preset;
  return kind->second.value ? kind->second.value->text : "";
}

/// Reports keys that do not belong to their kind. A setting of initial.kind replaces the file's
/// initial field, so keys of the file's own kind are not mistakes then.
void check_kinds(const Entries& entries, const Entries& file, Mistakes& mistakes) {
  for (const auto& [name, entry] : entries) {
    const ConfigKey& key = *entry.key;
    if (key.kinds.empty()) continue;
    const std::string kind = kind_for(key, entries),
                      own = entry.place.in_file() ? kind_for(key, file) : kind;
    if (!kind.empty() && !own.empty() && !key.belongs_to(kind) && !key.belongs_to(own))
      mistakes.add(entry.place, name,
                   fmt::format("does not apply to {} {} (it belongs to {})", key.key_of_kind(),
                               kind, alternatives(key.kinds)));
  }
}

/// Adds the defaults of missing keys and reports missing required ones.
void add_defaults(Entries& entries, const ConfigTable& table, const GivenKeys& file,
                  Mistakes& mistakes) {
  for (const ConfigKey& key : table) {
    if (!key.kinds.empty() && !key.belongs_to(kind_for(key, entries))) {
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
      entry.value = resolved_preset(key);
    }
    entries.emplace(key.name, entry);
  }
}

/// Where a setting and the file give two keys that exclude each other, drops that of the file.
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
    replaced.value = resolved_preset(*replaced.key);
    replaced.origin = "default";
  }
}

/// Calls `use` with every file path in a value.
void for_each_path(YamlNode& node, const std::function<void(std::string&)>& use) {
  if (node.names_file) use(node.text);
  for (YamlNode& child : node.children) for_each_path(child, use);
}

/// Makes paths absolute and inserts the config's name into the default output folder.
void complete_texts(Entries& entries, const std::string& name, const fs::path& folder,
                    Mistakes& mistakes) {
  for (auto& each : entries) {
    const std::string& key_name = each.first;
    auto& entry = each.second;
    if (!entry.value) continue;
    // File names may contain any bytes, but this text is written into YAML and HDF5 attributes.
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

/// Reports a time step that does not divide the end of the run or an interval in time.
void check_times(const RunConfig& run, const Entries& entries, Mistakes& mistakes) {
  const std::vector<double> times = exact_times(run);
  const double step = step_seconds(run);
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
    right =
        with_unit(fmt::format("{}{}{}", shorter ? number_text(*shorter) : "",
                              shorter && longer ? " or " : "", longer ? number_text(*longer) : ""),
                  run.units.time);
  const double start = run.counted_from().time;
  const std::string from = start == 0 ? "" : fmt::format(" from {} on", start);
  std::vector<std::string> divided;
  if (run.end) divided.push_back(fmt::format("time.end {}{}", *run.end, from));
  for (const auto& [row, key, time] : time_intervals(run))
    divided.push_back(fmt::format("{} {}", key, time));
  mistakes.add(entries.at("time.step").place, "time.step",
               fmt::format("{} does not divide {} (expected {})",
                           with_unit(number_text(step), run.units.time),
                           fmt::join(divided, " and "), right));
}

/// Lets the fields of initial.from have its values.
void use_initial_from(RunConfig& run, const Entries& entries, Mistakes& mistakes) {
  if (!run.initial_from) return;
  for (const std::string& field : run.initial_from->fields) {
    if (std::ranges::count(run.fields, field) == 0)
      mistakes.add(entries.at("initial.from").place, "initial.from",
                   fmt::format("fields: found {}, which is no field (expected {})", shown(field),
                               alternatives(run.fields)));
    InitialConfig& initial = run.initials[field] = {};
    initial.kind = InitialKind::hdf5;
    initial.path = run.initial_from->path;
    initial.dataset = '/' + field;
    initial.record = run.initial_from->record;
    initial.interpolate = run.initial_from->interpolate;
  }
}

}  // namespace

std::string read_config_text(const fs::path& path) {
  if (path == "-") {
    static const std::string input = [] {  // once, as it cannot be read again
      std::string text(yaml_size_limit + 1, '\0');
      std::cin.read(text.data(), static_cast<std::streamsize>(text.size()));
      text.resize(static_cast<std::size_t>(std::cin.gcount()));
      return text;
    }();
    return input;
  }
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
  GivenKeys set_given = given_in_settings(settings, file_given, mistakes);
  const ConfigTable table = config_keys_for(write_out(file_given, set_given, mistakes));
  const Entries set = read_entries(set_given, name, table, mistakes);
  if (!file_given.complete) mistakes.throw_any();
  const Entries file = read_entries(file_given, name, table, mistakes);

  Entries entries = set;
  entries.insert(file.begin(), file.end());  // does not overwrite the settings
  check_kinds(entries, file, mistakes);
  let_settings_replace(entries);
  add_defaults(entries, table, file_given, mistakes);
  complete_texts(entries, name, folder, mistakes);

  ConfigInMaking config;
  for (const ConfigKey& key : table) {
    const auto at = entries.find(key.name);
    if (at == entries.end() || !at->second.value) continue;
    if (key.put) key.put(config.run, *at->second.value);
    config.keys.push_back({key.name, node_yaml(*at->second.value), at->second.origin});
  }
  const std::vector<KeyMistake> of_splitting = split_complex_fields(config.run);
  try {
    load_windows(config.run.kernels);
  } catch (const FormattedError& error) {
    mistakes.add(entries.at("kernels").place, "kernels", error.what());
  }
  const auto& maps = config.run.equation.maps;
  if (maps.size() == config.run.fields.size() && !config.run.time_step) config.run.time_step = 1;
  config.system = check_together(config.run, entries, mistakes, of_splitting);
  use_initial_from(config.run, entries, mistakes);
  mistakes.throw_any();
  find_grid(config, entries);
  find_exact_outputs(config.run, entries);
  const bool finds_step = config.run.lacks_step();
  if (finds_step || config.run.lacks_stages()) {
    if (finds_step)
      find_step(config, entries.at("time.step").place, mistakes);
    else
      find_stages(config, entries.at("time.stages").place, mistakes);
  }
  if (config.run.scheme.varies && config.run.verify_every)
    mistakes.add(entries.at("limits.verify_every").place, "limits.verify_every",
                 fmt::format("given with {} (it repeats steps of one size alone)",
                             config.run.scheme.tolerance ? "time.tolerance" : "time.step auto"));
  if (!std::isfinite(time_at_step(config.run, config.run.steps)))
    mistakes.add(
        entries.at("time.steps").place, "time.steps",
        fmt::format("found {}, which end at an infinite time with steps of {} (expected "
                    "a time of at most 1.7e308)",
                    config.run.steps,
                    with_unit(fmt::format("{}", step_seconds(config.run)), config.run.units.time)));
  if (config.run.end) {
    const StepAtTime from = config.run.counted_from();
    const double seconds = decimal_difference(*config.run.end, from.time),
                 steps = std::ceil(seconds / step_seconds(config.run));
    if (!(steps <= static_cast<double>(most_steps)) && !config.run.scheme.tolerance)
      mistakes.add(entries.at("time.end").place, "time.end",
                   fmt::format("found {}, which takes {:.3g} steps (at most {})", *config.run.end,
                               steps, most_steps));
    mistakes.throw_any();
    config.run.steps =
        std::min(from.step + first_step_at(seconds, step_seconds(config.run)), most_steps);
  }
  if (config.run.end)
    for (const auto& [row, key, time] : time_intervals(config.run))
      if (const double outputs = run_seconds(config.run) / time;
          !(outputs <= static_cast<double>(most_steps)))
        mistakes.add(entries.at(row).place, key,
                     fmt::format("found a time of {}, which makes {:.3g} records (at most {})",
                                 time, outputs, most_steps));
  find_outputs(config, entries);
  check_times(config.run, entries, mistakes);
  mistakes.throw_any();
  find_checkpoints(config, entries.at("checkpoint.every"));
  LoadedConfig loaded{{std::move(config.run), std::move(config.system.value())},
                      std::move(config.keys),
                      std::move(config.step_note)};
  if (const std::size_t size = resolved_yaml(loaded).size(); size > yaml_size_limit)
    throw ConfigError(
        "{}: with all defaults it has {} bytes (expected at most {}, as config.yaml of the run "
        "folder, from which a run is resumed)",
        shown(name), size, yaml_size_limit);
  return loaded;
}

LoadedConfig load_config(const fs::path& path, const std::vector<std::string>& settings) {
  return parse_config(read_config_text(path), path.string(), path.parent_path(), settings);
}

}  // namespace lapl
