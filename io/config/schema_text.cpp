// Builds schemas, and writes schemas and resolved nodes for people and programs.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "io/config/config_number.hpp"
#include "io/config/config_text.hpp"
#include "io/config/schema.hpp"

namespace lapl {
namespace {

using nlohmann::ordered_json;

constexpr double unbounded = std::numeric_limits<double>::infinity();

std::string describe(const NullForm&) { return "null"; }
std::string describe(const WordForm& form) {
  return form.description.empty() ? alternatives(form.words) : form.description;
}
std::string describe(const IntegerForm& form) {
  return fmt::format("an integer from {} to {}", form.low, form.high);
}
std::string describe(const RealForm& form) {
  if (form.low == -unbounded) return "a finite number";
  if (form.above) return fmt::format("a number above {}", form.low);
  return fmt::format("a number from {} to {}", form.low, form.high);
}
std::string describe(const TextForm& form) {
  return form.longest == 0 ? "a text" : fmt::format("a text of at most {} bytes", form.longest);
}
std::string describe(const PathForm&) { return "the path of a file"; }
std::string describe(const DurationForm&) {
  return "a time such as 90s, 30m or 2h, at most 999999999s, 9999999m or 999999h";
}
std::string describe(const FormulaForm&) { return "a formula"; }
template <class Map>
std::string describe(const Map& form) {
  return form.description;
}

ordered_json json(const NullForm&) { return {{"type", "null"}}; }
ordered_json json(const WordForm& form) {
  if (form.words == std::vector<std::string>{"true", "false"}) return {{"type", "boolean"}};
  return {{"enum", form.words}};
}
ordered_json json(const IntegerForm& form) {
  return {{"type", "integer"}, {"minimum", form.low}, {"maximum", form.high}};
}
ordered_json json(const RealForm& form) {
  constexpr double largest = std::numeric_limits<double>::max();
  ordered_json result = {{"type", "number"}};
  result[form.above ? "exclusiveMinimum" : "minimum"] = std::max(form.low, -largest);
  result["maximum"] = std::min(form.high, largest);
  return result;
}
ordered_json json(const TextForm& form) {
  ordered_json result = {{"type", "string"}, {"minLength", 1}};
  if (form.longest > 0) result["maxLength"] = form.longest;
  return result;
}
ordered_json json(const DurationForm&) {
  return {{"type", "string"}, {"pattern", duration_pattern}};
}
ordered_json json(const FormulaForm&) { return {{"type", {"string", "number"}}}; }
ordered_json json(const MapForm& form) {
  ordered_json choices = ordered_json::array();
  for (const std::vector<KeyRow>& rows : form.choices) {
    ordered_json properties = ordered_json::object(), required = ordered_json::array();
    for (const KeyRow& row : rows) {
      properties[row.name] = json_schema(row.type);
      if (row.is_required() && row.kinds.empty()) required.push_back(row.name);
    }
    choices.push_back({{"type", "object"},
                       {"properties", properties},
                       {"required", required},
                       {"additionalProperties", false}});
  }
  for (const StandIn& stand_in : form.stand_ins)
    if (stand_in.refused.empty()) choices.push_back(json_schema(stand_in.values));
  return choices.size() == 1 ? choices[0] : ordered_json{{"anyOf", choices}};
}
ordered_json json(const NamesForm& form) {
  return {{"type", "object"}, {"additionalProperties", json_schema(*form.value)}};
}
ordered_json json(const OwnForm& form) { return form.json(); }

// A map of names, where a map with known keys (`other`) is another form: a map that gives numbers
// alone to such keys has the other form.
ordered_json json_beside(const MapForm& other, const NamesForm& form) {
  std::set<std::string> keys;
  for (const std::vector<KeyRow>& rows : other.choices)
    for (const KeyRow& row : rows) keys.insert(row.name);
  ordered_json result = json(form);
  result["not"] = {{"propertyNames", {{"enum", keys}}},
                   {"additionalProperties", {{"type", "number"}}}};
  return result;
}

}  // namespace

Schema word(std::vector<std::string> words, std::string description) {
  return {{WordForm{std::move(words), std::move(description)}}, {}};
}
Schema integer(std::int64_t low, std::int64_t high) { return {{IntegerForm{low, high}}, {}}; }
Schema real(double low, double high) { return {{RealForm{.low = low, .high = high}}, {}}; }
Schema finite_real() { return real(-unbounded, unbounded); }
Schema positive_real() { return {{RealForm{.low = 0, .high = unbounded, .above = true}}, {}}; }
Schema text() { return {{TextForm{}}, {}}; }
Schema short_text() { return {{TextForm{100}}, {}}; }
Schema path() { return {{PathForm{}}, {}}; }
Schema duration() { return {{DurationForm{}}, {}}; }
Schema formula_text() { return {{FormulaForm{}}, {}}; }

Schema map_of_names(const Schema& value, std::string description, std::string otherwise) {
  return {{NamesForm{std::make_shared<const Schema>(value), std::move(description),
                     std::move(otherwise)}},
          {}};
}

Schema either(Schema first, const Schema& second) {
  first.forms.insert(first.forms.end(), second.forms.begin(), second.forms.end());
  return first;
}

Schema null_or(const Schema& schema) { return either({{NullForm{}}, {}}, schema); }

Schema list(Schema element, std::size_t low, std::size_t high) {
  element.list = Schema::Count{low, high};
  return element;
}

Schema one_or_list(Schema element, std::size_t low, std::size_t high) {
  element = list(std::move(element), low, high);
  element.or_single = true;
  return element;
}

Schema list_element(const Schema& list) {
  Schema element{list.forms, {}};
  if (list.or_single)
    std::erase_if(element.forms, [](const Form& form) {
      return std::holds_alternative<NullForm>(form) || std::holds_alternative<NamesForm>(form);
    });
  return element;
}

std::string description(const Schema& schema) {
  std::string single;
  for (const Form& form : schema.forms) {
    const std::string text = std::visit([](const auto& known) { return describe(known); }, form);
    single += (single.empty() || text.empty() ? "" : ", or ") + text;
  }
  if (!schema.list) return single;
  const auto [low, high] = *schema.list;
  if (schema.or_single && high == 2) return single + ", or two";
  const std::string count = low == high         ? fmt::format("{}", low)
                            : high == any_count ? fmt::format("{} or more", low)
                                                : fmt::format("{} to {}", low, high);
  if (schema.or_single) return fmt::format("{}, or a list of {}", single, count);
  return fmt::format("a list of {}, each {}", count, single);
}

ordered_json json_schema(const Schema& schema) {
  return schema.name.empty() ? json_definition(schema)
                             : ordered_json{{"$ref", "#/$defs/" + schema.name}};
}

ordered_json json_definition(const Schema& schema) {
  ordered_json forms = ordered_json::array();
  for (const Form& form : schema.forms) {
    const auto* const map = std::get_if<MapForm>(&schema.forms.front());
    const auto* const names = std::get_if<NamesForm>(&form);
    forms.push_back(map && names ? json_beside(*map, *names)
                                 : std::visit([](const auto& known) { return json(known); }, form));
  }
  const ordered_json single = forms.size() == 1 ? forms[0] : ordered_json{{"anyOf", forms}};
  if (!schema.list) return single;
  ordered_json result = {{"type", "array"}, {"minItems", schema.list->low}};
  if (schema.list->high != any_count) result["maxItems"] = schema.list->high;
  result["items"] = schema.or_single ? json_schema(list_element(schema)) : single;
  if (std::holds_alternative<WordForm>(schema.forms.front())) result["uniqueItems"] = true;
  if (schema.or_single) return {{"anyOf", {single, result}}};
  return result;
}

std::string node_yaml(const YamlNode& node) {
  std::string inside;
  switch (node.kind) {
    case YamlNode::Kind::null: return "null";
    case YamlNode::Kind::scalar: return node.quoted ? yaml_text(node.text) : node.text;
    case YamlNode::Kind::list:
      for (const YamlNode& child : node.children)
        inside += (inside.empty() ? "" : ", ") + node_yaml(child);
      return '[' + inside + ']';
    case YamlNode::Kind::map: break;
  }
  for_each_entry(node, [&](const std::string& key, const YamlNode& value) {
    inside += fmt::format("{}{}: {}", inside.empty() ? "" : ", ", yaml_text(key), node_yaml(value));
  });
  return '{' + inside + '}';
}

ordered_json node_json(const YamlNode& node) {
  ordered_json result;
  switch (node.kind) {
    case YamlNode::Kind::null: break;
    case YamlNode::Kind::scalar: {
      const NumberText number = read_number(node.text);
      if (node.quoted || !number.real) return node.text;
      if (number.integer) return *number.integer;
      return *number.real;
    }
    case YamlNode::Kind::list:
      result = ordered_json::array();
      for (const YamlNode& child : node.children) result.push_back(node_json(child));
      break;
    case YamlNode::Kind::map:
      result = ordered_json::object();
      for_each_entry(node, [&](const std::string& key, const YamlNode& value) {
        result[key] = node_json(value);
      });
      break;
  }
  return result;
}

}  // namespace lapl
