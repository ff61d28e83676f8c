#include "io/config/config_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <tuple>

#include "io/config/config_text.hpp"
#include "solver/equation/equation.hpp"

namespace lapl {
namespace {

/// The keys that a section holds.
std::vector<const ConfigKey*> keys_of(const KeyTable<RunConfig>& table,
                                      const std::string& section) {
  std::vector<const ConfigKey*> keys;
  for (const ConfigKey& key : table)
    if (key.section() == section) keys.push_back(&key);
  return keys;
}

/// Why a key of other configs is none of this one; empty for what is no key of any.
std::string why_not_here(const std::string& name) {
  const std::size_t dot = name.find('.');
  const std::string section = name.substr(0, dot);
  if (section == "initial" && find_config_key(name))
    return "does not apply where fields have their own (write initial.FIELD: {kind: ...})";
  if (section == "boundary" && find_config_key(name))
    return "does not apply: grid.shape has no such axis (expected three for planes, two for rows)";
  return {};
}

/// Walks one YAML tree, that of the file or that of one setting, and collects its entries.
class ConfigReader {
 public:
  ConfigReader(const KeyTable<RunConfig>& table, std::string origin_file, int setting,
               FileEntries& out, Mistakes& mistakes)
      : table_(table),
        origin_file_(std::move(origin_file)),
        setting_(setting),
        out_(out),
        mistakes_(mistakes) {
    for (const ConfigKey& key : table) by_name_.emplace(key.name, &key);
  }

  /// All keys of a map; `prefix` is empty or ends with a dot.
  void take_map(const YamlNode& map, const std::string& prefix) {
    for_each_key(
        map, prefix,
        [&](TextPosition at, const std::string& name, const std::string& what) {
          add(at, name, what);
        },
        [&](const std::string& name, const YamlNode& word, const YamlNode& value) {
          const ConfigKey* const known = key_of(word.text);
          if (known && known->name != known->entry())
            add(word.position, name,
                fmt::format("dotted (write {}: under {}:)", known->entry(), known->section()));
          else
            take(name, word.position, value);
        });
  }

  /// One key or section.
  void take(const std::string& name, TextPosition name_position, const YamlNode& node) {
    if (const ConfigKey* const key = key_of(name)) {
      take_value({key}, name, node);
    } else if (std::ranges::count(config_sections(), name) > 0) {
      out_.sections.emplace(name, name_position);
      take_section(name, node);
    } else {
      const std::string near = nearest_key(name, table_), why = why_not_here(name);
      add(name_position, name,
          !why.empty()    ? why
          : !near.empty() ? fmt::format("unknown key (did you mean {}?)", near)
                          : "unknown key");
    }
  }

  void add(TextPosition position, std::string_view key, std::string_view what) {
    mistakes_.add({position, setting_}, key, what);
  }

 private:
  const ConfigKey* key_of(const std::string& name) const {
    const auto at = by_name_.find(name);
    return at == by_name_.end() ? nullptr : at->second;
  }

  void take_section(const std::string& name, const YamlNode& node) {
    if (node.refused.empty() && node.kind == YamlNode::Kind::map) {
      take_map(node, name + '.');
    } else if (name == shorthand_section) {
      take_value(keys_of(table_, name), name, node);
    } else {
      const std::string problem = !node.refused.empty()               ? node.refused
                                  : node.kind == YamlNode::Kind::null ? "nothing"
                                  : node.kind == YamlNode::Kind::list ? "a list"
                                                                      : shown(node.text);
      std::vector<std::string_view> known;
      for (const ConfigKey* const key : keys_of(table_, name)) known.push_back(key->entry());
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
    for (const ConfigKey* const key : keys) {
      entry.key = key;
      out_.entries.insert_or_assign(key->name, entry);
    }
  }

  const KeyTable<RunConfig>& table_;
  std::map<std::string_view, const ConfigKey*> by_name_;
  std::string origin_file_;
  int setting_;
  FileEntries& out_;
  Mistakes& mistakes_;
};

void read_setting(const std::string& setting, int index, const KeyTable<RunConfig>& table,
                  FileEntries& out, Mistakes& mistakes) {
  ConfigReader reader(table, "", index, out, mistakes);
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

/// Collects names, first those of the file, then those of settings.
class NameFinder {
 public:
  void take(std::string_view section, const YamlNode& node) {
    if (section == "fields" && node.kind == YamlNode::Kind::list) {
      std::vector<std::string> fields;
      for (const YamlNode& field : node.children)
        if (is_plain_name(field.text) && std::ranges::count(fields, field.text) == 0)
          fields.push_back(field.text);
      if (!fields.empty()) names.fields = fields;
    }
    if (node.kind != YamlNode::Kind::map) return;
    for (std::size_t i = 0; i + 1 < node.children.size(); i += 2)
      take(section, node.children[i].text, node.children[i + 1]);
  }
  void take(std::string_view section, const std::string& entry, const YamlNode& value) {
    if (section == "grid" && entry == "shape" && value.kind == YamlNode::Kind::list &&
        !value.children.empty() && value.children.size() <= 3)
      names.axes = static_cast<int>(value.children.size());
    if (section == "parameters" && is_plain_name(entry) && parameters_.insert(entry).second)
      names.parameters.push_back(entry);
    if (section == "output" && entry == "derived" && value.kind == YamlNode::Kind::map)
      for (std::size_t i = 0; i + 1 < value.children.size(); i += 2)
        if (derived_.insert(value.children[i].text).second)
          names.derived.push_back(value.children[i].text);
    // A field may be called like a key of section initial, which is no map.
    if (section == "initial" &&
        (value.kind == YamlNode::Kind::map ||
         std::ranges::count(initial_keys(0), entry, &Key<InitialConfig>::name) == 0))
      initial_.push_back(entry);
    if (section == "equation" && entry == "kind")
      for (const Equation& equation : name_table<EquationKind>)
        if (value.text == equation.name) names.equation = equation.value;
  }
  ConfigNames found() {
    names.initial_by_field =
        names.fields.size() > 1 || std::ranges::any_of(initial_, [&](const std::string& entry) {
          return std::ranges::count(names.fields, entry) > 0;
        });
    return names;
  }

  ConfigNames names;

 private:
  std::vector<std::string> initial_;            // entries of section initial
  std::set<std::string> parameters_, derived_;  // those that have been found
};

}  // namespace

ConfigNames names_of_config(const std::string& text, const std::vector<std::string>& settings) {
  NameFinder finder;
  const YamlDocument document = parse_yaml(text);
  for (const char* const section :
       {"grid", "fields", "parameters", "initial", "equation", "output"})
    if (const YamlNode* const node = child_of(document.root, section)) finder.take(section, *node);
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('='), dot = setting.find('.');
    if (equals == std::string::npos) continue;
    const YamlDocument value = parse_yaml(setting.substr(equals + 1));
    if (value.problem) continue;
    if (dot < equals)
      finder.take(setting.substr(0, dot), setting.substr(dot + 1, equals - dot - 1), value.root);
    else
      finder.take(setting.substr(0, equals), value.root);
  }
  return finder.found();
}

FileEntries read_file_entries(const std::string& text, const std::string& name,
                              const KeyTable<RunConfig>& table, Mistakes& mistakes) {
  FileEntries file;
  const YamlDocument document = parse_yaml(text);
  ConfigReader reader(table, shown(name), -1, file, mistakes);
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

Entries read_setting_entries(const std::vector<std::string>& settings,
                             const KeyTable<RunConfig>& table, Mistakes& mistakes) {
  FileEntries all;
  for (std::size_t i = 0; i < settings.size(); ++i)
    read_setting(settings[i], static_cast<int>(i), table, all, mistakes);
  return all.entries;
}

Value preset_value(const ConfigKey& key) {
  return std::get<Value>(read_value(key.type, parse_yaml(key.preset).root));
}

std::string nearest_key(const std::string& name, const KeyTable<RunConfig>& table) {
  constexpr std::size_t any_distance = 64;
  const std::size_t dot = name.find('.');
  const std::string section = name.substr(0, dot);
  const std::string entry = dot == std::string::npos ? name : name.substr(dot + 1);
  const std::size_t limit = misspelling_limit(entry);
  std::string nearest;
  std::tuple<std::size_t, bool, std::size_t> least;
  const auto consider = [&](std::string_view candidate, std::size_t distance, bool elsewhere) {
    if (distance > limit) return;
    const std::tuple cost(distance + (elsewhere ? 1 : 0), elsewhere,
                          edit_distance(name, candidate, any_distance));
    if (nearest.empty() || cost < least) {
      nearest = candidate;
      least = cost;
    }
  };
  const auto consider_key = [&](const ConfigKey& key) {
    const bool elsewhere =
        key.section() == key.name ? dot != std::string::npos : key.section() != section;
    consider(key.name, edit_distance(entry, key.entry(), limit), elsewhere);
  };
  // The dot itself can be what is wrong.
  const auto is_but_for_dot = [&](const ConfigKey& key) {
    return dot == std::string::npos && edit_distance(name, key.name, 1) == 1;
  };
  for (const ConfigKey& key : table) {
    if (name.starts_with(key.name + '.') || is_but_for_dot(key)) return key.name;
    consider_key(key);
  }
  // Of a section whose keys may have any name.
  if (nearest.empty() && edit_distance(section, "parameters", 3) < 3 && section != "parameters")
    return dot == std::string::npos ? "parameters" : "parameters" + name.substr(dot);
  if (nearest.empty())  // of an axis that this grid has not
    for (const ConfigKey& key : config_keys())
      if (key.section() == shorthand_section) {
        if (is_but_for_dot(key)) return key.name;
        consider_key(key);
      }
  if (dot != std::string::npos) return nearest;
  for (const std::string& known : config_sections())
    consider(known, edit_distance(name, known, limit), false);
  return nearest;
}

}  // namespace lapl
