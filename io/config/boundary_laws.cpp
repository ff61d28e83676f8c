#include "io/config/boundary_laws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/config/config_number.hpp"
#include "io/config/config_text.hpp"

namespace lapl {
namespace {

void add(YamlProblems& problems, const YamlNode& node, const std::string& path,
         const std::string& what) {
  problems.push_back({node.position, path.empty() ? what : path + ": " + what});
}

std::string below(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

bool is_map(const YamlNode& node) {
  return node.refused.empty() && node.kind == YamlNode::Kind::map;
}

// Reads a map entry by entry; `read(name, key, value)` returns the resolved value of an entry.
template <class Read>
YamlNode read_entries(const YamlNode& node, const std::string& path, YamlProblems& problems,
                      const Read& read) {
  YamlNode map = empty_node(YamlNode::Kind::map, node.position);
  for_each_key(
      node, path.empty() ? "" : path + ".",
      [&](TextPosition position, const std::string& name, const std::string& what) {
        problems.push_back({position, name + ": " + what});
      },
      [&](const std::string& name, const YamlNode& key, const YamlNode& value) {
        append_entry(map, key.text, read(name, key, value));
      });
  return map;
}

YamlNode map_with(const YamlNode& node, const std::string& key, YamlNode value) {
  YamlNode map = empty_node(YamlNode::Kind::map, node.position);
  append_entry(map, key, std::move(value));
  return map;
}

struct ConditionWord {
  std::string_view word;
  LawKind kind;
};
// The names of conditions, as keys of a map with their values.
constexpr ConditionWord names_of_conditions[] = {
    {"value", LawKind::value},           {"dirichlet", LawKind::value},
    {"derivative", LawKind::derivative}, {"neumann", LawKind::derivative},
    {"mixed", LawKind::mixed},           {"robin", LawKind::mixed},
    {"absorbing", LawKind::absorbing}};
// The words that stand for a condition with the value 0.
constexpr ConditionWord words_of_zero[] = {{"zero", LawKind::value},
                                           {"dirichlet", LawKind::value},
                                           {"insulated", LawKind::derivative},
                                           {"neumann", LawKind::derivative}};

template <class Words>
std::optional<LawKind> kind_in(const Words& words, std::string_view word) {
  const auto found = std::ranges::find(words, word, &ConditionWord::word);
  return found == std::end(words) ? std::nullopt : std::optional(found->kind);
}
std::optional<LawKind> law_kind(std::string_view name) {
  return kind_in(names_of_conditions, name);
}

// True for a resolved condition, such as {value: 80}; false for a map of fields with one each.
bool is_law(const YamlNode& map) {
  return !is_map(map.children[1]) || child_of(map.children[1], "factor");
}

// True if the value under the name of a condition is a condition itself, so that the name is that
// of a field.
bool is_of_field(const YamlNode& value, LawKind kind) {
  if (!is_map(value)) return kind_in(words_of_zero, value.text).has_value();
  return !value.children.empty() && (!row_of(kind).takes_factor() ||
                                     (!child_of(value, "value") && !child_of(value, "factor")));
}

std::string law_words(bool of_rim = false) {
  std::string words = "zero, insulated, ";
  for (const LawRow& row : name_table<LawKind>)
    if (!of_rim || row.value != LawKind::value_at_node) words += std::string(row.form) + ", ";
  return words + "or a map of fields with these";
}

YamlNode read_factors(const YamlNode& value, const std::string& path, const LawRow& row,
                      YamlProblems& problems) {
  const auto relation = [&](const char* factor_name, const char* value_name) {
    return fmt::format(fmt::runtime(row.keeps), fmt::arg("factor", factor_name),
                       fmt::arg("value", value_name));
  };
  if (!is_map(value)) {
    add(problems, value, path, "expected {value: b, factor: a}, of " + relation("a", "b"));
    return value;
  }
  const std::size_t before = problems.size();
  const YamlNode given =
      read_entries(value, path, problems,
                   [&](const std::string& name, const YamlNode& key, const YamlNode& formula) {
                     if (key.text == "value" || key.text == "factor")
                       return resolved(formula_text(), formula, name, problems);
                     add(problems, key, name, "unknown key (expected value or factor)");
                     return formula;
                   });
  const YamlNode* const law_value = child_of(given, "value");
  const YamlNode* const factor = child_of(given, "factor");
  if (problems.size() > before) return given;
  if (law_value == nullptr || factor == nullptr) {
    add(problems, value, path, "expected both value and factor, of " + relation("factor", "value"));
    return given;
  }
  YamlNode both = map_with(value, "value", *law_value);
  append_entry(both, "factor", *factor);
  return both;
}

// Reads a law. Unless `of_field` (the law of one field), it may be a map from fields to laws.
YamlNode read_law(const YamlNode& node, const std::string& path, bool of_field,
                  YamlProblems& problems) {
  const auto wrong = [&](const std::string& what) {
    add(problems, node, path, what);
    return node;
  };
  if (!node.refused.empty())
    return wrong(fmt::format("found {} (write the condition itself)", node.refused));
  if (node.kind == YamlNode::Kind::scalar) {
    if (read_number(node.text).real)
      return map_with(node, name_of(LawKind::value), text_node(node.text, node.position));
    if (node.text == "periodic")
      return wrong(
          "found periodic, which is of both sides and of all fields (write it for the axis)");
    const std::optional<LawKind> kind = kind_in(words_of_zero, node.text);
    if (!kind) return wrong(fmt::format("found {} (expected {})", shown(node.text), law_words()));
    return map_with(node, name_of(*kind), text_node("0", node.position));
  }
  if (node.kind != YamlNode::Kind::map || node.children.empty())
    return wrong(fmt::format("expected {}", law_words()));
  std::optional<LawKind> kind = law_kind(node.children[0].text);
  if (!kind && node.children.size() == 4) kind = law_kind(node.children[2].text);
  const YamlNode* const at = child_of(node, "at");
  if (kind == LawKind::value && at && node.children.size() == 4) {
    if (at->text != "face" && at->text != "node" && at->text != "ghost")
      return wrong(
          fmt::format("at: found {} (expected face, node, or ghost for one cell outside the "
                      "last node, which is where a value holds by default)",
                      shown(at->text)));
    const bool at_is_last = law_kind(node.children[0].text).has_value();
    const YamlNode& value = node.children[at_is_last ? 1 : 3];
    YamlNode law =
        map_with(node, "value", resolved(formula_text(), value, path + ".value", problems));
    if (at->text != "ghost") append_entry(law, "at", *at);
    return law;
  }
  const auto is_condition = [&](std::size_t i) {
    const auto of = law_kind(node.children[i].text);
    return of && !is_of_field(node.children[i + 1], *of);
  };
  if (!of_field && !at) {
    bool all = true;
    for (std::size_t i = 0; i < node.children.size(); i += 2) all = all && is_condition(i);
    if (!all) kind.reset();  // names of conditions among them are those of fields
  }
  if (kind && node.children.size() == 2) {
    const YamlNode& value = node.children[1];
    const std::string name = below(path, node.children[0].text);
    const LawRow& row = row_of(*kind);
    return map_with(node, row.name,
                    row.takes_factor() ? read_factors(value, name, row, problems)
                                       : resolved(formula_text(), value, name, problems));
  }
  if (const YamlNode& key = node.children[0];
      !kind && !of_field && node.children.size() == 2 && !is_map(node.children[1])) {
    std::vector<std::string> names;
    for (const ConditionWord& known : names_of_conditions) names.emplace_back(known.word);
    const std::string near = nearest_word(key.text, names);
    if (!near.empty() && read_number(node.children[1].text).real) {
      add(problems, key, below(path, key.text), fmt::format("unknown (did you mean {}?)", near));
      return node;
    }
  }
  if (kind || of_field) return wrong(fmt::format("expected one condition: {}", law_words()));
  return read_entries(node, path, problems,
                      [&](const std::string& name, const YamlNode&, const YamlNode& law) {
                        return read_law(law, name, true, problems);
                      });
}

YamlNode read_laws(const YamlNode& node, const std::string& path, YamlProblems& problems) {
  const YamlNode given = read_entries(
      node, path, problems, [&](const std::string& name, const YamlNode& key, const YamlNode& law) {
        if (key.text == "first" || key.text == "last") return read_law(law, name, false, problems);
        add(problems, key, name, "unknown key (expected first or last, the sides of the axis)");
        return law;
      });
  YamlNode sides = empty_node(YamlNode::Kind::map, node.position);
  for (const char* const side : {"first", "last"}) {
    if (const YamlNode* const law = child_of(given, side))
      append_entry(sides, side, *law);
    else
      add(problems, node, side,
          fmt::format(
              "missing (expected a condition at {}, or one for both sides)",
              std::string_view(side) == "first" ? "left, bottom or back" : "right, top or front"));
  }
  return sides;
}

// Adds the laws in a node, of all fields or of some, as laws of the side `of`.
void add_laws(const SideLaw& of, const YamlNode& node, std::vector<SideLaw>& laws) {
  const auto add_law = [&](const std::string& field, const YamlNode& law) {
    const YamlNode& value = law.children[1];
    SideLaw& added = laws.emplace_back(of);
    added.array = field;
    const YamlNode* const at = child_of(law, "at");
    added.kind = !at                  ? *law_kind(law.children[0].text)
                 : at->text == "node" ? LawKind::value_at_node
                                      : LawKind::value_at_face;
    const bool two = row_of(added.kind).takes_factor();
    added.value = (two ? *child_of(value, "value") : value).text;
    if (two) added.factor = child_of(value, "factor")->text;
  };
  // The law of a single field is also a map; its first key is the name of a law.
  if (is_law(node))
    add_law("", node);
  else
    for_each_entry(node, add_law);
}

}  // namespace

Schema axis_laws() {
  return {{OwnForm{"a condition or a map of first and last with one each", read_laws,
                   [] {
                     return nlohmann::ordered_json{{"type", "object"}};
                   }}},
          {}};
}

Schema rim_laws() {
  return {{OwnForm{law_words(true),
                   [](const YamlNode& node, const std::string& path, YamlProblems& problems) {
                     return read_law(node, path, false, problems);
                   },
                   [] {
                     return nlohmann::ordered_json{
                         {"anyOf", {json_schema(finite_real()), {{"type", {"string", "object"}}}}}};
                   }}},
          {}};
}

bool is_side_condition(const YamlNode& scalar) {
  return law_kind(scalar.text) ? kind_in(words_of_zero, scalar.text).has_value()
                               : read_number(scalar.text).real.has_value();
}

bool is_condition_word(const std::string& word) { return word == "at" || law_kind(word); }

std::vector<SideLaw> laws_in(const YamlNode& map, int axis) {
  std::vector<SideLaw> laws;
  for_each_entry(map, [&](const std::string& side, const YamlNode& of_side) {
    add_laws({.axis = axis, .last = side == "last"}, of_side, laws);
  });
  return laws;
}

std::vector<SideLaw> rim_laws_in(const YamlNode& node) {
  std::vector<SideLaw> laws;
  add_laws({.of_mask = true}, node, laws);
  return laws;
}

}  // namespace lapl
