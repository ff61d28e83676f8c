#include "io/config/config_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "io/config/config_text.hpp"
#include "io/config/equation_forms.hpp"
#include "io/config/map_values.hpp"
#include "io/config/short_forms.hpp"
#include "io/config/unknown_keys.hpp"
#include "solver/equation/complex_parts.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/names.hpp"

namespace lapl {
namespace {

/// The keys that `boundary: NAME` sets.
std::vector<const ConfigKey*> side_keys(const ConfigTable& table) {
  std::vector<const ConfigKey*> keys = section_keys(table, std::string(shorthand_section));
  std::erase_if(keys, [](const ConfigKey* key) { return key->name == mask_key; });
  return keys;
}

bool is_section(const std::string& name) { return std::ranges::count(config_sections(), name) > 0; }

/// Collects the names and values in one YAML tree, of the file or of a setting.
class Collector {
 public:
  Collector(int setting, GivenKeys& given, Mistakes& mistakes)
      : setting_(setting), given_(given), mistakes_(mistakes) {}

  /// Collects all keys of a map; `prefix` is empty or ends with a dot.
  void read_map(const YamlNode& map, const std::string& prefix) {
    for_each_key(
        map, prefix,
        [&](TextPosition at, const std::string& name, const std::string& what) {
          add(at, name, what);
        },
        [&](const std::string& name, const YamlNode& word, const YamlNode& value) {
          collect(name, word.text, word.position, value);
        });
  }

  /// Collects one key or section.
  void collect(const std::string& name, const std::string& word, TextPosition position,
               const YamlNode& node) {
    if (is_section(name)) {
      given_.sections.emplace(name, position);
      const bool is_map = node.kind == YamlNode::Kind::map;
      if (is_map && node.refused.empty()) return read_map(node, name + '.');
      if (is_map)
        for_each_entry(node, [&](const std::string& entry, const YamlNode& value) {
          given_.refused.push_back({name + '.' + entry, "", {}, value});
        });
    }
    given_.keys.push_back({name, word, {position, setting_}, node});
  }

  void add(TextPosition position, std::string_view key, std::string_view what) {
    mistakes_.add({position, setting_}, key, what);
  }

 private:
  int setting_;
  GivenKeys& given_;
  Mistakes& mistakes_;
};

// The map `base` with `value` in place of its entry `path` ("a" or "a.b"); base need not be a map.
YamlNode with_entry(const YamlNode& base, const std::string& path, const YamlNode& value) {
  const std::size_t dot = path.find('.');
  const std::string key = path.substr(0, dot);
  YamlNode map = empty_node(YamlNode::Kind::map, value.position);
  YamlNode before;
  if (base.kind == YamlNode::Kind::map)
    for_each_entry(base, [&](const std::string& other, const YamlNode& kept) {
      if (other == key)
        before = kept;
      else
        append_entry(map, other, kept);
    });
  append_entry(map, key,
               dot == path.npos ? value : with_entry(before, path.substr(dot + 1), value));
  return map;
}

// Turns a key below a key of the table, such as output.every.time, into that key and its map.
void write_out_below(std::string& key, YamlNode& value, const GivenKeys& file,
                     const GivenKeys& settings) {
  std::size_t dot = key.find('.');
  const std::string first = key.substr(0, dot);
  if (dot != key.npos && is_section(first))
    dot = key.find('.', dot + 1);
  else if (std::ranges::count(config_keys(), first, &ConfigKey::name) == 0)
    return;
  if (dot == key.npos || dot + 1 == key.size() || key.find("..") != key.npos) return;
  const std::string path = key.substr(dot + 1);
  key.resize(dot);
  const Given* base = last_given(settings, key);
  if (!base) base = last_given(file, key);
  value = with_entry(base ? base->node : YamlNode(), path, value);
}

void read_setting(const std::string& setting, const GivenKeys& file, const GivenKeys& earlier,
                  Collector& collector) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) {
    collector.add({}, "", "not a setting (expected KEY=VALUE, such as time.steps=100)");
    return;
  }
  std::string key = setting.substr(0, equals);
  const std::string text = setting.substr(equals + 1);
  YamlDocument document = parse_yaml(text);
  if (document.problem) {
    collector.add({}, key, document.problem->what);
  } else if (!document.cut.empty()) {
    collector.add({}, key, document.cut.front().what);
  } else if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    collector.add({}, key, "found nothing (expected a value; null stands for none)");
  } else if (document.root.block) {
    collector.add({}, key, "not one value (write a list as [a, b] and a map as {a: b})");
  } else {
    write_out_below(key, document.root, file, earlier);
    collector.collect(key, "", {}, document.root);
  }
}

void append_once(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::count(names, name) == 0) names.push_back(name);
}

/// Adds the names that one key defines; names in section initial are added to `initial`.
void find_names(const Given& given, ConfigNames& names, std::vector<std::string>& initial) {
  const std::size_t dot = given.name.find('.');
  const std::string section = dot == std::string::npos ? "" : given.name.substr(0, dot);
  const std::string entry = given.name.substr(dot + 1);    // without a dot, npos + 1 is 0
  if (!given.word.empty() && given.word != entry) return;  // dotted within a map: a mistake
  const YamlNode& node = given.node;
  const bool is_list = node.kind == YamlNode::Kind::list;
  if (given.name == "fields" && is_list) {
    std::vector<std::string> fields;
    for (const YamlNode& field : node.children)
      if (is_plain_name(field.text)) append_once(fields, field.text);
    if (!fields.empty()) names.fields = fields;
    names.complex.clear();
  }
  if (given.name == "fields" && node.kind == YamlNode::Kind::map) {
    names.fields.clear();
    names.complex.clear();
    for_each_entry(node, [&](const std::string& field, const YamlNode& kind) {
      if (!is_plain_name(field)) return;
      append_once(names.fields, field);
      if (is_complex_field(kind)) append_once(names.complex, field);
    });
  }
  if (given.name == "grid.shape" && is_list && !node.children.empty() && node.children.size() <= 3)
    names.axes = static_cast<int>(node.children.size());
  if ((given.name == mask_name && node.kind != YamlNode::Kind::null) || given.name == mask_key)
    names.mask = true;
  if (given.name == "equation.kind")
    for (const Equation& equation : name_table<EquationKind>)
      if (node.text == equation.name) names.equation = equation.value;
  if (given.name == "output.derived" && node.kind == YamlNode::Kind::map)
    for_each_entry(
        node, [&](const std::string& name, const YamlNode&) { append_once(names.derived, name); });
  if (given.name == "equation.let" && node.kind == YamlNode::Kind::map)
    for_each_entry(node, [&](const std::string& name, const YamlNode& value) {
      if (value.kind != YamlNode::Kind::map) return append_once(names.quantities, name);
      for_each_solved(name, value,
                      [&](const std::string& field) { append_once(names.solved, field); });
    });
  if (section == "parameters" && is_plain_name(entry)) append_once(names.parameters, entry);
  // A field may have the name of a key of section initial; only the value of a field is a map.
  if (section == "initial" && (node.kind == YamlNode::Kind::map ||
                               std::ranges::count(initial_keys(0), entry, &KeyRow::name) == 0))
    initial.push_back(entry);
}

}  // namespace

GivenKeys given_in_file(const std::string& text, Mistakes& mistakes) {
  GivenKeys given;
  const YamlDocument document = parse_yaml(text);
  const std::vector<std::string> no_settings;
  Mistakes of_the_rest("", no_settings);  // not reported beside document.problem
  Collector collector(-1, given, document.problem ? of_the_rest : mistakes);
  const YamlNode& root = document.root;
  const bool is_map = root.refused.empty() && root.kind == YamlNode::Kind::map;
  for (const YamlProblem& cut : document.cut) collector.add(cut.position, "", cut.what);
  if (is_map) collector.read_map(root, "");
  if (document.problem) {
    mistakes.add({document.problem->position}, "", document.problem->what);
  } else if (!is_map && (!root.refused.empty() || root.kind != YamlNode::Kind::null)) {
    mistakes.add({root.position}, "", "not a config (expected a map of sections, such as `grid:`)");
  } else {
    return given;
  }
  given.complete = false;
  return given;
}

GivenKeys given_in_settings(const std::vector<std::string>& settings, const GivenKeys& file,
                            Mistakes& mistakes) {
  GivenKeys given;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    Collector collector(static_cast<int>(i), given, mistakes);
    read_setting(settings[i], file, given, collector);
  }
  return given;
}

ConfigNames names_in_config(const GivenKeys& file, const GivenKeys& settings) {
  ConfigNames names;
  std::vector<std::string> initial;
  for (const auto* const keys : {&file.refused, &file.keys, &settings.refused, &settings.keys})
    for (const Given& given : *keys) find_names(given, names, initial);
  names.initial_by_field =
      names.fields.size() > 1 || std::ranges::any_of(initial, [&](const std::string& entry) {
        return std::ranges::count(names.fields, entry) > 0;
      });
  for (const std::string& field : names.fields) {
    const auto parts = part_names(field);
    if (std::ranges::count(names.complex, field) > 0 &&
        std::ranges::find_first_of(initial, parts) != initial.end()) {
      std::ranges::copy(parts, std::back_inserter(names.initial_fields));
      names.initial_by_field = true;
    } else {
      names.initial_fields.push_back(field);
    }
  }
  return names;
}

Entries read_entries(const GivenKeys& given, const std::string& name, const ConfigTable& table,
                     Mistakes& mistakes) {
  Entries entries;
  std::map<std::string_view, const ConfigKey*> by_name;
  for (const ConfigKey& key : table) by_name.emplace(key.name, &key);
  for (const auto& [key_name, word, key_place, node] : given.keys) {
    const Place place = {node.position, key_place.setting};
    const auto dotted = by_name.find(word), known = by_name.find(key_name);
    std::vector<const ConfigKey*> keys;  // all have the same schema
    if (dotted != by_name.end() && word.find('.') != word.npos)
      mistakes.add(key_place, key_name,
                   fmt::format("dotted (write {}: under {}:)", dotted->second->entry(),
                               dotted->second->section()));
    else if (known != by_name.end())
      keys = {known->second};
    else if (key_name == shorthand_section)
      keys = side_keys(table);
    else if (is_section(key_name))
      mistakes.add(place, key_name, section_problem(node, key_name, table));
    else
      mistakes.add(key_place, key_name, unknown_key(key_name, table));
    if (keys.empty()) continue;
    YamlProblems problems;
    Entry entry;
    entry.place = place;
    entry.origin =
        place.in_file() ? fmt::format("{}:{}", shown(name), node.position.line) : "--set";
    entry.value = resolved(keys.front()->type, node, "", problems);
    if (!problems.empty()) entry.value.reset();
    for (const YamlProblem& problem : problems)
      mistakes.add({problem.position, place.setting}, key_name, problem.what);
    for (const ConfigKey* const key : keys) {
      entry.key = key;
      entries.insert_or_assign(key->name, entry);
    }
  }
  return entries;
}

const std::vector<std::string>& config_sections() {
  static const std::vector<std::string> sections = [] {
    std::vector<std::string> names;
    for (const ConfigKey& key : config_keys()) {
      const bool in_section = key.section() != key.name;
      if (in_section && (names.empty() || names.back() != key.section()))
        names.emplace_back(key.section());
    }
    return names;
  }();
  return sections;
}

}  // namespace lapl
