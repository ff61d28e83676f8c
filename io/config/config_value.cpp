// ReadValue values. What is wrong with a value is said by the first of the type's forms that
// recognises what was meant, such as a quoted number; else by the description of the whole type.
#include "io/config/config_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>

#include "io/config/config_number.hpp"
#include "io/config/config_text.hpp"
#include "io/config/filter_keys.hpp"

namespace lapl {
namespace {

/// A value, or what is wrong: empty where the form does not recognise the node at all.
using ReadValue = std::variant<std::string, Value>;

std::string found(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null: return "found null";
    case YamlNode::Kind::list: return "found a list";
    case YamlNode::Kind::map: return "found a map";
    case YamlNode::Kind::scalar: break;
  }
  const std::string text = shown(node.text);
  return "found " + (node.quoted ? '"' + text + '"' : text);
}

std::string out_of_range(const YamlNode& node, const Form& form) {
  return fmt::format("{}, out of range (expected {})", found(node), description({{form}, {}}));
}

/// The number in a node; `wrong` is set where a number seems meant that is not a plain decimal.
std::pair<NumberText, std::string> number_in(const YamlNode& node) {
  NumberText number = read_number(node.text);
  std::string wrong;
  if (node.quoted && number.real) {
    wrong = fmt::format("{}, quoted (write {})", found(node), node.text);
  } else if (!number.fault.empty()) {
    wrong = found(node) + number.fault;
  }
  if (node.quoted) number = {};
  return {number, wrong};
}

ReadValue read(const NullForm&, const YamlNode&) { return Value(Null{}); }

ReadValue read(const WordForm& form, const YamlNode& node) {
  const auto& words = form.words;
  if (std::find(words.begin(), words.end(), node.text) != words.end()) return Value(node.text);
  return {};
}

ReadValue read(const IntegerForm& form, const YamlNode& node) {
  const auto [number, wrong] = number_in(node);
  if (!number.real) return wrong;
  if (!number.whole)
    return fmt::format("{}, not an integer (expected {})", found(node), description({{form}, {}}));
  if (!number.integer || *number.integer < form.low || *number.integer > form.high)
    return out_of_range(node, form);
  return Value(*number.integer);
}

ReadValue read(const RealForm& form, const YamlNode& node) {
  const auto [number, wrong] = number_in(node);
  if (!number.real) return wrong;
  const double value = *number.real;
  if (value < form.low || value > form.high || (form.above && value == form.low))
    return out_of_range(node, form);
  return Value(value);
}

ReadValue read(const TextForm&, const YamlNode& node) {
  if (node.text.empty()) return std::string("found an empty text (expected a text)");
  // A quoted "\0" gets past the check of the file's bytes and would cut a path short.
  if (!is_clean_line(node.text))
    return found(node) + " (expected one line without control characters)";
  const NumberText number = read_number(node.text);
  const bool is_number = number.real || !number.fault.empty();
  if (!node.quoted && (is_number || is_reserved_word(node.text))) {
    return fmt::format("{0}, which YAML reads as a {1} (quote it: \"{2}\")", found(node),
                       is_number ? "number" : "truth value", shown(node.text));
  }
  return Value(node.text);
}

ReadValue read(const DurationForm& form, const YamlNode& node) {
  const std::optional<double> seconds = read_duration(node.text);
  if (!seconds) {
    if (node.quoted || !read_number(node.text).real) return {};
    return fmt::format("found {0}, without a unit (write {0}s, {0}m or {0}h)", shown(node.text));
  }
  static const std::regex allowed(duration_pattern);
  constexpr std::size_t longest = 40;  // characters; std::regex goes as deep as a text is long
  if (node.text.size() > longest || !std::regex_match(node.text, allowed))
    return out_of_range(node, form);
  return Value(Duration{*seconds});
}

ReadValue read(const FormulaForm&, const YamlNode& node) {
  if (node.text.empty()) return std::string("found an empty text (expected a formula)");
  if (first_bad_byte(node.text) < node.text.size())
    return found(node) + " (expected a formula without control characters)";
  return Value(node.text);
}

ReadValue read(const MapForm&, const YamlNode&) { return {}; }  // of maps alone: read_value

// Only reached inside of lists and beside other forms, where no type has it.
ReadValue read(const FiltersForm&, const YamlNode&) { return {}; }

/// What other programs call it.
constexpr std::pair<std::string_view, std::string_view> other_words[] = {
    {"dirichlet", "zero"},  {"neumann", "insulated"}, {"no-flux", "insulated"},
    {"cyclic", "periodic"}, {"wrap", "periodic"},     {"float", "float32"},
    {"single", "float32"},  {"double", "float64"},    {"gpu", "cuda"},
    {"picture", "image"},   {"png", "image"},         {"netcdf", "hdf5"},
    {"constant", "uniform"}};

/// The word of the type that another one stands for or that a misspelt one is nearest to, as a
/// suggestion; empty without one.
std::string suggestion(const ValueType& type, const YamlNode& node) {
  std::string near;
  for (const Form& form : type.forms) {
    const auto* const words = std::get_if<WordForm>(&form);
    if (words == nullptr) continue;
    for (const auto& [other, meant] : other_words)
      if (edit_distance(node.text, other, 0) == 0 && std::ranges::count(words->words, meant) > 0)
        near = meant;
    if (near.empty()) near = nearest_word(node.text, words->words);
  }
  return near.empty() ? near : fmt::format("; did you mean {}?", near);
}

YamlProblem refused_value(const YamlNode& node) {
  return {node.position, fmt::format("found {} (write the value itself)", node.refused)};
}

/// The value, or the first thing that is wrong with it.
using ValueOrProblem = std::variant<Value, YamlProblem>;

/// A single value, whether on its own or in a list.
ValueOrProblem read_single(const ValueType& type, const YamlNode& node) {
  const bool is_null = node.kind == YamlNode::Kind::null;
  std::string wrong;
  if (is_null || node.kind == YamlNode::Kind::scalar) {
    for (const Form& form : type.forms) {
      if (std::holds_alternative<NullForm>(form) != is_null) continue;
      ReadValue reading = std::visit([&](const auto& known) { return read(known, node); }, form);
      if (auto* const value = std::get_if<Value>(&reading)) return std::move(*value);
      if (wrong.empty()) wrong = std::get<std::string>(reading);
    }
  }
  if (wrong.empty()) {
    const ValueType single{type.forms, {}};
    wrong =
        fmt::format("{} (expected {}{})", found(node), description(single), suggestion(type, node));
  }
  return YamlProblem{node.position, wrong};
}

/// The elements, all of the same type, as one value.
Value gather(const std::vector<Value>& elements) {
  if (elements.empty()) return std::vector<std::string>{};
  return std::visit(
      [&](const auto& first) -> Value {
        using Element = std::decay_t<decltype(first)>;
        if constexpr (std::is_constructible_v<Value, std::vector<Element>>) {
          std::vector<Element> values;
          for (const Value& element : elements) values.push_back(std::get<Element>(element));
          return values;
        } else {
          return Null{};  // no list in the key table has such elements
        }
      },
      elements.front());
}

ValueOrProblem read_list(const ValueType& type, const YamlNode& node) {
  const std::string expected = description(type);
  if (node.kind != YamlNode::Kind::list) {
    return YamlProblem{node.position, fmt::format("{} (expected {})", found(node), expected)};
  }
  const std::size_t count = node.children.size();
  if (count < type.list->low || count > type.list->high) {
    return YamlProblem{node.position, fmt::format("found {} value{} (expected {})", count,
                                                  count == 1 ? "" : "s", expected)};
  }
  std::vector<Value> elements;
  std::set<std::string> names;
  for (const YamlNode& child : node.children) {
    if (!child.refused.empty()) return refused_value(child);
    auto element = read_single(type, child);
    if (std::holds_alternative<YamlProblem>(element)) return element;
    elements.push_back(std::get<Value>(std::move(element)));
    if (const auto* const name = std::get_if<std::string>(&elements.back());
        name && !names.insert(*name).second)
      return YamlProblem{child.position, fmt::format("found {} twice (expected each once)", *name)};
  }
  return gather(elements);
}

}  // namespace

std::variant<Value, YamlProblems> read_value(const ValueType& type, const YamlNode& node) {
  if (!node.refused.empty()) return YamlProblems{refused_value(node)};
  if (std::holds_alternative<FiltersForm>(type.forms.front())) {
    auto [filters, problems] = read_filters(node);
    if (!problems.empty()) return problems;
    return filters;
  }
  if (node.kind == YamlNode::Kind::map)
    for (const Form& form : type.forms)
      if (const auto* const map = std::get_if<MapForm>(&form)) return map->read(node);
  const bool single = !type.list || (type.or_single && node.kind != YamlNode::Kind::list);
  ValueOrProblem reading =
      single ? read_single(type, node) : read_list({type.forms, type.list}, node);
  if (auto* const problem = std::get_if<YamlProblem>(&reading)) return YamlProblems{*problem};
  return std::get<Value>(std::move(reading));
}

}  // namespace lapl
