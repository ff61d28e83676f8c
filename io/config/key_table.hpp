// Tables of keys: one row per key of a map, for the sections of a run config, a filter, and the
// config of `lapl filter`. A row (Key) is a KeyRow and the place where its value is stored.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "io/config/config_number.hpp"
#include "io/config/schema.hpp"
#include "solver/initial_field.hpp"

namespace lapl {

/// Stores a resolved value in its target.
template <class Target>
using Store = std::function<void(Target&, const YamlNode&)>;

/// A row of a key table.
template <class Target>
struct Key : KeyRow {
  Key(KeyRow row, Store<Target> put_value = {})
      : KeyRow(std::move(row)), put(std::move(put_value)) {}

  Store<Target> put;  ///< empty: nothing is stored
};

template <class Target>
using KeyTable = std::vector<Key<Target>>;

/// The rows of a table without their stores.
template <class Target>
std::vector<KeyRow> key_rows(const KeyTable<Target>& keys) {
  return {keys.begin(), keys.end()};
}

/// The schema of a map with these keys.
template <class Target>
Schema map_schema(const KeyTable<Target>& keys, std::string description = "",
                  std::vector<StandIn> stand_ins = {}) {
  return {{MapForm{{key_rows(keys)}, std::move(description), std::move(stand_ins)}}, {}};
}

/// Stores all values of a map, whose keys are all in the table, in `target`.
template <class Target>
void put_map(const KeyTable<Target>& keys, Target& target, const YamlNode& map) {
  for (const Key<Target>& key : keys)
    if (const YamlNode* const value = find_child(map, key.name)) key.put(target, *value);
}

// Converts a resolved value to the type that its key stores.
inline void assign(std::string& target, const YamlNode& node) { target = node.text; }
inline void assign(FormulaText& target, const YamlNode& node) { target = node.text; }
inline void assign(bool& target, const YamlNode& node) { target = node.text == "true"; }
inline void assign(std::int64_t& target, const YamlNode& node) {
  target = *read_number(node.text).integer;
}
inline void assign(std::uint64_t& target, const YamlNode& node) {
  target = static_cast<std::uint64_t>(*read_number(node.text).integer);
}
/// A number of threads; the word auto is 0.
inline void assign(int& target, const YamlNode& node) {
  target = static_cast<int>(read_number(node.text).integer.value_or(0));
}
/// A number, or a duration in seconds.
inline void assign(double& target, const YamlNode& node) {
  const std::optional<double> seconds = read_duration(node.text);
  target = seconds ? *seconds : *read_number(node.text).real;
}
inline void assign(Cadence& target, const YamlNode& node) {
  target = {.steps = read_number(node.text).integer, .seconds = read_duration(node.text)};
}
template <class T>
requires std::is_enum_v<T>
void assign(T& target, const YamlNode& node) {
  for (const auto& row : name_table<T>)
    if (node.text == row.name) target = row.value;
}
/// None for the word auto.
inline void assign(std::optional<Precision>& target, const YamlNode& node) {
  target.reset();
  if (node.text != "auto") assign(target.emplace(), node);
}
template <class T>
void assign(std::vector<T>& target, const YamlNode& node);
template <class T>
void assign(std::optional<T>& target, const YamlNode& node) {
  target.reset();
  if (node.kind != YamlNode::Kind::null) assign(target.emplace(), node);
}
template <class T>
void assign(std::vector<std::pair<std::string, T>>& target, const YamlNode& node) {
  target.clear();
  for_each_entry(node, [&](const std::string& name, const YamlNode& value) {
    assign(target.emplace_back(name, T()).second, value);
  });
}
template <class T>
void assign(std::vector<T>& target, const YamlNode& node) {
  target.clear();
  for (const YamlNode& child : node.children) assign(target.emplace_back(), child);
}
/// Fills the last elements: a grid of two axes sets rows and columns of an array that begins with
/// planes.
template <class T, std::size_t count>
void assign(std::array<T, count>& target, const YamlNode& node) {
  auto at = target.end() - std::ssize(node.children);
  for (const YamlNode& child : node.children) assign(*at++, child);
}
inline void assign(Shape& target, const YamlNode& node) {
  std::vector<std::int64_t> extents;
  assign(extents, node);
  target = Shape::of(extents);
}
inline void assign(Spacing& target, const YamlNode& node) {
  std::vector<double> given(1);
  if (node.kind == YamlNode::Kind::list)
    assign(given, node);
  else
    assign(given.front(), node);
  target = Spacing::of(given);
}

/// A store into a member of the target, or of a part of it.
template <class T, class Target>
Store<Target> store(T Target::*member) {
  return [member](Target& target, const YamlNode& node) { assign(target.*member, node); };
}
template <class T, class Section, class Target>
Store<Target> store(Section Target::*part, T Section::*member) {
  return
      [part, member](Target& target, const YamlNode& node) { assign(target.*part.*member, node); };
}

}  // namespace lapl
