// A config from text to checked values: entries of the file, then of the settings, then defaults;
// then the rules between keys. Every step goes on after a mistake, so that all come out together.
#include "io/config/config.hpp"

#include <fmt/format.h>

#include <system_error>

#include "io/config/config_checks.hpp"
#include "io/config/config_mistakes.hpp"
#include "io/config/config_reader.hpp"
#include "io/config/config_text.hpp"
#include "io/durable/posix_file.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

/// The kind of initial field that the entries choose; none where what they say is wrong.
std::optional<InitialKind> kind_in(const Entries& entries, std::optional<InitialKind> otherwise) {
  const ConfigKey& key = *find_config_key("initial.kind");
  const auto at = entries.find(key.name);
  if (at == entries.end()) return otherwise;
  if (!at->second.value) return std::nullopt;
  RunConfig run;
  key.put(run, *at->second.value);
  return run.initial.kind;
}

/// Reports entries that belong to neither kind. A setting of initial.kind replaces the initial
/// field of the file, so that keys of the file's own kind are no mistake then.
void check_kinds(const Entries& entries, std::optional<InitialKind> kind,
                 std::optional<InitialKind> other_kind, Mistakes& mistakes) {
  if (!kind || !other_kind) return;
  for (const auto& [name, entry] : entries) {
    const ConfigKey& key = *find_config_key(name);
    if (!key.belongs_to(*kind) && !key.belongs_to(*other_kind)) {
      mistakes.add(entry.place, name,
                   fmt::format("does not apply to initial.kind {} (it belongs to {})",
                               name_of(*kind), kinds_text(key)));
    }
  }
}

/// Adds the default of every key that is missing, and reports missing ones that are required.
void add_defaults(Entries& entries, const FileEntries& file, std::optional<InitialKind> kind,
                  Mistakes& mistakes) {
  for (const ConfigKey& key : config_keys()) {
    const bool applies = key.kinds.empty() || (kind && key.belongs_to(*kind));
    if (!applies) {
      entries.erase(key.name);
      continue;
    }
    if (entries.contains(key.name)) continue;
    const auto section = file.sections.find(key.section());
    Entry entry;
    if (section != file.sections.end()) entry.place.position = section->second;
    entry.origin = "default";
    if (key.is_required()) {
      mistakes.add(entry.place, key.name,
                   fmt::format("missing (expected {})", description(key.type)));
    } else {
      entry.value = preset_value(key);
    }
    entries.emplace(key.name, entry);
  }
}

/// Makes the texts complete: paths absolute, the config's name in the default output directory.
void complete_texts(Entries& entries, const std::string& name, const fs::path& folder,
                    Mistakes& mistakes) {
  const auto absolute_path = [](const fs::path& base, const std::string& path) {
    std::error_code error;
    const fs::path absolute = fs::absolute(base / path, error);
    if (error) throw IoError("current folder: cannot be found: " + error.message());
    return absolute.lexically_normal().string();
  };
  for (auto& [key_name, entry] : entries) {
    const fs::path base = entry.place.in_file() ? folder : fs::path();
    if (auto* const list =
            entry.value ? std::get_if<std::vector<FilterConfig>>(&*entry.value) : nullptr)
      for (FilterConfig& filter : *list)
        if (filter.kernel == KernelKind::hdf5) filter.path = absolute_path(base, filter.path);
    auto* const text = entry.value ? std::get_if<std::string>(&*entry.value) : nullptr;
    if (!text) continue;
    if (const std::size_t mark = text->find(config_name_mark);
        entry.origin == "default" && mark != text->npos) {
      const std::string own = fs::path(name).stem().string();
      if (own == "." || own == "..")  // of "...yaml": another folder than its own
        mistakes.add(entry.place, key_name,
                     fmt::format("missing, and the config's name makes none (found {})", own));
      text->replace(mark, config_name_mark.size(), own);
    }
    const ConfigKey& key = *find_config_key(key_name);
    if (std::holds_alternative<PathForm>(key.type.forms.front()))
      *text = absolute_path(base, *text);
    // Names of files may be any bytes, but this text goes into YAML and HDF5 attributes.
    if (!is_clean_line(*text)) {
      mistakes.add(entry.place, key_name,
                   fmt::format("found {} (expected one line of UTF-8 without control characters)",
                               shown(*text)));
    }
  }
}

}  // namespace

std::string read_config_text(const fs::path& path) {
  return read_start(path, yaml_size_limit + 1);  // one more than parse_yaml takes
}

LoadedConfig parse_config(const std::string& text, const std::string& name, const fs::path& folder,
                          const std::vector<std::string>& settings) {
  Mistakes mistakes(shown(name), settings);
  const FileEntries file = read_file_entries(text, name, mistakes);
  const Entries set = read_setting_entries(settings, mistakes);
  if (!file.complete) mistakes.throw_any();

  const std::optional<InitialKind> file_kind = kind_in(file.entries, InitialKind::fractal);
  const std::optional<InitialKind> kind = kind_in(set, file_kind);
  check_kinds(file.entries, kind, file_kind, mistakes);
  check_kinds(set, kind, kind, mistakes);

  Entries entries = set;
  entries.insert(file.entries.begin(), file.entries.end());  // where there is no setting
  add_defaults(entries, file, kind, mistakes);
  complete_texts(entries, name, folder, mistakes);

  LoadedConfig config;
  for (const ConfigKey& key : config_keys()) {
    const auto at = entries.find(key.name);
    if (at == entries.end() || !at->second.value) continue;
    if (key.put) key.put(config.run, *at->second.value);
    config.keys.push_back({key.name, yaml_of(*at->second.value), at->second.origin});
  }
  check_together(config.run, entries, mistakes);
  mistakes.throw_any();
  return config;
}

LoadedConfig load_config(const fs::path& path, const std::vector<std::string>& settings) {
  return parse_config(read_config_text(path), path.string(), path.parent_path(), settings);
}

}  // namespace lapl
