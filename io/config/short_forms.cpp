#include "io/config/short_forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "io/config/boundary_laws.hpp"
#include "io/config/config_number.hpp"
#include "io/config/config_text.hpp"
#include "solver/equation/formula_mistakes.hpp"
#include "solver/names.hpp"

namespace lapl {
namespace {

using Sides = SideName::Sides;

// The name within a section; empty for other keys, and for dotted words of a file.
std::string entry_in(std::string_view section, const Given& given) {
  const KeyRow key{.name = given.name};
  const bool is_dotted = !given.word.empty() && given.word != key.entry();
  return key.section() != section || key.name == section || is_dotted ? ""
                                                                      : std::string(key.entry());
}

const Given* last_of(const GivenKeys& keys, std::string_view name) {
  const Given* found = nullptr;
  for (const Given& given : keys.keys)
    if (given.name == name) found = &given;
  return found;
}

// A key that is not written itself but follows from `source`.
Given following(const Given& source, std::string name, YamlNode node) {
  return {std::move(name), "", source.key_place, std::move(node)};
}

bool is_bare(const YamlNode& node) {
  return node.kind == YamlNode::Kind::scalar && node.refused.empty();
}

// True for a key of section equation that is a field where no other key names the fields. A
// misspelt key is none: `knd: formula`, `lte: {a: u}`, `coeficient: 0.2`.
bool may_be_field(const Given& given) {
  const std::string name = entry_in("equation", given);
  if (!is_plain_name(name) || is_key_beside_rates(name) || !is_bare(given.node)) return false;
  const std::string near = nearest_word(name, keys_beside_rates(), 0);
  const bool is_kind = !nearest_word(given.node.text, names_in(name_table<EquationKind>)).empty();
  return near.empty() || near == "let" || (near == "kind" && !is_kind);
}

// Adds the fields and the kind that rates imply.
void write_out_equation(GivenKeys& keys, bool has_fields, bool has_kind) {
  YamlNode fields = empty_node(YamlNode::Kind::list, {});
  std::optional<Given> first;
  for (const Given& given : keys.keys) {
    if (!may_be_field(given)) continue;
    if (!first) first = given;
    const std::string name = entry_in("equation", given);
    if (std::ranges::count(fields.children, name, &YamlNode::text) == 0)
      fields.children.push_back(text_node(name, given.key_place.position));
  }
  if (!first) return;
  fields.position = first->key_place.position;
  if (!has_kind)
    keys.keys.push_back(following(*first, "equation.kind", plain_node("formula", fields.position)));
  if (!has_fields) keys.keys.push_back(following(*first, "fields", fields));
}

// Seeds of initial formulas that stand alone: the section's for the first that draws, then the
// numbers after it, so that no two fields are equal.
class Seeds {
 public:
  explicit Seeds(const Given* given) {
    if (given != nullptr) first_ = read_number(given->node.text).integer.value_or(first_);
  }

  std::int64_t of(const std::string& field, const YamlNode& formula) {
    if (formula.text.find("random") == std::string::npos) return first_;
    return first_ + drawn_.try_emplace(field, std::ssize(drawn_)).first->second;
  }

 private:
  std::int64_t first_ = FractalParameters().seed;
  std::map<std::string, std::int64_t> drawn_;
};

// The map of a field's initial formula, which may stand alone, or without its kind.
YamlNode initial_map(const std::string& field, const YamlNode& node, Seeds& seeds) {
  if (!is_bare(node) && (!child_of(node, "formula") || child_of(node, "kind"))) return node;
  YamlNode map = empty_node(YamlNode::Kind::map, node.position);
  append_entry(map, "kind", plain_node("formula", node.position));
  if (is_bare(node)) {
    append_entry(map, "formula", node);
    append_entry(map, "seed", plain_node(std::to_string(seeds.of(field, node)), node.position));
  } else {
    map.children.insert(map.children.end(), node.children.begin(), node.children.end());
  }
  return map;
}

void write_out_initial(GivenKeys& keys, const ConfigNames& names, Seeds& seeds, bool has_kind) {
  std::vector<Given> made;
  for (const Given& given : keys.keys) {
    const std::string entry = entry_in("initial", given);
    const bool is_key = std::ranges::count(initial_keys(0), entry, &KeyRow::name) > 0;
    if (given.name == "initial" && is_bare(given.node)) {
      if (names.initial_by_field) {
        for (const std::string& field : names.fields)
          made.push_back(
              following(given, "initial." + field, initial_map(field, given.node, seeds)));
        continue;
      }
      made.push_back(following(given, "initial.kind", plain_node("formula", given.node.position)));
      made.push_back(following(given, "initial.formula", given.node));
      continue;
    }
    const Given& added = made.emplace_back(given);
    if (entry.empty() || entry == "let") continue;
    if (!is_key || (names.initial_by_field && entry != "seed"))
      made.back().node = initial_map(entry, given.node, seeds);
    else if (entry == "formula" && !has_kind)
      made.push_back(
          following(Given(added), "initial.kind", plain_node("formula", given.node.position)));
  }
  keys.keys = std::move(made);
}

// The key of each axis in section boundary, where it is given.
using Axes = std::array<std::optional<Given>, 3>;

std::string key_of_axis(int axis) {
  const auto name = std::ranges::find(side_names(), axis, &SideName::axis);
  return fmt::format("{}.{}", shorthand_section, name->name);
}

YamlNode both_sides(const YamlNode& condition) {
  YamlNode sides = empty_node(YamlNode::Kind::map, condition.position);
  append_entry(sides, "first", condition);
  append_entry(sides, "last", condition);
  return sides;
}

// The node of an axis, whose condition may stand once for both of its sides.
YamlNode axis_node(const YamlNode& node) {
  if (is_bare(node)) return is_side_condition(node) ? both_sides(node) : node;
  const bool is_map = node.kind == YamlNode::Kind::map && !node.children.empty();
  const bool of_sides = child_of(node, "first") || child_of(node, "last");
  return is_map && !of_sides && node.refused.empty() ? both_sides(node) : node;
}

// The node of an axis with another condition at one side.
YamlNode with_side(const std::optional<Given>& axis, Sides side, const YamlNode& condition) {
  YamlNode sides = empty_node(YamlNode::Kind::map, condition.position);
  for (const auto& [name, of] : {std::pair("first", Sides::first), {"last", Sides::last}}) {
    if (of == side) {
      append_entry(sides, name, condition);
    } else if (axis) {
      const bool is_word = is_bare(axis->node) && axis->node.text != "periodic";
      const YamlNode* const other = is_word ? &axis->node : child_of(axis->node, name);
      if (other != nullptr) append_entry(sides, name, *other);
    }
  }
  return sides;
}

// Says that two names of the same side were given.
class SidesGiven {
 public:
  explicit SidesGiven(Mistakes& mistakes) : mistakes_(mistakes) {}

  void add(const SideName& name, const Given& given) {
    for (const Sides side : {Sides::first, Sides::last}) {
      if (name.sides != Sides::both && name.sides != side) continue;
      std::string& as = names_[{name.axis, side}];
      if (!as.empty() && as != given.name && given.key_place.in_file())
        mistakes_.add(given.key_place, given.name,
                      fmt::format("given besides {} (give one of them)", as));
      as = given.name;
    }
  }

 private:
  Mistakes& mistakes_;
  std::map<std::pair<int, Sides>, std::string> names_;
};

// Replaces the keys of section boundary by those of the table. `before` has the axes of the file,
// of which a setting may replace one side.
Axes write_out_boundary(GivenKeys& keys, const ConfigNames& names, const Axes& before,
                        Mistakes& mistakes) {
  std::vector<Given> made;
  Axes axes;
  SidesGiven sides(mistakes);
  std::optional<Given> everywhere;  // a condition of all fields, or of some by name
  for (const Given& given : keys.keys) {
    const std::string entry = entry_in(shorthand_section, given);
    const auto known = std::ranges::find(side_names(), entry, &SideName::name);
    const bool is_field = std::ranges::count(names.fields, entry) > 0 ||
                          std::ranges::count(names.quantities, entry) > 0;
    if (known != side_names().end()) {
      sides.add(*known, given);
      std::optional<Given>& axis = axes.at(known->axis);
      axis = following(given, key_of_axis(known->axis),
                       known->sides == Sides::both ? axis_node(given.node)
                                                   : with_side(axis ? axis : before.at(known->axis),
                                                               known->sides, given.node));
    } else if (given.name == shorthand_section && is_bare(given.node) &&
               is_side_condition(given.node)) {
      everywhere = given;
    } else if (is_field || is_condition_word(entry)) {
      if (!everywhere)
        everywhere = following(given, "", empty_node(YamlNode::Kind::map, given.node.position));
      append_entry(everywhere->node, entry, given.node);
    } else {
      made.push_back(given);
    }
  }
  for (int axis = 3 - names.axes; axis < 3 && everywhere; ++axis)
    if (!axes.at(axis))
      axes.at(axis) = following(*everywhere, key_of_axis(axis), both_sides(everywhere->node));
  for (const std::optional<Given>& axis : axes)
    if (axis) made.push_back(*axis);
  keys.keys = std::move(made);
  return axes;
}

}  // namespace

const std::vector<SideName>& side_names() {
  static const std::vector<SideName> names = {
      {"columns", 2}, {"x", 2}, {"left", 2, Sides::first},   {"right", 2, Sides::last},
      {"rows", 1},    {"y", 1}, {"bottom", 1, Sides::first}, {"top", 1, Sides::last},
      {"planes", 0},  {"z", 0}, {"back", 0, Sides::first},   {"front", 0, Sides::last}};
  return names;
}

ConfigNames write_out(GivenKeys& file, GivenKeys& settings, Mistakes& mistakes) {
  const auto given = [&](std::string_view name) {
    const Given* const found = last_of(settings, name);
    return found ? found : last_of(file, name);
  };
  const Given* const kind = given("equation.kind");
  const bool is_diffusion = given("equation.coefficient") || given("equation.diffusivity") ||
                            (kind && kind->node.text == name_of(EquationKind::diffusion));
  for (GivenKeys* const keys : {&file, &settings})
    if (!is_diffusion) write_out_equation(*keys, given("fields"), given("equation.kind"));
  ConfigNames names = names_in_config(file, settings);
  Seeds seeds(given("initial.seed"));
  const bool has_kind = given("initial.kind");
  Axes axes;
  for (GivenKeys* const keys : {&file, &settings}) {
    write_out_initial(*keys, names, seeds, has_kind);
    axes = write_out_boundary(*keys, names, axes, mistakes);
  }
  return names;
}

}  // namespace lapl
