// Tables of keys: one row a key of a map, in a run config's sections, a filter and `lapl filter`'s
// config alike. Reading, --help, the JSON Schema and the references are all made from the rows.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "io/config/config_text.hpp"
#include "io/config/config_value.hpp"
#include "solver/initial_field.hpp"

namespace lapl {

/// Puts a checked value where it belongs.
template <class Target>
using Store = std::function<void(Target&, const Value&)>;

/// What a key is, whatever it is stored in.
struct KeyRow {
  std::string name;  ///< as its map has it; in the table of a run config section.entry
  ValueType type = {};
  std::string preset = {};              ///< default as YAML; empty: required
  std::string unit = {};                ///< empty: a plain number or a word
  std::string meaning = {};             ///< one line
  std::vector<std::string> kinds = {};  ///< values of `kind_key` with which it is read; empty: all
  std::string kind_key = {};            ///< empty: kind of its section

  bool is_required() const { return preset.empty(); }
  bool belongs_to(std::string_view kind) const {
    return kinds.empty() || std::ranges::find(kinds, kind) != kinds.end();
  }
  /// equation.kind of equation.let.
  std::string key_of_kind() const {
    return kind_key.empty() ? std::string(section()) + ".kind" : kind_key;
  }
  /// "time" of time.step; the name itself for filters, which stands in no section.
  std::string_view section() const { return std::string_view(name).substr(0, name.find('.')); }
  /// "step" of time.step.
  std::string_view entry() const { return std::string_view(name).substr(name.find('.') + 1); }
  /// The default as references have it.
  std::string preset_cell() const { return is_required() ? "required" : '`' + preset + '`'; }
};

/// Reads the node of a value that no type describes; `path` is the key's name in messages.
template <class Target>
using ReadNode = std::function<YamlProblems(Target&, const YamlNode&, const std::string& path)>;

template <class Target>
struct Key : KeyRow {
  Key(KeyRow row, Store<Target> put_value = {}, ReadNode<Target> read_node = {})
      : KeyRow(std::move(row)), put(std::move(put_value)), read(std::move(read_node)) {}

  Store<Target> put;      ///< empty: there is nothing to store
  ReadNode<Target> read;  ///< where there is one, it does what `type` and `put` do otherwise
};

template <class Target>
using KeyTable = std::vector<Key<Target>>;

/// The keys of a part of `Target` as keys of its section.
template <class Target, class Part>
void add_section(KeyTable<Target>& table, const std::string& prefix, Part Target::*part,
                 const KeyTable<Part>& keys) {
  for (const Key<Part>& key : keys) {
    Key<Target>& added = table.emplace_back(static_cast<const KeyRow&>(key));
    added.name = prefix + '.' + key.name;
    added.put = [part, put = key.put](Target& target, const Value& value) {
      put(target.*part, value);
    };
  }
}

/// A value as what its key stores, by the type of that.
template <class T>
void assign(T& target, const Value& value) {
  if constexpr (std::is_enum_v<T>) {
    for (const auto& row : name_table<T>)
      if (std::get<std::string>(value) == row.name) target = row.value;
  } else {
    target = std::get<T>(value);
  }
}
template <class T>
void assign(std::optional<T>& target, const Value& value) {
  if (std::holds_alternative<Null>(value)) return target.reset();
  T given{};
  assign(given, value);
  target = std::move(given);
}
inline void assign(FormulaText& target, const Value& value) {
  target = std::get<std::string>(value);
}
/// None for the word auto.
inline void assign(std::optional<Precision>& target, const Value& value) {
  target.reset();
  if (std::get<std::string>(value) != "auto") assign(target.emplace(), value);
}
/// A single value stands for both.
template <class T>
void assign(std::array<T, 2>& target, const Value& value) {
  const auto* const pair = std::get_if<std::vector<T>>(&value);
  target = pair ? std::array{pair->at(0), pair->at(1)}
                : std::array{std::get<T>(value), std::get<T>(value)};
}
/// The last of them: planes, rows, columns.
template <class T>
void assign(std::array<T, 3>& target, const Value& value) {
  const auto& given = std::get<std::vector<T>>(value);
  std::ranges::copy(given, target.end() - std::ssize(given));
}
inline void assign(Spacing& target, const Value& value) {
  const auto* const each = std::get_if<std::vector<double>>(&value);
  target = each ? Spacing::of(*each) : Spacing(std::get<double>(value));
}
inline void assign(bool& target, const Value& value) {
  target = std::get<std::string>(value) == "true";
}
inline void assign(std::uint64_t& target, const Value& value) {
  target = static_cast<std::uint64_t>(std::get<std::int64_t>(value));
}
/// Number of threads; the word auto is 0.
inline void assign(int& target, const Value& value) {
  const auto* const count = std::get_if<std::int64_t>(&value);
  target = count ? static_cast<int>(*count) : 0;
}
inline void assign(Shape& target, const Value& value) {
  target = Shape::of(std::get<std::vector<std::int64_t>>(value));
}
/// Seconds, for limits.wall_time.
inline void assign(double& target, const Value& value) {
  const auto* const duration = std::get_if<Duration>(&value);
  target = duration ? duration->seconds : std::get<double>(value);
}
inline void assign(Cadence& target, const Value& value) {
  target = {};
  if (const auto* const steps = std::get_if<std::int64_t>(&value)) target.steps = *steps;
  if (const auto* const time = std::get_if<Duration>(&value)) target.seconds = time->seconds;
}

/// Stores in a member of the target, or of a part of it.
template <class T, class Target>
Store<Target> store(T Target::*member) {
  return [member](Target& target, const Value& value) { assign(target.*member, value); };
}
template <class T, class Part, class Target>
Store<Target> store(Part Target::*part, T Part::*member) {
  return
      [part, member](Target& target, const Value& value) { assign(target.*part.*member, value); };
}

/// Calls `take(name, key, value)` for each key of a map that is one word and given once; `name` has
/// `prefix` in front. What is wrong with the others goes to `add(position, name, what)`.
void for_each_key(
    const YamlNode& map, const std::string& prefix,
    const std::function<void(TextPosition, const std::string&, const std::string&)>& add,
    const std::function<void(const std::string&, const YamlNode&, const YamlNode&)>& take);

/// Stores the values of a map in `target`; returns everything that is wrong. `path` stands before
/// the keys in messages.
template <class Target>
YamlProblems read_map(const KeyTable<Target>& keys, const YamlNode& node, const std::string& path,
                      Target& target) {
  YamlProblems problems;
  const auto add = [&](TextPosition position, const std::string& name, const std::string& what) {
    problems.push_back({position, fmt::format("{}: {}", shown(name), what)});
  };
  const std::vector<std::string> known = names_in(keys);
  if (!node.refused.empty() || node.kind != YamlNode::Kind::map) {
    add(node.position, path, fmt::format("expected a map with keys of {}", either_of(known)));
    return problems;
  }
  const std::string prefix = path.empty() ? "" : path + ".";
  std::set<std::string> given;
  for_each_key(node, prefix, add,
               [&](const std::string& name, const YamlNode& word, const YamlNode& value) {
                 given.insert(word.text);
                 const auto key = std::ranges::find(keys, word.text, &Key<Target>::name);
                 if (key == keys.end()) {
                   const std::string near = nearest_word(word.text, known, 0);
                   add(word.position, name,
                       near.empty() ? fmt::format("unknown key (expected {})", either_of(known))
                                    : fmt::format("unknown key (did you mean {}?)", near));
                   return;
                 }
                 if (key->read) {
                   for (YamlProblem& problem : key->read(target, value, name))
                     problems.push_back(std::move(problem));
                   return;
                 }
                 const auto reading = read_value(key->type, value);
                 if (const auto* const wrong = std::get_if<YamlProblems>(&reading))
                   for (const YamlProblem& problem : *wrong)
                     add(problem.position, name, problem.what);
                 else
                   key->put(target, std::get<Value>(reading));
               });
  for (const Key<Target>& key : keys)
    if (key.is_required() && key.kinds.empty() && !given.contains(key.name))
      add(node.position, prefix + key.name, "missing");
  return problems;
}

/// Rows of a Markdown table under this head; `prefix` stands before the keys.
inline constexpr std::string_view reference_head =
    "| key | value | default | meaning |\n|---|---|---|---|\n";
template <class Target>
std::string reference_rows(const std::string& prefix, const KeyTable<Target>& keys) {
  std::string text;
  for (const Key<Target>& key : keys)
    text +=
        fmt::format("| `{}{}` | {} | {} | {} |\n", prefix, key.name,
                    key.read ? "see right" : description(key.type), key.preset_cell(), key.meaning);
  return text;
}

}  // namespace lapl
