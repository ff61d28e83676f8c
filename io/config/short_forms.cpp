#include "io/config/short_forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "io/config/conditions.hpp"
#include "io/config/config_number.hpp"
#include "io/config/config_text.hpp"
#include "io/config/equation_forms.hpp"
#include "solver/equation/complex_parts.hpp"
#include "solver/equation/formula_mistakes.hpp"
#include "solver/names.hpp"

namespace lapl {
namespace {

using Sides = SideName::Sides;

// The map of a field's initial formula, which may be written alone, or as a map without `kind`;
// other nodes stay as they are. `random` has the seed of the section, where that is given.
YamlNode initial_map(const YamlNode& node, const std::optional<YamlNode>& seed) {
  if (!is_bare(node) && (!find_child(node, "formula") || find_child(node, "kind"))) return node;
  YamlNode map = empty_node(YamlNode::Kind::map, node.position);
  append_entry(map, "kind", plain_node("formula", node.position));
  if (is_bare(node))
    append_entry(map, "formula", node);
  else
    map.children.insert(map.children.end(), node.children.begin(), node.children.end());
  if (seed && !find_child(map, "seed")) append_entry(map, "seed", *seed);
  return map;
}

void write_out_initial(GivenKeys& keys, const ConfigNames& names,
                       const std::optional<YamlNode>& seed, bool has_kind) {
  std::vector<Given> made;
  for (const Given& given : keys.keys) {
    const std::string entry = entry_in("initial", given);
    const bool is_key = std::ranges::count(initial_keys(0), entry, &KeyRow::name) > 0;
    if (given.name == "initial" && is_bare(given.node)) {
      if (names.initial_by_field) {
        for (const std::string& field : names.fields)
          made.push_back(following(given, "initial." + field, initial_map(given.node, seed)));
        continue;
      }
      made.push_back(following(given, "initial.kind", plain_node("formula", given.node.position)));
      made.push_back(following(given, "initial.formula", given.node));
      continue;
    }
    const Given& added = made.emplace_back(given);
    if (entry.empty() || entry == "let") continue;
    if (entry == "from" && std::ranges::count(names.fields, entry) == 0) continue;
    if (!is_key || (names.initial_by_field && (entry != "seed" || !seed)))
      made.back().node = initial_map(given.node, seed);
    else if (entry == "formula" && !has_kind)
      made.push_back(
          following(Given(added), "initial.kind", plain_node("formula", given.node.position)));
  }
  keys.keys = std::move(made);
}

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

// The node, with the table's word in place of dirichlet or neumann.
YamlNode axis_word(YamlNode node) {
  for (const auto& [synonym, word] :
       {std::pair("dirichlet", Boundary::zero), {"neumann", Boundary::insulated}})
    if (node.text == synonym) node.text = enum_name(word);
  return node;
}
bool is_axis_word(const YamlNode& node) {
  return is_bare(node) && std::ranges::count(names_in(name_table<Boundary>), node.text) > 0;
}

// The side or axis of this name, or nullptr.
const SideName* find_side(std::string_view name) {
  const auto known = std::ranges::find(side_names(), name, &SideName::name);
  return known == side_names().end() ? nullptr : &*known;
}

// The node of an axis, with first and last as the names of its sides. One condition for the axis
// becomes that of both sides.
YamlNode axis_node(YamlNode node, int axis, const ConfigNames& names) {
  for (std::size_t key = 0; node.kind == YamlNode::Kind::map && key < node.children.size();
       key += 2) {
    std::string& name = node.children[key].text;
    const SideName* const side = find_side(name);
    if (side != nullptr && side->axis == axis && side->sides != Sides::both &&
        std::ranges::count(names.fields, name) == 0)
      name = side->sides == Sides::first ? "first" : "last";
  }
  if (is_bare(node)) {
    const YamlNode word = axis_word(node);
    return is_axis_word(word) || !is_side_condition(word) ? word : both_sides(word);
  }
  const bool is_map = node.kind == YamlNode::Kind::map && !node.children.empty();
  const bool of_sides = find_child(node, "first") || find_child(node, "last");
  return is_map && !of_sides && node.refused.empty() ? both_sides(node) : node;
}

// The condition of an axis at one of its sides; nullptr if there is none, or if it is periodic.
const YamlNode* at_side(const YamlNode& axis, const char* side) {
  if (is_bare(axis)) return axis.text == enum_name(Boundary::periodic) ? nullptr : &axis;
  return find_child(axis, side);
}

// The node of an axis with another condition at one side.
YamlNode with_side(const std::optional<Given>& axis, Sides side, const YamlNode& condition) {
  YamlNode sides = empty_node(YamlNode::Kind::map, condition.position);
  for (const auto& [name, of] : {std::pair("first", Sides::first), {"last", Sides::last}})
    if (of == side)
      append_entry(sides, name, condition);
    else if (const YamlNode* const other = axis ? at_side(axis->node, name) : nullptr)
      append_entry(sides, name, *other);
  return sides;
}

// Reports a second name of the same side in a file, such as left beside x.
class SidesGiven {
 public:
  explicit SidesGiven(Mistakes& mistakes) : mistakes_(mistakes) {}

  void add(const SideName& name, const Given& given) {
    for (const Sides side : {Sides::first, Sides::last}) {
      if (name.sides != Sides::both && name.sides != side) continue;
      std::string& as = names_[{name.axis, side}];
      const bool again = !as.empty() && as != given.name && given.key_place.in_file();
      const std::string other = std::exchange(as, given.name);
      if (!again) continue;
      mistakes_.add(given.key_place, given.name,
                    fmt::format("given besides {} (give one of them)", other));
      return;
    }
  }

 private:
  Mistakes& mistakes_;
  std::map<std::pair<int, Sides>, std::string> names_;
};

// Writes out section boundary of a file and of the settings: names of axes and of sides, and
// conditions of all fields or of some.
class BoundaryForms {
 public:
  BoundaryForms(const ConfigNames& names, Mistakes& mistakes)
      : names_(names), sides_(mistakes), mistakes_(mistakes) {}

  // Moves the short forms among `keys` here. A setting replaces the entry of the same name; a word
  // or number for the whole section replaces all entries.
  void add(GivenKeys& keys) {
    std::vector<Given> rest;
    for (Given& given : keys.keys) {
      const std::string entry = entry_in(shorthand_section, given);
      if (given.name == shorthand_section && is_bare(given.node)) {
        given.node = axis_word(given.node);
        given_.clear();
        whole_ = given;
        if (!is_side_condition(given.node)) rest.push_back(given);
      } else if (find_side(entry) != nullptr || is_of_fields(entry)) {
        const auto old = std::ranges::find(given_, given.name, &Given::name);
        const bool replaces = old != given_.end() && !given.key_place.in_file();
        if (replaces && find_side(entry) == nullptr) {
          *old = given;
        } else {
          if (replaces) given_.erase(old);
          given_.push_back(given);
        }
      } else {
        rest.push_back(given);
      }
    }
    keys.keys = std::move(rest);
  }

  // Adds the resulting keys of the table to the file's; an axis of which a setting is a part, to
  // those of the settings.
  // `radial`, if it is set, makes the left side the axis r = 0: insulated unless it has a condition
  // of its own.
  void write_out(GivenKeys& file, GivenKeys& settings, const Given* radial) {
    if (whole_ && is_side_condition(whole_->node)) everywhere_ = whole_;
    for (const Given& given : given_) apply(given);
    const bool is_zero = whole_ && whole_->node.text == enum_name(Boundary::zero);
    if (radial != nullptr && (!whole_ || everywhere_ || is_zero)) insulate_axis(*radial);
    bool is_used = false;
    for (int axis = 3 - names_.axes; axis < 3; ++axis) is_used = complete(axis) || is_used;
    const bool is_set = std::ranges::any_of(
        axes_, [](const auto& axis) { return axis && !axis->key_place.in_file(); });
    if (everywhere_ && !is_used && !is_set)
      mistakes_.add(everywhere_->key_place, everywhere_->name,
                    "no side is left for it (each has a condition of its own)");
    for (const std::optional<Given>& axis : axes_)
      if (axis) (axis->key_place.in_file() ? file : settings).keys.push_back(*axis);
  }

 private:
  bool is_of_fields(const std::string& entry) const {
    const auto is_part = [&](const std::string& field) {
      return std::ranges::count(part_names(field), entry) > 0;
    };
    return std::ranges::count(names_.fields, entry) > 0 ||
           std::ranges::count(names_.quantities, entry) > 0 ||
           std::ranges::any_of(names_.complex, is_part) || is_condition_word(entry);
  }

  void apply(const Given& given) {
    const std::string entry = entry_in(shorthand_section, given);
    if (const SideName* const side = find_side(entry)) {
      sides_.add(*side, given);
      std::optional<Given>& axis = axes_.at(side->axis);
      YamlNode node = side->sides == Sides::both ? axis_node(given.node, side->axis, names_)
                                                 : with_side(axis, side->sides, given.node);
      put(axis, following(given, key_of_axis(side->axis), std::move(node)),
          side->sides != Sides::both);
      return;
    }
    YamlNode node =
        everywhere_ ? everywhere_->node : empty_node(YamlNode::Kind::map, given.node.position);
    append_entry(node, entry, given.node);
    put(everywhere_,
        following(given, everywhere_ ? everywhere_->name : given.name, std::move(node)), true);
  }

  // Replaces `to`. If a setting is a part of the old node, the new node counts as set by it.
  static void put(std::optional<Given>& to, Given given, bool has_part) {
    if (has_part && to && !to->key_place.in_file()) given.key_place = to->key_place;
    to = std::move(given);
  }

  void insulate_axis(const Given& reason) {
    std::optional<Given>& axis = axes_.at(2);
    const std::string key = key_of_axis(2);
    if (axis && (is_bare(axis->node) || find_child(axis->node, "first"))) return;
    const auto word = [&](Boundary boundary) {
      return plain_node(enum_name(boundary), reason.node.position);
    };
    if (!axis && !everywhere_) axis = following(reason, key, both_sides(word(Boundary::zero)));
    const YamlNode sides = with_side(axis, Sides::first, word(Boundary::insulated));
    axis = following(axis ? *axis : reason, key, sides);
  }

  // Gives sides without a condition that of all sides; false if no side lacked one.
  bool complete(int index) {
    std::optional<Given>& axis = axes_.at(index);
    const std::optional<Given>& all = everywhere_ ? everywhere_ : whole_;
    if (!all) return false;
    if (!axis) {
      if (everywhere_) axis = following(*all, key_of_axis(index), both_sides(all->node));
      return true;
    }
    const bool first = at_side(axis->node, "first"), last = at_side(axis->node, "last");
    if (first == last || all->node.text == enum_name(Boundary::periodic)) return false;
    put(axis,
        following(*all, axis->name, with_side(axis, first ? Sides::last : Sides::first, all->node)),
        true);
    return true;
  }

  const ConfigNames& names_;
  SidesGiven sides_;
  Mistakes& mistakes_;
  std::vector<Given> given_;
  std::optional<Given> whole_;       // a word or condition in place of the section
  std::optional<Given> everywhere_;  // a condition of all fields, or of some by name
  std::array<std::optional<Given>, 3> axes_;
};

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
    const Given* const found = last_given(settings, name);
    return found ? found : last_given(file, name);
  };
  for (GivenKeys* const keys : {&file, &settings})
    for (Given& key : keys->keys)
      if (key.name == "time" && key.node.text == enum_name(Scheme::steady))
        key = following(key, "time.scheme", key.node);
  const Given* const kind = given("equation.kind");
  const bool is_diffusion = given("equation.coefficient") || given("equation.diffusivity") ||
                            (kind && kind->node.text == enum_name(EquationKind::diffusion));
  const bool has_initial = std::ranges::any_of(
      file.keys, [](const Given& key) { return KeyRow{.name = key.name}.section() == "initial"; });
  if (!is_diffusion && !given("fields")) check_numbers(file, has_initial, mistakes);
  for (GivenKeys* const keys : {&file, &settings})
    if (!is_diffusion) write_out_equation(*keys, given("fields"), given("equation.kind"));
  for (GivenKeys* const keys : {&file, &settings})
    for (const GivenKeys* const equations : {&file, &settings})
      add_solved_fields(*keys, *equations);
  ConfigNames names = names_in_config(file, settings);
  std::optional<YamlNode> seed;
  if (const Given* const key = given("initial.seed");
      key != nullptr && std::ranges::count(names.fields, "seed") == 0)
    seed = key->node;
  // A first guess; the equation determines the field.
  for (const std::string& field : names.solved)
    if (const Given* const equations = given("equation.let");
        names.initial_by_field && !given("initial") && !given("initial." + field))
      file.keys.push_back(
          following(*equations, "initial." + field, plain_node("0", equations->node.position)));
  const bool has_kind = given("initial.kind");
  BoundaryForms boundary(names, mistakes);
  for (GivenKeys* const keys : {&file, &settings}) {
    write_out_initial(*keys, names, seed, has_kind);
    boundary.add(*keys);
  }
  const auto is_zero_along_r = [&](const Given* origin) {
    if (origin == nullptr) return true;
    const bool is_list =
        origin->node.kind == YamlNode::Kind::list && !origin->node.children.empty();
    return read_number((is_list ? origin->node.children.back() : origin->node).text).real == 0;
  };
  const Given* const coordinates = given("grid.coordinates");
  const bool has_axis = coordinates &&
                        coordinates->node.text != enum_name(Coordinates::cartesian) &&
                        is_zero_along_r(given("grid.origin"));
  boundary.write_out(file, settings, has_axis ? coordinates : nullptr);
  return names;
}

}  // namespace lapl
