// A YAML document as a small tree in which every node knows its line and column. Built from
// yaml-cpp's events, since its own tree hides repeated keys, quotes, anchors and tags.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lapl {

/// Place in a text; both count from 1, columns in bytes.
struct TextPosition {
  int line = 1;
  int column = 1;
};

struct YamlNode {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  TextPosition position;
  std::string text;         ///< of a scalar
  bool quoted = false;      ///< the scalar stands in quotes or is a block of text
  bool block = false;       ///< the list or map is written by indentation, not in brackets
  bool names_file = false;  ///< of a scalar that a schema has read: it is the path of a file
  std::string refused;      ///< what it has that is not allowed ("an anchor"); empty: nothing
  std::vector<YamlNode> children;  ///< elements of a list; keys and values of a map in turn
};

/// The value of a key of a map; null where there is none.
const YamlNode* child_of(const YamlNode& map, std::string_view key);

/// Calls `take(key, value)` for each of a map whose keys are words.
template <class Take>
void for_each_entry(const YamlNode& map, const Take& take) {
  for (std::size_t i = 0; i + 1 < map.children.size(); i += 2)
    take(map.children[i].text, map.children[i + 1]);
}

/// Calls `take(name, key, value)` for each key of a map that is one word and given once; `name` has
/// `prefix` in front. What is wrong with the others goes to `add(position, name, what)`.
void for_each_key(
    const YamlNode& map, const std::string& prefix,
    const std::function<void(TextPosition, const std::string&, const std::string&)>& add,
    const std::function<void(const std::string&, const YamlNode&, const YamlNode&)>& take);

/// A node of its own, without children.
YamlNode empty_node(YamlNode::Kind kind, TextPosition position);
/// A scalar that is plain in YAML, as numbers are, or that is a text.
YamlNode plain_node(std::string text, TextPosition position);
YamlNode text_node(std::string text, TextPosition position);
void append_entry(YamlNode& map, const std::string& key, YamlNode value);

struct YamlProblem {
  TextPosition position;
  std::string what;
};

struct YamlDocument {
  YamlNode root;
  std::optional<YamlProblem> problem;  ///< where set, the root is not complete
};

/// Longest text that is parsed, in bytes.
inline constexpr std::size_t yaml_size_limit = 1 << 20;

/// Reads one document. Problems are bad syntax, a second document, nesting over 16 levels, text
/// that is too long, is not UTF-8 or holds control characters. Aliases are never expanded.
YamlDocument parse_yaml(std::string_view text);

}  // namespace lapl
