// Building types of values, and what they and values say of themselves to people and programs.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "io/config/config_number.hpp"
#include "io/config/config_text.hpp"
#include "io/config/config_value.hpp"
#include "io/config/filter_keys.hpp"
#include "io/config/map_values.hpp"

namespace lapl {
namespace {

using nlohmann::ordered_json;

constexpr double unbounded = std::numeric_limits<double>::infinity();

std::string describe(const NullForm&) { return "null"; }
std::string describe(const WordForm& form) { return either_of(form.words); }
std::string describe(const IntegerForm& form) {
  return fmt::format("an integer from {} to {}", form.low, form.high);
}
std::string describe(const RealForm& form) {
  if (form.low == -unbounded) return "a finite number";
  if (form.above) return fmt::format("a number above {}", form.low);
  return fmt::format("a number from {} to {}", form.low, form.high);
}
std::string describe(const TextForm&) { return "a text"; }
std::string describe(const PathForm&) { return "the path of a file"; }
std::string describe(const DurationForm&) {
  return "a time such as 90s, 30m or 2h, at most 999999999s, 9999999m or 999999h";
}
std::string describe(const FiltersForm&) { return "a list of filters"; }
std::string describe(const FormulaForm&) { return "a formula"; }
std::string describe(const MapForm& form) { return form.description; }

ordered_json schema(const NullForm&) { return {{"type", "null"}}; }
ordered_json schema(const WordForm& form) {
  if (form.words == std::vector<std::string>{"true", "false"}) return {{"type", "boolean"}};
  return {{"enum", form.words}};
}
ordered_json schema(const IntegerForm& form) {
  return {{"type", "integer"}, {"minimum", form.low}, {"maximum", form.high}};
}
ordered_json schema(const RealForm& form) {
  constexpr double largest = std::numeric_limits<double>::max();
  ordered_json result = {{"type", "number"}};
  result[form.above ? "exclusiveMinimum" : "minimum"] = std::max(form.low, -largest);
  result["maximum"] = std::min(form.high, largest);
  return result;
}
ordered_json schema(const TextForm&) { return {{"type", "string"}, {"minLength", 1}}; }
ordered_json schema(const DurationForm&) {
  return {{"type", "string"}, {"pattern", duration_pattern}};
}
ordered_json schema(const FiltersForm&) { return {{"type", "array"}, {"items", filter_schema()}}; }

ordered_json schema(const FormulaForm&) { return {{"type", {"string", "number"}}}; }
ordered_json schema(const MapForm& form) { return form.schema(); }

struct YamlWriter {
  std::string operator()(Null) const { return "null"; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return number_text(value); }
  std::string operator()(const std::string& value) const { return yaml_text(value); }
  std::string operator()(Duration value) const { return duration_text(value.seconds); }
  std::string operator()(const FilterConfig& value) const { return yaml_of(value); }
  std::string operator()(const AxisLaws& laws) const { return yaml_of(laws); }
  std::string operator()(const ParameterConfig& parameter) const { return yaml_of(parameter); }
  std::string operator()(const InitialMap& initial) const { return yaml_of(initial); }
  std::string operator()(const NamedFormulas& formulas) const { return yaml_of(formulas); }
  std::string operator()(const std::vector<DerivedConfig>& derived) const {
    return yaml_of(derived);
  }
  std::string operator()(PhysicalTime time) const {
    return fmt::format("{{time: {}}}", number_text(time.seconds));
  }
  std::string operator()(const ProbesConfig& probes) const { return yaml_of(probes); }
  template <class T>
  std::string operator()(const std::vector<T>& elements) const {
    std::string text = "[";
    for (const T& element : elements) text += (text.size() > 1 ? ", " : "") + (*this)(element);
    return text + ']';
  }
};

struct JsonWriter {
  ordered_json operator()(Null) const { return nullptr; }
  ordered_json operator()(Duration value) const { return duration_text(value.seconds); }
  ordered_json operator()(PhysicalTime time) const { return {{"time", time.seconds}}; }
  ordered_json operator()(const std::vector<FilterConfig>& filters) const {
    ordered_json list = ordered_json::array();
    for (const FilterConfig& filter : filters) list.push_back(yaml_of(filter));
    return list;
  }
  ordered_json operator()(const NamedFormulas&) const { return ordered_json::object(); }
  ordered_json operator()(const std::vector<DerivedConfig>&) const {
    return ordered_json::object();
  }
  template <class T>
  ordered_json operator()(const T& value) const {
    if constexpr (std::is_constructible_v<ordered_json, const T&>)
      return value;
    else
      return yaml_of(value);  // no key has one for its default
  }
};

}  // namespace

ValueType word(std::vector<std::string> words) { return {{WordForm{std::move(words)}}, {}}; }
ValueType integer(std::int64_t low, std::int64_t high) { return {{IntegerForm{low, high}}, {}}; }
ValueType real(double low, double high) { return {{RealForm{.low = low, .high = high}}, {}}; }
ValueType finite_real() { return real(-unbounded, unbounded); }
ValueType positive_real() { return {{RealForm{.low = 0, .high = unbounded, .above = true}}, {}}; }
ValueType text() { return {{TextForm{}}, {}}; }
ValueType path() { return {{PathForm{}}, {}}; }
ValueType duration() { return {{DurationForm{}}, {}}; }
ValueType filters() { return {{FiltersForm{}}, {}}; }

ValueType either(ValueType first, const ValueType& second) {
  first.forms.insert(first.forms.end(), second.forms.begin(), second.forms.end());
  return first;
}

ValueType null_or(const ValueType& type) { return either({{NullForm{}}, {}}, type); }

ValueType list(ValueType element, std::size_t low, std::size_t high) {
  element.list = ValueType::Count{low, high};
  return element;
}

ValueType one_or_list(ValueType element, std::size_t low, std::size_t high) {
  element = list(std::move(element), low, high);
  element.or_single = true;
  return element;
}

std::string description(const ValueType& type) {
  std::string single;
  for (const Form& form : type.forms) {
    if (!single.empty()) single += ", or ";
    single += std::visit([](const auto& known) { return describe(known); }, form);
  }
  if (!type.list) return single;
  const auto [low, high] = *type.list;
  if (type.or_single && high == 2) return single + ", or two";
  const std::string count = low == high         ? fmt::format("{}", low)
                            : high == any_count ? fmt::format("{} or more", low)
                                                : fmt::format("{} to {}", low, high);
  if (type.or_single) return fmt::format("{}, or a list of {}", single, count);
  return fmt::format("a list of {}, each {}", count, single);
}

std::string yaml_of(const Value& value) { return std::visit(YamlWriter{}, value); }

ordered_json json_of(const Value& value) { return std::visit(JsonWriter{}, value); }

ordered_json schema_of(const ValueType& type) {
  ordered_json forms = ordered_json::array();
  for (const Form& form : type.forms) {
    forms.push_back(std::visit([](const auto& known) { return schema(known); }, form));
  }
  const ordered_json single = forms.size() == 1 ? forms[0] : ordered_json{{"anyOf", forms}};
  if (!type.list) return single;
  ordered_json result = {{"type", "array"}, {"minItems", type.list->low}};
  if (type.list->high != any_count) result["maxItems"] = type.list->high;
  result["items"] = single;
  if (std::holds_alternative<WordForm>(type.forms.front())) result["uniqueItems"] = true;
  if (type.or_single) return {{"anyOf", {single, result}}};
  return result;
}

}  // namespace lapl
