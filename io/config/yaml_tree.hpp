// A YAML document as a small tree in which every node knows its line and column. Built from
// yaml-cpp's events, since its own tree hides repeated keys, quotes, anchors and tags.
#pragma once

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
  std::string text;     ///< of a scalar
  bool quoted = false;  ///< the scalar stands in quotes or is a block of text
  bool block = false;   ///< the list or map is written by indentation, not in brackets
  std::string refused;  ///< what it has that is not allowed ("an anchor"); empty: nothing
  std::vector<YamlNode> children;  ///< elements of a list; keys and values of a map in turn
};

/// The value of a key of a map; null where there is none.
const YamlNode* child_of(const YamlNode& map, std::string_view key);

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
