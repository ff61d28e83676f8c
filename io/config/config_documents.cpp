// Writes documents from the key table: resolved config, JSON Schema, --help.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/config/conditions.hpp"
#include "io/config/config.hpp"
#include "io/config/config_keys.hpp"
#include "io/config/config_text.hpp"
#include "io/config/map_values.hpp"
#include "io/config/short_forms.hpp"
#include "io/config/yaml_tree.hpp"
#include "solver/equation/equation.hpp"

namespace lapl {
namespace {

using nlohmann::ordered_json;

ordered_json key_schema(const ConfigKey& key) {
  ordered_json schema = json_schema(key.type);
  std::string note = key.meaning;
  if (!key.unit.empty()) note += fmt::format(" [{}]", key.unit);
  if (!key.kinds.empty()) note += fmt::format(" (for kind {})", either_of(key.kinds));
  schema["description"] = note;
  if (!key.is_required()) schema["default"] = json_of(key.type, preset_of(key));
  return schema;
}

/// True for a row of the table that stands for one key per field or parameter.
bool is_pattern(const ConfigKey& key) { return key.entry() == "FIELD" || key.entry() == "NAME"; }

/// JSON Schema rules for each kind of a section: the keys that are allowed and those that are
/// required. A kind whose keys may have any name has no rule.
template <class Kind>
ordered_json kind_rules(const std::string& section) {
  ordered_json rules = ordered_json::array();
  for (const auto& row : name_table<Kind>) {
    std::vector<std::string> allowed, required;
    bool any_name = false;
    for (const ConfigKey& key : config_keys()) {
      if (key.section() != section || !key.belongs_to(row.name)) continue;
      if (is_pattern(key)) {
        any_name = any_name || !key.kinds.empty();
        continue;
      }
      allowed.emplace_back(key.entry());
      if (key.is_required()) required.emplace_back(key.entry());
    }
    if (any_name) continue;
    // Without `kind` it may follow from the other keys.
    const ordered_json condition = {{"properties", {{"kind", {{"const", row.name}}}}},
                                    {"required", {"kind"}}};
    ordered_json rule = {{"if", condition}, {"then", {{"propertyNames", {{"enum", allowed}}}}}};
    if (!required.empty()) rule["then"]["required"] = required;
    rules.push_back(rule);
  }
  return rules;
}

ordered_json section_schema(const std::string& section) {
  ordered_json schema = {{"type", "object"}, {"additionalProperties", false}};
  // JSON starts as an object: one that null grows into is a crash where memory runs out.
  ordered_json properties = ordered_json::object();
  std::vector<std::string> required;
  const ConfigKey* last = nullptr;
  std::optional<ordered_json> of_each_name;
  for (const ConfigKey& key : config_keys()) {
    if (key.section() != section) continue;
    if (is_pattern(key)) {
      of_each_name = key_schema(key);
      continue;
    }
    properties[std::string(key.entry())] = key_schema(key);
    if (key.is_required() && key.kinds.empty()) required.emplace_back(key.entry());
    if (key.name != mask_key) last = &key;
  }
  if (!properties.empty()) schema["properties"] = properties;
  if (!required.empty()) schema["required"] = required;
  if (section == "initial") {  // has either its own keys or a map of fields
    schema["allOf"] = kind_rules<InitialKind>(section);
    const ordered_json by_field = {
        {"type", "object"},
        {"additionalProperties", *of_each_name},
        {"properties", {{"seed", properties["seed"]}, {"let", properties["let"]}}}};
    return {{"anyOf", {schema, by_field, json_schema(formula_text())}}};
  }
  if (section == "equation") schema["allOf"] = kind_rules<EquationKind>(section);
  if (of_each_name) schema["additionalProperties"] = *of_each_name;
  if (section != shorthand_section) return schema;
  // An axis also accepts the synonyms of two of its words, one condition for both of its sides, and
  // other names of its sides.
  const ordered_json side = json_schema(side_condition());
  ordered_json of_axis = json_schema(last->type);
  of_axis["anyOf"].back() = {{"type", "object"}, {"additionalProperties", side}};
  of_axis["anyOf"].push_back(side);
  for (const SideName& name : side_names()) {
    ordered_json& property = schema["properties"][std::string(name.name)];
    const bool axis = name.sides == SideName::Sides::both;
    property["anyOf"] = (axis ? of_axis : side)["anyOf"];
    if (!property.contains("description"))
      property["description"] =
          axis ? "condition at both sides of this axis" : "condition at this side";
  }
  schema["additionalProperties"] = side;  // of a field
  return {{"anyOf", {of_axis, schema}}};
}

/// The position of the comment in a line of resolved_yaml.
std::size_t comment_in(std::string_view line) {
  bool quoted = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (quoted && line[at] == '\\')
      ++at;
    else if (line[at] == '"')
      quoted = !quoted;
    else if (!quoted && line.substr(at).starts_with("  # "))
      return at;
  }
  return std::string::npos;
}

}  // namespace

std::string resolved_yaml(const LoadedConfig& config) {
  std::string yaml;
  std::string_view open_section;
  for (const ResolvedKey& resolved : config.keys) {
    const KeyRow key{.name = resolved.key};
    const bool in_section = key.section() != key.name;
    if (in_section && key.section() != open_section) yaml += fmt::format("{}:\n", key.section());
    open_section = std::string_view(resolved.key).substr(0, key.section().size());
    const std::string line =
        fmt::format("{}{}: {}", in_section ? "  " : "", yaml_text(key.entry()), resolved.value);
    yaml += fmt::format("{:<40}  # {}\n", line, resolved.origin);
  }
  return yaml;
}

std::vector<ResolvedKey> resolved_keys(const std::string& yaml) {
  std::vector<ResolvedKey> keys;
  std::istringstream lines(yaml);
  std::string section;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t name = line.find_first_not_of(' ');
    const std::size_t colon = line.find(": ", std::min(name, line.size()));
    const std::size_t comment = comment_in(line);
    if (line.starts_with('#')) continue;
    if (colon == std::string::npos || comment < colon) {
      section = line.substr(0, line.find(':')) + '.';
      continue;
    }
    const std::string value =
        line.substr(colon + 2, comment == line.npos ? comment : comment - colon - 2);
    std::string entry = line.substr(name, colon - name);
    std::erase(entry, '"');
    keys.push_back({(name > 0 ? section : "") + entry,
                    value.substr(0, value.find_last_not_of(' ') + 1),
                    comment == line.npos ? "" : line.substr(comment + 4)});
  }
  return keys;
}

std::string config_schema() {
  ordered_json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                         {"title", "lapl run config"},
                         {"type", "object"},
                         {"additionalProperties", false},
                         {"properties", ordered_json::object()}};
  std::vector<std::string> required;
  for (const ConfigKey& key : config_keys()) {
    const std::string section(key.section());
    ordered_json& properties = schema["properties"];
    if (!properties.contains(section))
      properties[section] = section == key.name ? key_schema(key) : section_schema(section);
    const bool is_new = required.empty() || required.back() != section;
    if (key.is_required() && key.kinds.empty() && !is_pattern(key) && is_new)
      required.push_back(section);
  }
  schema["required"] = required;
  return schema.dump(2);
}

std::vector<KeyChoices> config_key_choices() {
  std::vector<KeyChoices> all;
  for (const ConfigKey& key : config_keys()) {
    std::vector<std::string> words;
    for (const Form& form : key.type.forms) {
      if (const auto* const word = std::get_if<WordForm>(&form); word && !key.type.list)
        words = word->words;
      if (std::holds_alternative<NullForm>(form)) words.emplace_back("null");
    }
    const bool first = all.empty() || !all.back().name.starts_with(shorthand_section);
    if (key.section() == shorthand_section && first)
      all.push_back({std::string(shorthand_section), "condition at all edges", words});
    all.push_back({key.name, key.meaning, words});
  }
  return all;
}

std::string text_setting(const std::string& key, const std::string& text) {
  return key + '=' + yaml_text(text);
}

}  // namespace lapl
