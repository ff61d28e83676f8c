// Writes documents from the key table: resolved config, JSON Schema, the choices of each key.
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
  if (!key.kinds.empty()) note += fmt::format(" (for kind {})", alternatives(key.kinds));
  schema["description"] = note;
  if (!key.is_required()) schema["default"] = node_json(resolved_preset(key));
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
    // The rule applies only where `kind` is written, because the kind may follow from other keys.
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
  // An object from the start: a null value that becomes one crashes if memory runs out then.
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
  if (section == "initial") {  // has its own keys or a map of fields
    schema["allOf"] = kind_rules<InitialKind>(section);
    const ordered_json by_field = {
        {"type", "object"},
        {"additionalProperties", *of_each_name},
        {"properties",
         {{"seed", properties["seed"]}, {"let", properties["let"]}, {"from", properties["from"]}}}};
    return {{"anyOf", {schema, by_field, json_schema(formula_text())}}};
  }
  if (section == "time") return {{"anyOf", {schema, {{"const", enum_name(Scheme::steady)}}}}};
  if (section == "equation") schema["allOf"] = kind_rules<EquationKind>(section);
  if (of_each_name) schema["additionalProperties"] = *of_each_name;
  if (section != shorthand_section) return schema;
  // An axis also accepts the synonyms of two of its words, one condition for both of its sides, and
  // other names of its sides.
  const ordered_json side = json_schema(side_condition());
  ordered_json of_axis = json_schema(last->type);
  ordered_json sides = {{"first", side}, {"last", side}};
  for (const SideName& name : side_names())
    if (name.sides != SideName::Sides::both) sides[std::string(name.name)] = side;
  of_axis["anyOf"].back() = {
      {"type", "object"}, {"properties", sides}, {"additionalProperties", false}};
  of_axis["anyOf"].push_back(side);
  for (const SideName& name : side_names()) {
    ordered_json& property = schema["properties"][std::string(name.name)];
    const bool axis = name.sides == SideName::Sides::both;
    if (property.is_null()) property = ordered_json::object();
    property.update(axis ? of_axis : side);
    if (!property.contains("description"))
      property["description"] =
          axis ? "condition at both sides of this axis" : "condition at this side";
  }
  schema.update(json_definition(side_condition())["anyOf"].back());  // conditions by field
  ordered_json whole = of_axis;  // a map of fields may not have the names of sides
  for (const SideName& name : side_names())
    whole["not"]["anyOf"].push_back({{"type", "object"}, {"required", {std::string(name.name)}}});
  return {{"anyOf", {whole, schema}}};
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
  std::vector<std::string> lines;
  std::istringstream text(yaml);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  std::vector<ResolvedKey> keys;
  const auto add = [&](const std::string& key, const YamlNode& value) {
    const std::string& line = lines.at(value.position.line - 1);
    const std::string found = node_yaml(value);
    const std::size_t end = value.position.column - 1 + found.size();
    const std::size_t comment = line.find("# ", std::min(end, line.size()));
    keys.push_back({key, found, comment == line.npos ? "" : line.substr(comment + 2)});
  };
  const YamlNode root = parse_yaml(yaml).root;
  if (root.kind == YamlNode::Kind::map)
    for_each_entry(root, [&](const std::string& section, const YamlNode& value) {
      if (value.kind == YamlNode::Kind::map && value.block)
        for_each_entry(value, [&](const std::string& entry, const YamlNode& of_entry) {
          add(section + '.' + entry, of_entry);
        });
      else
        add(section, value);
    });
  return keys;
}

std::string config_schema() {
  ordered_json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                         {"title", "lapl run config"},
                         {"type", "object"},
                         {"additionalProperties", false},
                         {"properties", ordered_json::object()},
                         {"$defs", ordered_json::object()}};
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
  for (const Schema& shared : {condition(), side_condition()})
    schema["$defs"][shared.name] = json_definition(shared);
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
