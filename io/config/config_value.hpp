// Types of config values. A type reads a YAML node, describes itself to people ("an integer from 1
// to 1024") and to programs (JSON Schema), so that a row of the key table says it once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "io/config/yaml_tree.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// A checked value. null stands for "none".
/// Its copy is not trivial, for the sake of Value's: libstdc++ (12 at least) takes a variant of
/// trivial types, strings and vectors for one that always holds a value, and where a copy runs out
/// of memory it then destroys what was never made.
struct Null {
  Null() = default;
  Null(const Null&) {}
  Null& operator=(const Null&) { return *this; }
};
struct Duration {
  double seconds = 0;
};
/// A time of the model, in place of a number of steps.
struct PhysicalTime {
  double seconds = 0;
};
/// Laws of the sides of one axis; their `axis` is not set.
struct AxisLaws {
  std::vector<SideLaw> laws;
};
/// An initial field of its own, and what its keys say as YAML.
struct InitialMap {
  InitialConfig config;
  std::vector<std::pair<std::string, std::string>> keys;
};
using Value = std::variant<Null, std::int64_t, double, std::string, Duration,
                           std::vector<std::int64_t>, std::vector<double>, std::vector<std::string>,
                           std::vector<FilterConfig>, AxisLaws, ParameterConfig, InitialMap,
                           NamedFormulas, std::vector<DerivedConfig>, ProbesConfig, PhysicalTime>;

/// Everything that is wrong, each with its place.
using YamlProblems = std::vector<YamlProblem>;

// What a single value may be.
struct NullForm {};
struct WordForm {
  std::vector<std::string> words;
};
struct IntegerForm {
  std::int64_t low = 0;
  std::int64_t high = 0;
};
struct RealForm {
  double low = 0;
  double high = 0;     ///< infinity: no bound
  bool above = false;  ///< low itself is out of range
};
struct TextForm {};
struct PathForm : TextForm {};  ///< one that names a file
struct DurationForm {};         ///< over 0, at most 10^9 s
struct FiltersForm {};          ///< a list of maps (filter_keys.hpp); always alone
struct FormulaForm {};          ///< any scalar: what it says is looked at later
/// A map (map_values.hpp).
struct MapForm {
  const char* description;
  std::variant<Value, YamlProblems> (*read)(const YamlNode& map);
  nlohmann::ordered_json (*schema)();
};
using Form = std::variant<NullForm, WordForm, IntegerForm, RealForm, TextForm, PathForm,
                          DurationForm, FiltersForm, FormulaForm, MapForm>;

/// One of several forms, or a list of values of them.
struct ValueType {
  std::vector<Form> forms;
  struct Count {
    std::size_t low = 0;
    std::size_t high = 0;
  };
  std::optional<Count> list;  ///< number of elements where it is a list; words do not repeat
  bool or_single = false;     ///< where it is a list: a single value is taken too
};

ValueType word(std::vector<std::string> words);
ValueType integer(std::int64_t low, std::int64_t high);
ValueType real(double low, double high);
ValueType finite_real();
ValueType positive_real();
ValueType text();
ValueType path();
ValueType duration();
ValueType filters();
/// Either of two types of single values.
ValueType either(ValueType first, const ValueType& second);
ValueType null_or(const ValueType& type);
ValueType list(ValueType element, std::size_t low, std::size_t high);
inline constexpr std::size_t any_count = SIZE_MAX;  ///< of elements, as `high`
/// One value for all axes, or a list of one for each.
ValueType one_or_list(ValueType element, std::size_t low, std::size_t high);

/// The value, or where it is wrong and how: "found X (expected Y)".
std::variant<Value, YamlProblems> read_value(const ValueType& type, const YamlNode& node);

/// Such as "auto, or an integer from 1 to 1024".
std::string description(const ValueType& type);

/// As one line of YAML that reads back as the same value.
std::string yaml_of(const Value& value);
nlohmann::ordered_json json_of(const Value& value);
nlohmann::ordered_json schema_of(const ValueType& type);

}  // namespace lapl
