#include "io/config/equation_forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <optional>
#include <vector>

#include "io/config/config_number.hpp"
#include "io/config/config_text.hpp"
#include "solver/equation/formula_mistakes.hpp"
#include "solver/names.hpp"

namespace lapl {
namespace {

// True for a key of section equation that names a field, where no other key lists the fields. A
// misspelt key names none: `knd: formula`, `lte: {a: u}`, `coeficient: 0.2`.
bool may_be_field(const Given& given) {
  const std::string name = entry_in("equation", given);
  if (!is_plain_name(name) || is_key_beside_rates(name)) return false;
  if (given.node.kind == YamlNode::Kind::map && find_child(given.node, "next")) return true;
  if (!is_bare(given.node)) return false;
  const std::string near = nearest_word(name, keys_beside_rates(), 0);
  const bool is_kind = !nearest_word(given.node.text, names_in(name_table<EquationKind>)).empty();
  return near.empty() || near == "let" || near == "after" || (near == "kind" && !is_kind);
}

bool has_word(std::string_view text, std::string_view word) {
  const auto is_part = [&](std::size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
  };
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1))
    if ((at == 0 || !is_part(at - 1)) && !is_part(at + word.size())) return true;
  return false;
}

// Calls `use` with the name of each field that equation.let has an equation for.
void for_each_solved(const Given& given, const std::function<void(const std::string&)>& use) {
  if (given.name == "equation.let" && given.node.kind == YamlNode::Kind::map)
    for_each_entry(given.node, [&](const std::string& name, const YamlNode& value) {
      lapl::for_each_solved(name, value, use);
    });
}

}  // namespace

void check_numbers(const GivenKeys& keys, bool has_initial, Mistakes& mistakes) {
  std::vector<const Given*> rates;
  for (const Given& given : keys.keys)
    if (may_be_field(given) && is_bare(given.node)) rates.push_back(&given);
  for (const Given* const rate : rates) {
    const std::string name = entry_in("equation", *rate);
    const bool is_read = std::ranges::any_of(rates, [&](const Given* other) {
      return other != rate && has_word(other->node.text, name);
    });
    if (read_number(rate->node.text).real.value_or(0) == 0 ||
        last_given(keys, "initial." + name) != nullptr ||
        !(is_read || (rates.size() == 1 && !has_initial)))
      continue;
    mistakes.add(rate->key_place, rate->name,
                 fmt::format("found the number {} as the rate of a field (expected a formula; a "
                             "number is equation.coefficient or stands in parameters; a field that "
                             "grows at this rate has initial.{})",
                             rate->node.text, name));
  }
}

void write_out_equation(GivenKeys& keys, bool has_fields, bool has_kind) {
  YamlNode fields = empty_node(YamlNode::Kind::list, {});
  std::optional<Given> first;
  const auto add = [&](const Given& given, const std::string& name) {
    if (!first) first = given;
    if (std::ranges::count(fields.children, name, &YamlNode::text) == 0)
      fields.children.push_back(text_node(name, given.key_place.position));
  };
  for (const Given& given : keys.keys)
    if (may_be_field(given)) add(given, entry_in("equation", given));
  for (const Given& given : keys.keys)
    for_each_solved(given, [&](const std::string& name) { add(given, name); });
  if (!first) return;
  fields.position = first->key_place.position;
  if (!has_kind)
    keys.keys.push_back(following(*first, "equation.kind", plain_node("formula", fields.position)));
  if (!has_fields) keys.keys.push_back(following(*first, "fields", fields));
}

void add_solved_fields(GivenKeys& keys, const GivenKeys& with_equations) {
  for (Given& fields : keys.keys) {
    if (fields.name != "fields") continue;
    for (const Given& given : with_equations.keys)
      for_each_solved(given, [&](const std::string& name) {
        YamlNode& node = fields.node;
        if (std::ranges::count(node.children, name, &YamlNode::text) > 0) return;
        if (node.kind == YamlNode::Kind::map)
          append_entry(node, name, plain_node("real", node.position));
        else if (node.kind == YamlNode::Kind::list)
          node.children.push_back(text_node(name, node.position));
      });
  }
}

}  // namespace lapl
