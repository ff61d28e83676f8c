#include "io/config/yaml_tree.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "io/config/config_text.hpp"

namespace lapl {

void for_each_solved(const std::string& name, const YamlNode& entry,
                     const std::function<void(const std::string&)>& use) {
  if (entry.kind != YamlNode::Kind::map) return;
  const YamlNode* const solve = find_child(entry, "solve");
  if (solve == nullptr || solve->kind != YamlNode::Kind::map) return use(name);
  for_each_entry(*solve, [&](const std::string& field, const YamlNode&) { use(field); });
}
namespace {

constexpr std::size_t deepest_nesting = 16;  // levels; configs need 3

TextPosition text_position(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {mark.line + 1, mark.column + 1};
}

/// True for a tag in the text; yaml-cpp gives plain scalars the tag "?" and quoted ones "!".
bool is_explicit(const std::string& tag) { return !tag.empty() && tag != "?" && tag != "!"; }

/// A YAML feature that yaml-cpp accepts and configs do not.
struct Refusal : YAML::ParserException {
  using YAML::ParserException::ParserException;
};

class TreeBuilder : public YAML::EventHandler {
 public:
  YamlNode release_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) throw Refusal(mark, "a second document (expected one alone)");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    attach(make(YamlNode::Kind::null, mark, "", anchor));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    YamlNode node = make(YamlNode::Kind::null, mark, "", 0);
    node.refused = "an alias";
    attach(std::move(node));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode node = make(YamlNode::Kind::scalar, mark, tag, anchor);
    node.text = value;
    node.quoted = tag == "!";
    attach(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(make(YamlNode::Kind::list, mark, tag, anchor), mark, style);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(make(YamlNode::Kind::map, mark, tag, anchor), mark, style);
  }
  void OnMapEnd() override { close(); }

 private:
  static YamlNode make(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
                       YAML::anchor_t anchor) {
    YamlNode node;
    node.kind = kind;
    node.position = text_position(mark);
    if (is_explicit(tag)) node.refused = "a tag";
    if (anchor != 0) node.refused = "an anchor";
    return node;
  }
  void open(YamlNode node, const YAML::Mark& mark, YAML::EmitterStyle::value style) {
    if (open_.size() == deepest_nesting) {
      throw Refusal(mark, fmt::format("nested too deep (at most {} levels)", deepest_nesting));
    }
    node.block = style == YAML::EmitterStyle::Block;
    open_.push_back(std::move(node));
  }
  void close() {
    YamlNode node = std::move(open_.back());
    open_.pop_back();
    attach(std::move(node));
  }
  void attach(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    YamlNode& parent = open_.back();
    // yaml-cpp gives an empty value the position of the next token; its key has a better position.
    const bool is_value = parent.kind == YamlNode::Kind::map && parent.children.size() % 2 == 1;
    if (is_value && node.kind == YamlNode::Kind::null && node.refused.empty() &&
        node.position.line > parent.children.back().position.line) {
      node.position = parent.children.back().position;
    }
    parent.children.push_back(std::move(node));
  }

  YamlNode root_;
  std::vector<YamlNode> open_;  // open lists and maps, outermost first
  int documents_ = 0;
};

/// The first tab in the indentation of lines 1 to `last`; line 0 if there is none. YAML forbids
/// such tabs, but yaml-cpp reports them later, at another place.
TextPosition indenting_tab(std::string_view text, int last) {
  for (int line = 1; line <= last; ++line) {
    const std::size_t blank = std::min(text.find_first_not_of(' '), text.size());
    const std::size_t after = std::min(text.find_first_not_of(" \t", blank), text.size());
    const bool empty = after == text.size() || text[after] == '\n' || text[after] == '#';
    if (after > blank && !empty) return {line, static_cast<int>(blank) + 1};
    const std::size_t end = text.find('\n');
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
  }
  return {0, 0};
}

/// True for a plain scalar that opens more parentheses than it closes.
bool is_open(const YamlNode& node) {
  return node.kind == YamlNode::Kind::scalar && !node.quoted &&
         std::ranges::count(node.text, '(') > std::ranges::count(node.text, ')');
}

/// Joins the formulas in braces and brackets that commas cut: {value: max(a, b)} has the key
/// "b)" without a value.
void join_cut(YamlNode& node, std::vector<YamlProblem>& cut) {
  const bool is_map = node.kind == YamlNode::Kind::map;
  const std::size_t each = is_map ? 2 : 1;
  std::vector<YamlNode>& children = node.children;
  for (std::size_t i = each - 1; !node.block && i < children.size(); i += each) {
    YamlNode whole = children[i];
    std::size_t next = i + 1;
    for (; is_open(whole) && next + each <= children.size(); next += each) {
      const YamlNode& piece = children[next];
      if (piece.kind != YamlNode::Kind::scalar ||
          (is_map && children[next + 1].kind != YamlNode::Kind::null))
        break;
      whole.text += ", " + piece.text;
    }
    if (next == i + 1 || is_open(whole)) continue;
    cut.push_back(
        {whole.position, fmt::format("a comma ends the value inside {} (put the formula in quotes: "
                                     "\"{}\")",
                                     is_map ? "{ }" : "[ ]", whole.text)});
    children[i] = std::move(whole);
    children.erase(children.begin() + static_cast<std::ptrdiff_t>(i + 1),
                   children.begin() + static_cast<std::ptrdiff_t>(next));
  }
  for (YamlNode& child : children) join_cut(child, cut);
}

}  // namespace

YamlDocument parse_yaml(std::string_view text) {
  YamlDocument document;
  if (text.size() > yaml_size_limit) {
    document.problem = {{}, "found more than 1 MiB (expected at most that)"};
    return document;
  }
  if (const std::size_t bad = first_bad_byte(text); bad != text.size()) {
    const std::string_view before = text.substr(0, bad);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t line_start = before.rfind('\n') + 1;  // without a newline, npos + 1 is 0
    document.problem = {
        {static_cast<int>(line), static_cast<int>(bad - line_start) + 1},
        fmt::format("found byte 0x{:02X} (expected UTF-8 text without control characters)",
                    static_cast<unsigned char>(text[bad]))};
    return document;
  }
  // yaml-cpp accepts an unclosed quote if the input ends with a newline. After an appended comment
  // it reports the quote.
  std::istringstream stream(std::string(text) + (text.ends_with('\n') ? "#" : "\n#"));
  TreeBuilder builder;
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Refusal& refusal) {
    document.problem = {text_position(refusal.mark), refusal.msg};
  } catch (const YAML::Exception& error) {
    // yaml-cpp reports an undefined anchor before TreeBuilder sees the alias.
    const bool is_alias = error.msg.starts_with("the referenced anchor");
    const TextPosition tab = indenting_tab(text, text_position(error.mark).line);
    if (tab.line > 0)
      document.problem = {tab, "found a tab in the indentation (expected spaces)"};
    else
      document.problem = {
          text_position(error.mark),
          is_alias ? "found an alias (write the value itself)"
                   : fmt::format(
                         "not valid YAML: {} (expected matching indentation, brackets and quotes)",
                         error.msg)};
  }
  document.root = builder.release_root();
  join_cut(document.root, document.cut);
  return document;
}

const YamlNode* find_child(const YamlNode& map, std::string_view key) {
  if (map.kind != YamlNode::Kind::map) return nullptr;
  for (std::size_t i = 0; i + 1 < map.children.size(); i += 2)
    if (map.children[i].kind == YamlNode::Kind::scalar && map.children[i].text == key)
      return &map.children[i + 1];
  return nullptr;
}

void for_each_key(
    const YamlNode& map, const std::string& prefix,
    const std::function<void(TextPosition, const std::string&, const std::string&)>& add,
    const std::function<void(const std::string&, const YamlNode&, const YamlNode&)>& use) {
  std::map<std::string, TextPosition> seen;
  for (std::size_t i = 0; i + 1 < map.children.size(); i += 2) {
    const YamlNode& key = map.children[i];
    const std::string name = prefix + key.text;
    if (!key.refused.empty()) {
      add(key.position, name, fmt::format("a key with {} (write the key alone)", key.refused));
    } else if (key.kind != YamlNode::Kind::scalar) {
      add(key.position, prefix + "?", "a key that is not a word (expected `key: value`)");
    } else if (const auto [first, is_new] = seen.emplace(key.text, key.position); !is_new) {
      add(key.position, name, fmt::format("repeated (first given in line {})", first->second.line));
    } else {
      use(name, key, map.children[i + 1]);
    }
  }
}

YamlNode empty_node(YamlNode::Kind kind, TextPosition position) {
  YamlNode node;
  node.kind = kind;
  node.position = position;
  return node;
}

YamlNode plain_node(std::string text, TextPosition position) {
  YamlNode node = empty_node(YamlNode::Kind::scalar, position);
  node.text = std::move(text);
  return node;
}

YamlNode text_node(std::string text, TextPosition position) {
  YamlNode node = plain_node(std::move(text), position);
  node.quoted = true;
  return node;
}

void append_entry(YamlNode& map, const std::string& key, YamlNode value) {
  map.children.push_back(text_node(key, value.position));
  map.children.push_back(std::move(value));
}

}  // namespace lapl
