#include "io/config/config_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "io/config/config_text.hpp"

namespace lapl {
namespace {

/// The keys that a section holds.
std::vector<const ConfigKey*> keys_of(const std::string& section) {
  std::vector<const ConfigKey*> keys;
  for (const ConfigKey& key : config_keys())
    if (key.section() == section) keys.push_back(&key);
  return keys;
}

/// Walks one YAML tree, that of the file or that of one setting, and collects its entries.
class ConfigReader {
 public:
  ConfigReader(std::string origin_file, int setting, FileEntries& out, Mistakes& mistakes)
      : origin_file_(std::move(origin_file)), setting_(setting), out_(out), mistakes_(mistakes) {}

  /// All keys of a map; `prefix` is empty or ends with a dot.
  void take_map(const YamlNode& map, const std::string& prefix) {
    for_each_key(
        map, prefix,
        [&](TextPosition at, const std::string& name, const std::string& what) {
          add(at, name, what);
        },
        [&](const std::string& name, const YamlNode& word, const YamlNode& value) {
          const ConfigKey* const known = find_config_key(word.text);
          if (known && known->name != known->entry())
            add(word.position, name,
                fmt::format("dotted (write {}: under {}:)", known->entry(), known->section()));
          else
            take(name, word.position, value);
        });
  }

  /// One key or section.
  void take(const std::string& name, TextPosition name_position, const YamlNode& node) {
    if (const ConfigKey* const key = find_config_key(name)) {
      take_value({key}, name, node);
    } else if (std::ranges::count(config_sections(), name) > 0) {
      out_.sections.emplace(name, name_position);
      take_section(name, node);
    } else {
      const std::string near = nearest_key(name);
      add(name_position, name,
          near.empty() ? "unknown key" : fmt::format("unknown key (did you mean {}?)", near));
    }
  }

  void add(TextPosition position, std::string_view key, std::string_view what) {
    mistakes_.add({position, setting_}, key, what);
  }

 private:
  void take_section(const std::string& name, const YamlNode& node) {
    if (node.refused.empty() && node.kind == YamlNode::Kind::map) {
      take_map(node, name + '.');
    } else if (name == shorthand_section) {
      take_value(keys_of(name), name, node);
    } else {
      const std::string problem = !node.refused.empty()               ? node.refused
                                  : node.kind == YamlNode::Kind::null ? "nothing"
                                  : node.kind == YamlNode::Kind::list ? "a list"
                                                                      : shown(node.text);
      std::vector<std::string_view> known;
      for (const ConfigKey* const key : keys_of(name)) known.push_back(key->entry());
      add(node.position, name,
          fmt::format("found {} (expected a map with keys of {}: {})", problem, name,
                      fmt::join(known, ", ")));
    }
  }

  /// Gives all `keys`, which have the same type, the value in the node.
  void take_value(const std::vector<const ConfigKey*>& keys, const std::string& name,
                  const YamlNode& node) {
    auto reading = read_value(keys.front()->type, node);
    Entry entry;
    entry.place = {node.position, setting_};
    entry.origin = setting_ < 0 ? fmt::format("{}:{}", origin_file_, node.position.line) : "--set";
    if (const auto* const problems = std::get_if<YamlProblems>(&reading))
      for (const YamlProblem& problem : *problems) add(problem.position, name, problem.what);
    else
      entry.value = std::get<Value>(std::move(reading));
    for (const ConfigKey* const key : keys) out_.entries.insert_or_assign(key->name, entry);
  }

  std::string origin_file_;
  int setting_;
  FileEntries& out_;
  Mistakes& mistakes_;
};

void read_setting(const std::string& setting, int index, FileEntries& out, Mistakes& mistakes) {
  ConfigReader reader("", index, out, mistakes);
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) {
    reader.add({}, "", "not a setting (expected KEY=VALUE, such as time.steps=100)");
    return;
  }
  const std::string key = setting.substr(0, equals);
  const std::string text = setting.substr(equals + 1);
  const YamlDocument document = parse_yaml(text);
  if (document.problem) {
    reader.add({}, key, document.problem->what);
  } else if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    reader.add({}, key, "found nothing (expected a value; null stands for none)");
  } else if (document.root.block) {
    reader.add({}, key, "not one value (write a list as [a, b] and a map as {a: b})");
  } else {
    reader.take(key, {}, document.root);
  }
}

}  // namespace

FileEntries read_file_entries(const std::string& text, const std::string& name,
                              Mistakes& mistakes) {
  FileEntries file;
  const YamlDocument document = parse_yaml(text);
  ConfigReader reader(shown(name), -1, file, mistakes);
  const YamlNode& root = document.root;
  if (document.problem) {
    reader.add(document.problem->position, "", document.problem->what);
    file.complete = false;
  } else if (root.refused.empty() && root.kind == YamlNode::Kind::map) {
    reader.take_map(root, "");
  } else if (!root.refused.empty() || root.kind != YamlNode::Kind::null) {
    reader.add(root.position, "", "not a config (expected a map of sections, such as `grid:`)");
    file.complete = false;
  }
  return file;
}

Entries read_setting_entries(const std::vector<std::string>& settings, Mistakes& mistakes) {
  FileEntries all;
  for (std::size_t i = 0; i < settings.size(); ++i)
    read_setting(settings[i], static_cast<int>(i), all, mistakes);
  return all.entries;
}

Value preset_value(const ConfigKey& key) {
  return std::get<Value>(read_value(key.type, parse_yaml(key.preset).root));
}

std::string nearest_key(const std::string& name) {
  constexpr std::size_t any_distance = 64;
  const std::size_t dot = name.find('.');
  const std::string section = name.substr(0, dot);
  const std::string entry = dot == std::string::npos ? name : name.substr(dot + 1);
  const std::size_t limit = misspelling_limit(entry);
  std::string nearest;
  std::tuple<std::size_t, bool, std::size_t> least;
  const auto consider = [&](std::string_view candidate, std::size_t distance, bool elsewhere) {
    if (distance > limit) return;
    const std::tuple cost(distance, elsewhere, edit_distance(name, candidate, any_distance));
    if (nearest.empty() || cost < least) {
      nearest = candidate;
      least = cost;
    }
  };
  for (const ConfigKey& key : config_keys()) {
    if (name.starts_with(key.name + '.')) return key.name;
    // The dot itself can be what is wrong.
    if (dot == std::string::npos && edit_distance(name, key.name, 1) == 1) return key.name;
    const bool elsewhere = key.section() != key.name && key.section() != section;
    consider(key.name, edit_distance(entry, key.entry(), limit), elsewhere);
  }
  if (dot != std::string::npos) return nearest;
  for (const std::string& known : config_sections())
    consider(known, edit_distance(name, known, limit), false);
  return nearest;
}

}  // namespace lapl
