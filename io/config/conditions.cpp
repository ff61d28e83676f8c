#include "io/config/conditions.hpp"

#include <algorithm>
#include <utility>

#include "io/config/config_text.hpp"
#include "io/config/key_table.hpp"

namespace lapl {
namespace {

bool is_condition(const YamlNode& map);

const KeyTable<SideCondition>& mixed_keys() {
  static const KeyTable<SideCondition> keys = {
      {{.name = "value", .type = formula_text(), .meaning = "b in du/dn + a u = b"},
       store(&SideCondition::value)},
      {{.name = "factor", .type = formula_text(), .meaning = "a in du/dn + a u = b"},
       store(&SideCondition::factor)}};
  return keys;
}

// Stores the place where a value holds: face, node, or ghost (one cell outside the last node).
void put_place(SideCondition& condition, const YamlNode& node) {
  if (node.text != "ghost")
    condition.kind =
        node.text == "node" ? ConditionKind::value_at_node : ConditionKind::value_at_face;
}

// A kind of condition with the keys of its map; the first key names the kind. Values at a face or a
// node are no kinds here: they are maps of `value` with the key `at`.
struct ConditionKeys {
  ConditionKind kind;
  KeyTable<SideCondition> keys;
};
std::vector<ConditionKeys> make_condition_kinds() {
  std::vector<ConditionKeys> kinds;
  for (const ConditionRow& row : name_table<ConditionKind>) {
    if (row.value == ConditionKind::value_at_face || row.value == ConditionKind::value_at_node ||
        row.value == ConditionKind::periodic)
      continue;
    KeyTable<SideCondition> keys = {
        {{.name = row.name, .type = formula_text()}, store(&SideCondition::value)}};
    if (row.has_factor)
      keys = {{{.name = row.name,
                .type = map_schema(mixed_keys(), "{value: b, factor: a}, of du/dn + a u = b")},
               [](SideCondition& condition, const YamlNode& node) {
                 put_map(mixed_keys(), condition, node);
               }}};
    if (row.value == ConditionKind::value)
      keys.push_back({{.name = "at",
                       .type = word({"face", "node", "ghost"},
                                    "face, node, or ghost for one cell outside the last node, "
                                    "which is where a value holds by default"),
                       .preset = "ghost",
                       .preset_in_words = true},
                      put_place});
    kinds.push_back({row.value, std::move(keys)});
  }
  return kinds;
}
const std::vector<ConditionKeys>& condition_kinds() {
  static const std::vector<ConditionKeys> kinds = make_condition_kinds();
  return kinds;
}

MapForm make_condition() {
  MapForm form{.choices = {}, .description = "", .stand_ins = {}};
  for (const ConditionKeys& kind : condition_kinds()) form.choices.push_back(key_rows(kind.keys));
  constexpr std::pair<const char*, const char*> synonyms[] = {
      {"dirichlet", "value"}, {"neumann", "derivative"}, {"robin", "mixed"}};
  for (const auto& synonym : synonyms) {
    std::vector<KeyRow> rows = *std::ranges::find_if(
        form.choices,
        [&](const std::vector<KeyRow>& some) { return some.front().name == synonym.second; });
    rows.front().resolved_name = std::exchange(rows.front().name, synonym.first);
    form.choices.push_back(std::move(rows));
  }
  form.stand_ins = {
      {finite_real(), "value"},
      {word({"zero", "dirichlet"}), "value", "0"},
      {word({"insulated", "neumann"}), "derivative", "0"},
      {.values = word({"periodic"}),
       .key = "",
       .refused = ", which is of both sides (write it for the axis, or for a field at "
                  "both sides: {u: periodic, v: insulated})"}};
  form.is_meant = is_condition;
  return form;
}
const MapForm& condition_form() {
  static const MapForm form = make_condition();
  return form;
}

std::vector<std::string> condition_names() {
  std::vector<std::string> names;
  for (const std::vector<KeyRow>& rows : condition_form().choices)
    names.push_back(rows.front().name);
  return names;
}

bool has_factor(const std::string& name) {
  return name == "robin" || std::ranges::any_of(name_table<ConditionKind>, [&](const auto& row) {
           return row.has_factor && row.name == name;
         });
}

bool is_zero_word(const std::string& word) {
  return word == "zero" || word == "dirichlet" || word == "insulated" || word == "neumann";
}

// True if an entry of a map belongs to a condition, false if it is a field with its condition. A
// field may have the name of a condition. Where an entry `stands_alone`, its name may be misspelt.
bool is_of_condition(const std::string& key, const YamlNode& value, bool stands_alone) {
  const bool is_map = value.kind == YamlNode::Kind::map;
  if (!is_condition_word(key))
    return stands_alone && !is_map && read_number(value.text).real &&
           !nearest_word(key, condition_names()).empty();
  if (!is_map) return !is_zero_word(value.text);
  return value.children.empty() ||
         (has_factor(key) && (find_child(value, "value") || find_child(value, "factor")));
}

bool is_condition(const YamlNode& map) {
  bool all = true;
  if (find_child(map, "at"))
    return std::ranges::any_of(condition_names(), [&](const std::string& name) {
      return find_child(map, name) != nullptr;
    });
  for_each_entry(map, [&](const std::string& key, const YamlNode& value) {
    all = all && is_of_condition(key, value, map.children.size() == 2);
  });
  return all;
}

}  // namespace

Schema condition(bool of_mask) {
  MapForm form = condition_form();
  form.description = "zero, insulated, ";
  for (const ConditionRow& row : name_table<ConditionKind>)
    if (row.value != ConditionKind::periodic &&
        (!of_mask || row.value != ConditionKind::value_at_node))
      form.description += std::string(row.form) + ", ";
  form.description += "or a map of fields with these";
  Schema schema = {{std::move(form)}, {}};
  schema.name = "condition";
  return schema;
}

Schema side_condition(bool of_mask) {
  const Schema of_field =
      of_mask ? condition(of_mask) : either(word({"periodic"}), condition(of_mask));
  Schema side = either(condition(of_mask), map_of_names(of_field, ""));
  side.name = "side_condition";
  return side;
}

Schema axis_conditions() {
  const auto side = [](const char* name, const char* meaning) {
    return KeyRow{.name = name, .type = side_condition(), .meaning = meaning};
  };
  return {
      {MapForm{
          .choices = {{side("first", "a condition at left, bottom or back, or one for both sides"),
                       side("last", "a condition at right, top or front, or one for both sides")}},
          .description = "a condition or a map of first and last with one each",
          .stand_ins = {}}},
      {}};
}

bool is_side_condition(const YamlNode& scalar) {
  return is_condition_word(scalar.text) ? is_zero_word(scalar.text)
                                        : read_number(scalar.text).real.has_value();
}

bool is_condition_word(const std::string& word) {
  return word == "at" || std::ranges::count(condition_names(), word) > 0;
}

void add_conditions(const SideCondition& at, const YamlNode& node,
                    std::vector<SideCondition>& conditions) {
  const auto add = [&](const std::string& field, const YamlNode& condition) {
    if (condition.kind != YamlNode::Kind::map) {
      SideCondition& periodic = conditions.emplace_back(at);
      periodic.array = field;
      periodic.kind = ConditionKind::periodic;
      return;
    }
    for (const auto& [kind, keys] : condition_kinds()) {
      if (!find_child(condition, keys.front().name)) continue;
      SideCondition& added = conditions.emplace_back(at);
      added.array = field;
      added.kind = kind;
      put_map(keys, added, condition);
    }
  };
  // In a resolved condition only the value of `mixed` is a map, with a factor; any other map in a
  // node, and periodic, is the condition of a field.
  const YamlNode& first = node.children[1];
  const bool is_periodic = first.text == "periodic" && !is_condition_word(node.children[0].text);
  if ((first.kind != YamlNode::Kind::map && !is_periodic) || find_child(first, "factor"))
    add("", node);
  else
    for_each_entry(node, add);
}

}  // namespace lapl
