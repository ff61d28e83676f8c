#include "io/config/config_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "io/config/config_text.hpp"
#include "io/config/map_values.hpp"
#include "io/config/short_forms.hpp"
#include "solver/equation/complex_parts.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation/formula_mistakes.hpp"
#include "solver/equation/formula_system.hpp"

namespace lapl {
namespace {

std::vector<const ConfigKey*> keys_of(const ConfigTable& table, const std::string& section) {
  std::vector<const ConfigKey*> keys;
  for (const ConfigKey& key : table)
    if (key.section() == section) keys.push_back(&key);
  return keys;
}

/// The keys that `boundary: NAME` sets.
std::vector<const ConfigKey*> axes_of(const ConfigTable& table) {
  std::vector<const ConfigKey*> keys = keys_of(table, std::string(shorthand_section));
  std::erase_if(keys, [](const ConfigKey* key) { return key->name == rim_key; });
  return keys;
}

/// Why a key that other configs have does not exist in this one; empty if no config has it.
std::string why_not_here(const std::string& name) {
  const std::size_t dot = name.find('.');
  const std::string section = name.substr(0, dot);
  if (section == "initial" && find_config_key(name))
    return "does not apply where fields have their own (write initial.FIELD: {kind: ...})";
  if (section == "boundary" && find_config_key(name))
    return "does not apply: grid.shape has no such axis (expected three for planes, two for rows)";
  return {};
}

bool is_section(const std::string& name) { return std::ranges::count(config_sections(), name) > 0; }

/// Collects the names and values in one YAML tree, of the file or of a setting.
class Collector {
 public:
  Collector(int setting, GivenKeys& given, Mistakes& mistakes)
      : setting_(setting), given_(given), mistakes_(mistakes) {}

  /// Collects all keys of a map; `prefix` is empty or ends with a dot.
  void take_map(const YamlNode& map, const std::string& prefix) {
    for_each_key(
        map, prefix,
        [&](TextPosition at, const std::string& name, const std::string& what) {
          add(at, name, what);
        },
        [&](const std::string& name, const YamlNode& word, const YamlNode& value) {
          take(name, word.text, word.position, value);
        });
  }

  /// Collects one key or section.
  void take(const std::string& name, const std::string& word, TextPosition position,
            const YamlNode& node) {
    if (is_section(name)) {
      given_.sections.emplace(name, position);
      const bool is_map = node.kind == YamlNode::Kind::map;
      if (is_map && node.refused.empty()) return take_map(node, name + '.');
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

void take_setting(const std::string& setting, Collector& collector) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) {
    collector.add({}, "", "not a setting (expected KEY=VALUE, such as time.steps=100)");
    return;
  }
  const std::string key = setting.substr(0, equals);
  const std::string text = setting.substr(equals + 1);
  const YamlDocument document = parse_yaml(text);
  if (document.problem) {
    collector.add({}, key, document.problem->what);
  } else if (!document.cut.empty()) {
    collector.add({}, key, document.cut.front().what);
  } else if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    collector.add({}, key, "found nothing (expected a value; null stands for none)");
  } else if (document.root.block) {
    collector.add({}, key, "not one value (write a list as [a, b] and a map as {a: b})");
  } else {
    collector.take(key, "", {}, document.root);
  }
}

/// The message about a section that is not a map.
std::string section_problem(const YamlNode& node, const std::string& name,
                            const ConfigTable& table) {
  const std::string problem = !node.refused.empty()               ? node.refused
                              : node.kind == YamlNode::Kind::null ? "nothing"
                              : node.kind == YamlNode::Kind::list ? "a list"
                                                                  : shown(node.text);
  std::vector<std::string_view> known;
  for (const ConfigKey* const key : keys_of(table, name)) known.push_back(key->entry());
  if (name == "equation")
    return fmt::format("found {} (expected a map of fields, as in equation: {{u: laplacian(u)}})",
                       problem);
  if (name == "initial")
    return fmt::format(
        "found {} (expected a number or a formula, or a map of fields with these, as in initial: "
        "{{u: 1 - x}}, or of keys of initial: {})",
        problem, fmt::join(known, ", "));
  return fmt::format("found {} (expected a map with keys of {}: {})", problem, name,
                     fmt::join(known, ", "));
}

/// Names of other programs, or that come to mind, and the keys that are meant.
constexpr std::pair<std::string_view, std::string_view> other_keys[] = {
    {"grid.n", "grid.shape"},
    {"grid.nx", "grid.shape"},
    {"grid.ny", "grid.shape"},
    {"grid.nz", "grid.shape"},
    {"grid.resolution", "grid.shape"},
    {"grid.dx", "grid.spacing"},
    {"grid.h", "grid.spacing"},
    {"grid.lengths", "grid.size"},
    {"grid.bounds", "grid.size"},
    {"domain", "grid"},
    {"mesh", "grid"},
    {"time.dt", "time.step"},
    {"time.t_end", "time.end"},
    {"time.t_max", "time.end"},
    {"time.duration", "time.end"},
    {"time.n_steps", "time.steps"},
    {"time.method", "time.scheme"},
    {"time.integrator", "time.scheme"},
    {"time.solver", "time.scheme"},
    {"solver", "time.scheme"},
    {"scheme", "time.scheme"},
    {"bc", "boundary"},
    {"bcs", "boundary"},
    {"boundary_conditions", "boundary"},
    {"boundary.west", "boundary.left"},
    {"boundary.east", "boundary.right"},
    {"boundary.south", "boundary.bottom"},
    {"boundary.north", "boundary.top"},
    {"initial_condition", "initial"},
    {"initial_conditions", "initial"},
    {"ic", "initial"},
    {"params", "parameters"},
    {"constants", "parameters"},
    {"pde", "equation"},
    {"rhs", "equation"},
    {"output.interval", "output.every"},
    {"output.dir", "output.directory"},
    {"output.path", "output.directory"},
    {"output.folder", "output.directory"},
    {"dt", "time.step"},
    {"t_end", "time.end"},
    {"precision", "compute.precision"},
    {"backend", "compute.backend"},
    {"threads", "compute.threads"}};

/// The message about a name that is not a key.
std::string unknown_key(const std::string& name, const ConfigTable& table) {
  if (const std::string why = why_not_here(name); !why.empty()) return why;
  for (const auto& [other, meant] : other_keys)
    if (edit_distance(name, other, 0) == 0)
      return fmt::format("unknown key (did you mean {}?)", meant);
  std::string near = nearest_key(name, table);
  const KeyRow given{.name = name};
  if ((given.section() == "initial" || given.section() == shorthand_section) &&
      KeyRow{.name = near}.section() != given.section()) {
    std::vector<std::string> fields;
    for (const ConfigKey& key : table)
      if (key.section() == "equation" && !is_key_beside_rates(key.entry()))
        fields.emplace_back(key.entry());
    if (!near.empty() && !fields.empty())
      return fmt::format("neither a key nor a field (expected {})", either_of(fields));
  }
  if (near.empty() && given.section() == shorthand_section)
    if (const auto side = nearest_word(given.entry(), names_in(side_names()), 0); !side.empty())
      near = fmt::format("{}.{}", shorthand_section, side);
  if (near.empty() && given.section() == "equation" && is_plain_name(given.entry()))
    return "unknown key (expected a rate, as in u: laplacian(u), or a key of the equation's kind)";
  return near.empty() ? "unknown key" : fmt::format("unknown key (did you mean {}?)", near);
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
      if (kind.text == complex_word) append_once(names.complex, field);
    });
  }
  if (given.name == "grid.shape" && is_list && !node.children.empty() && node.children.size() <= 3)
    names.axes = static_cast<int>(node.children.size());
  if ((given.name == mask_name && node.kind != YamlNode::Kind::null) || given.name == rim_key)
    names.mask = true;
  if (given.name == "equation.kind")
    for (const Equation& equation : name_table<EquationKind>)
      if (node.text == equation.name) names.equation = equation.value;
  for (const auto& [key, found] :
       {std::pair("output.derived", &names.derived), {"equation.let", &names.quantities}})
    if (given.name == key && node.kind == YamlNode::Kind::map)
      for_each_entry(
          node, [to = found](const std::string& name, const YamlNode&) { append_once(*to, name); });
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
  Mistakes of_the_rest("", no_settings);  // drops mistakes after the problem
  Collector collector(-1, given, document.problem ? of_the_rest : mistakes);
  const YamlNode& root = document.root;
  const bool is_map = root.refused.empty() && root.kind == YamlNode::Kind::map;
  for (const YamlProblem& cut : document.cut) collector.add(cut.position, "", cut.what);
  if (is_map) collector.take_map(root, "");
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

GivenKeys given_in_settings(const std::vector<std::string>& settings, Mistakes& mistakes) {
  GivenKeys given;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    Collector collector(static_cast<int>(i), given, mistakes);
    take_setting(settings[i], collector);
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
      keys = axes_of(table);
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

std::string nearest_key(const std::string& name, const ConfigTable& table) {
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
  // The key may lack only its dot, as timestep does.
  const auto is_but_for_dot = [&](const ConfigKey& key) {
    return dot == std::string::npos && edit_distance(name, key.name, 1) == 1;
  };
  for (const ConfigKey& key : table) {
    if (name.starts_with(key.name + '.') || is_but_for_dot(key)) return key.name;
    consider_key(key);
  }
  consider_key(*find_config_key(rim_key));  // not in the table of a grid without a mask
  // The keys of section parameters may have any name, so only the section's name can be misspelt.
  if (nearest.empty() && edit_distance(section, "parameters", 3) < 3 && section != "parameters")
    return dot == std::string::npos ? "parameters" : "parameters" + name.substr(dot);
  if (nearest.empty())  // the key may exist on a grid with more axes
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
