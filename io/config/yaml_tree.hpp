// A YAML document as a small tree whose nodes know their line and column. It is built from
// yaml-cpp's events, because yaml-cpp's own tree hides repeated keys, quotes, anchors and tags.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lapl {

/// A place in a text; line and column (in bytes) count from 1.
struct TextPosition {
  int line = 1;
  int column = 1;
};

struct YamlNode {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  TextPosition position;
  std::string text;                ///< of a scalar
  bool quoted = false;             ///< a scalar in quotes or a block of text
  bool block = false;              ///< a list or map written by indentation, not in brackets
  bool names_file = false;         ///< a scalar that its schema has read as the path of a file
  std::string refused;             ///< forbidden feature of the node ("an anchor"); empty: none
  std::vector<YamlNode> children;  ///< elements of a list; keys and values of a map, alternating
};

/// The value of a key in a map; null if the key is missing.
const YamlNode* find_child(const YamlNode& map, std::string_view key);

/// Calls `use(key, value)` for each entry of a map.
template <class Use>
void for_each_entry(const YamlNode& map, const Use& use) {
  for (std::size_t i = 0; i + 1 < map.children.size(); i += 2)
    use(map.children[i].text, map.children[i + 1]);
}

/// Calls `use(field)` for each field that an entry of equation.let has an equation for: of its
/// name, or those of its map `solve`.
void for_each_solved(const std::string& name, const YamlNode& entry,
                     const std::function<void(const std::string&)>& use);

/// Calls `use(name, key, value)` for each key of a map that is a single word and not repeated;
/// `name` is `prefix` + key. Calls `add(position, name, what)` for the mistake of any other key.
void for_each_key(
    const YamlNode& map, const std::string& prefix,
    const std::function<void(TextPosition, const std::string&, const std::string&)>& add,
    const std::function<void(const std::string&, const YamlNode&, const YamlNode&)>& use);

/// A new node without children.
YamlNode empty_node(YamlNode::Kind kind, TextPosition position);
/// A new scalar: written plain in YAML, as numbers are, or a text, in quotes if necessary.
YamlNode plain_node(std::string text, TextPosition position);
YamlNode text_node(std::string text, TextPosition position);
void append_entry(YamlNode& map, const std::string& key, YamlNode value);

/// A mistake in a document and its place.
struct YamlProblem {
  TextPosition position;
  std::string what;
};

/// A parsed text, or the first problem in it.
struct YamlDocument {
  YamlNode root;
  /// a mistake for each formula in { } or [ ] that its commas cut; `root` has the formula whole
  std::vector<YamlProblem> cut;
  std::optional<YamlProblem> problem;  ///< if set, the tree is incomplete
};

/// Largest text that is parsed, in bytes.
inline constexpr std::size_t yaml_size_limit = 1 << 20;

/// Reads one document. Problems are bad syntax, a second document, more than 16 levels of nesting,
/// and text that is too long, not UTF-8 or holds control characters. Aliases are never expanded.
YamlDocument parse_yaml(std::string_view text);

}  // namespace lapl
