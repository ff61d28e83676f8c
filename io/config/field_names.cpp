// The key `fields`: names of fields, which of them are complex, and words for them.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "io/config/key_table.hpp"
#include "io/config/map_values.hpp"

namespace lapl {
namespace {

constexpr std::size_t most_fields = 16;

const KeyTable<FieldLabels>& label_keys() {
  const Schema text = null_or(short_text());
  static const KeyTable<FieldLabels> keys = {
      {{.name = "kind", .type = word({"real", std::string(complex_word)}), .preset = "real"},
       [](FieldLabels&, const YamlNode&) {}},
      {{.name = "unit", .type = text, .preset = "null"}, store(&FieldLabels::unit)},
      {{.name = "label", .type = text, .preset = "null"}, store(&FieldLabels::label)},
      {{.name = "standard_name", .type = text, .preset = "null"},
       store(&FieldLabels::standard_name)}};
  return keys;
}

const KeyTable<std::optional<Interval>>& interval_keys() {
  static const KeyTable<std::optional<Interval>> keys = {
      {{.name = "every", .type = null_or(step_interval()), .preset = "null"},
       [](std::optional<Interval>& own, const YamlNode& node) {
         if (node.kind == YamlNode::Kind::null) return;
         own.emplace();
         put_interval(own->steps, own->time, node);
       }}};
  return keys;
}

Schema list_of_names() { return list(text(), 1, most_fields); }

Schema map_of_fields() {
  const char* const words_of_field =
      "{kind: real or complex, unit: UNIT, label: TEXT, standard_name: NAME}";
  return map_of_names(either(label_keys().front().type, map_schema(label_keys(), words_of_field)),
                      fmt::format("a map of names, each with real, complex or {}", words_of_field));
}

YamlNode read_fields(const YamlNode& node, const std::string& path, YamlProblems& problems) {
  if (node.kind != YamlNode::Kind::map) return resolved(list_of_names(), node, path, problems);
  YamlNode map = resolved(map_of_fields(), node, path, problems);
  std::size_t fields = 0;  // two for each complex one
  for_each_entry(map, [&](const std::string&, const YamlNode& value) {
    fields += is_complex_field(value) ? 2 : 1;
  });
  if (problems.empty() && (fields == 0 || fields > most_fields))
    problems.push_back(
        {node.position, fmt::format("found {} fields, complex ones counted twice (expected 1 to "
                                    "{})",
                                    fields, most_fields)});
  return map;
}

}  // namespace

Schema field_names() {
  return {
      {OwnForm{description(list_of_names()) + ", or " + description(map_of_fields()), read_fields,
               [] {
                 return nlohmann::ordered_json{
                     {"anyOf", {json_schema(list_of_names()), json_schema(map_of_fields())}}};
               }}},
      {}};
}

bool is_complex_field(const YamlNode& value) {
  const YamlNode* const kind = find_child(value, "kind");
  return (kind ? kind : &value)->text == complex_word;
}

std::string field_names_text(const std::string& resolved_fields) {
  const YamlNode node = parse_yaml(resolved_fields).root;
  if (node.kind != YamlNode::Kind::map) return resolved_fields;
  YamlNode names = empty_node(YamlNode::Kind::list, {}), kinds = empty_node(node.kind, {});
  bool all_real = true;
  for_each_entry(node, [&](const std::string& name, const YamlNode& value) {
    const bool is_complex = is_complex_field(value);
    all_real = all_real && !is_complex;
    names.children.push_back(text_node(name, {}));
    append_entry(kinds, name, plain_node(is_complex ? std::string(complex_word) : "real", {}));
  });
  return node_yaml(all_real ? names : kinds);
}

Schema output_fields(const Schema& name, std::size_t most) {
  const char* const form = "{every: STEPS or {time: T}}";
  return one_or_list(
      either(name, map_of_names(map_schema(interval_keys(), form),
                                fmt::format("a map of names, each with {{}} or {}", form))),
      1, most);
}

void put_output_fields(RunConfig& run, const YamlNode& node) {
  run.output_fields.clear();
  run.field_intervals.clear();
  const auto put = [&](const YamlNode& item) {
    if (item.kind != YamlNode::Kind::map) return run.output_fields.push_back(item.text);
    for_each_entry(item, [&](const std::string& name, const YamlNode& value) {
      run.output_fields.push_back(name);
      std::optional<Interval> own;
      put_map(interval_keys(), own, value);
      if (own) run.field_intervals[name] = *own;
    });
  };
  if (node.kind == YamlNode::Kind::list)
    std::ranges::for_each(node.children, put);
  else
    put(node);
}

void put_fields(RunConfig& run, const YamlNode& node) {
  run.complex_fields.clear();
  run.labels.clear();
  if (node.kind == YamlNode::Kind::list) return assign(run.fields, node);
  run.fields.clear();
  for_each_entry(node, [&](const std::string& name, const YamlNode& value) {
    run.fields.push_back(name);
    if (is_complex_field(value)) run.complex_fields.push_back(name);
    if (value.kind == YamlNode::Kind::map) put_map(label_keys(), run.labels[name], value);
  });
}

}  // namespace lapl
