// The schema of configs, a tree: each node is a leaf, a list of leaves, a map of keys or a map of
// any names. It reads a node of YAML, writes it again, and describes itself to people ("an integer
// from 1 to 1024") and to programs (JSON Schema). A key is a row that holds the schema of its
// value.
//
// A checked node is resolved: it says every key that applies, and each value in one form alone, so
// that equal values have equal texts. What a run config holds is put together from resolved nodes
// (key_table.hpp), and config.yaml is written from them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "io/config/yaml_tree.hpp"

namespace lapl {

/// Everything that is wrong, each with its place.
using YamlProblems = std::vector<YamlProblem>;

struct KeyRow;
struct Schema;

// A leaf.
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
struct FormulaForm {};          ///< any scalar: what it says is looked at later
/// A map of keys.
struct MapForm {
  /// The keys are those of the first list of which the first key is given, else of the last list.
  std::vector<std::vector<KeyRow>> choices;
  std::string description;  ///< empty: it names its keys
  std::string stand_in;     ///< a key whose value may stand for the whole map; empty: none
};
/// A map of any names, each with a value of the same schema.
struct NamesForm {
  std::shared_ptr<const Schema> value;
  std::string description;
  std::string otherwise;  ///< message where there is no map, or no name in it; empty: as of others
};
/// A node with a reader of its own, which adds to the problems and returns the node resolved.
struct OwnForm {
  std::string description;
  YamlNode (*read)(const YamlNode& node, const std::string& path, YamlProblems& problems);
  nlohmann::ordered_json (*json)();
};
using Form = std::variant<NullForm, WordForm, IntegerForm, RealForm, TextForm, PathForm,
                          DurationForm, FormulaForm, MapForm, NamesForm, OwnForm>;

/// One of several forms, or a list of values of them.
struct Schema {
  std::vector<Form> forms;
  struct Count {
    std::size_t low = 0;
    std::size_t high = 0;
  };
  std::optional<Count> list;  ///< number of elements where it is a list; words do not repeat
  bool or_single = false;     ///< where it is a list: a single value is taken too
};

/// A row says all of a key but where its value is stored.
struct KeyRow {
  std::string name;  ///< as its map has it; in the table of a run config section.entry
  Schema type = {};
  std::string preset = {};              ///< default as YAML; empty: required
  std::string unit = {};                ///< empty: a plain number or a word
  std::string meaning = {};             ///< one line
  std::vector<std::string> kinds = {};  ///< kinds of its map with which it is read; empty: all
  bool preset_in_words = false;         ///< the default follows from other keys

  bool is_required() const { return preset.empty(); }
  bool belongs_to(std::string_view kind) const {
    return kinds.empty() || std::ranges::find(kinds, kind) != kinds.end();
  }
  /// equation.kind of equation.let.
  std::string key_of_kind() const { return std::string(section()) + ".kind"; }
  /// "time" of time.step; the name itself for filters, which stands in no section.
  std::string_view section() const { return std::string_view(name).substr(0, name.find('.')); }
  /// "step" of time.step.
  std::string_view entry() const { return std::string_view(name).substr(name.find('.') + 1); }
  /// The default as references have it.
  std::string preset_cell() const { return is_required() ? "required" : '`' + preset + '`'; }
};

Schema word(std::vector<std::string> words);
Schema integer(std::int64_t low, std::int64_t high);
Schema real(double low, double high);
Schema finite_real();
Schema positive_real();
Schema text();
Schema path();
Schema duration();
Schema formula_text();
Schema map_of_names(const Schema& value, std::string description, std::string otherwise = "");
/// Either of two schemas that are no lists.
Schema either(Schema first, const Schema& second);
Schema null_or(const Schema& schema);
Schema list(Schema element, std::size_t low, std::size_t high);
inline constexpr std::size_t any_count = SIZE_MAX;  ///< of elements, as `high`
/// One value for all axes, or a list of one for each.
Schema one_or_list(Schema element, std::size_t low, std::size_t high);

/// The node, resolved. What is wrong is added to `problems`: "found X (expected Y)", with `path`
/// and the keys under it in front.
YamlNode resolved(const Schema& schema, const YamlNode& node, const std::string& path,
                  YamlProblems& problems);
/// A key's default, resolved.
YamlNode preset_of(const KeyRow& key);

/// Says in words what a schema takes, as "auto, or an integer from 1 to 1024".
std::string description(const Schema& schema);
nlohmann::ordered_json json_schema(const Schema& schema);

/// A resolved node as one line of YAML that reads back as the same.
std::string yaml_of(const YamlNode& node);
nlohmann::ordered_json json_of(const Schema& schema, const YamlNode& node);

}  // namespace lapl
