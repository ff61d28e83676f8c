// Maps inside a config, such as a filter's, by a table of keys: one row a key.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "io/config/config_text.hpp"
#include "io/config/config_value.hpp"

namespace lapl {

template <class Target>
struct MapKey {
  std::string name;
  ValueType type;
  std::string preset;  ///< default as YAML, for people; empty: required
  std::string meaning;
  std::function<void(Target&, const Value&)> put = {};
  /// Reads the node itself instead, where a type cannot describe it; returns what is wrong.
  std::function<std::string(Target&, const YamlNode&)> read = {};
};

/// Everything that is wrong, each with its place.
using YamlProblems = std::vector<YamlProblem>;

/// Stores the values of a map in `target`. `path` stands before the keys in messages.
template <class Target>
void read_map(const std::vector<MapKey<Target>>& keys, const YamlNode& node,
              const std::string& path, Target& target, YamlProblems& problems) {
  std::vector<std::string> names;
  for (const MapKey<Target>& key : keys) names.push_back(key.name);
  const std::string before = path.empty() ? "" : path + ".";
  if (!node.refused.empty() || node.kind != YamlNode::Kind::map) {
    problems.push_back(
        {node.position, fmt::format("{}: expected a map with keys of {}", path, either_of(names))});
    return;
  }
  std::set<std::string> given;
  for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
    const YamlNode &name = node.children[i], &value = node.children[i + 1];
    const auto key = std::ranges::find(keys, name.text, &MapKey<Target>::name);
    const auto add = [&](TextPosition position, const std::string& what) {
      problems.push_back({position, fmt::format("{}{}: {}", before, shown(name.text), what)});
    };
    if (!name.refused.empty() || name.kind != YamlNode::Kind::scalar || key == keys.end()) {
      const std::string near = nearest_word(name.text, names, 0);
      add(name.position, near.empty() ? fmt::format("unknown key (expected {})", either_of(names))
                                      : fmt::format("unknown key (did you mean {}?)", near));
    } else if (!given.insert(name.text).second) {
      add(name.position, "repeated (expected each key once)");
    } else if (key->read) {
      if (const std::string wrong = key->read(target, value); !wrong.empty())
        add(value.position, wrong);
    } else {
      const auto reading = read_value(key->type, value);
      if (const auto* const problem = std::get_if<YamlProblem>(&reading))
        add(problem->position, problem->what);
      else
        key->put(target, std::get<Value>(reading));
    }
  }
  for (const MapKey<Target>& key : keys)
    if (key.preset.empty() && !given.contains(key.name))
      problems.push_back({node.position, fmt::format("{}{}: missing", before, key.name)});
}

}  // namespace lapl
