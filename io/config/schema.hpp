// A schema describes a value in a config: a leaf, a list of leaves, a map of known keys or a map of
// any names. It reads a YAML node, writes it again, and describes itself to people ("an integer
// from 1 to 1024") and to programs (JSON Schema). A KeyRow holds a key and the schema of its value.
//
// A checked node is resolved: it has every key that applies, and each value in one form, so equal
// values have equal texts. Run configs are filled from resolved nodes (key_table.hpp), and
// config.yaml is written from them.
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

/// All mistakes found so far, each with its place.
using YamlProblems = std::vector<YamlProblem>;

struct KeyRow;
struct Schema;

// Leaves: values that are neither lists nor maps.
struct NullForm {};
struct WordForm {
  std::vector<std::string> words;
  std::string description = {};  ///< for messages; if empty, they list the words
};
struct IntegerForm {
  std::int64_t low = 0;
  std::int64_t high = 0;
};
struct RealForm {
  double low = 0;
  double high = 0;     ///< infinity: no bound
  bool above = false;  ///< true: `low` is excluded
};
struct TextForm {
  std::size_t longest = 0;  ///< in bytes; 0: any length
};
struct PathForm : TextForm {};  ///< text that names a file
struct DurationForm {};         ///< above 0, at most 10^9 s
struct FormulaForm {};          ///< any scalar; the formula is checked later
struct StandIn;
/// A map with known keys.
struct MapForm {
  /// Alternative lists of keys: the first whose first key is present applies, else the last.
  std::vector<std::vector<KeyRow>> choices;
  std::string description;         ///< for messages; if empty, they give the names of the keys
  std::vector<StandIn> stand_ins;  ///< values that may replace the whole map
  /// Where the schema also allows a map of names: true for a map that is meant as this form
  /// instead. Empty: every map is.
  bool (*is_meant)(const YamlNode& map) = nullptr;
};
/// A map from any names to values of one schema.
struct NamesForm {
  std::shared_ptr<const Schema> value;
  std::string description;
  /// message for a value that is no map, or an empty map; empty: the usual message
  std::string otherwise;
};
/// A node with a custom reader, which adds mistakes to `problems` and returns the resolved node.
struct OwnForm {
  std::string description;
  YamlNode (*read)(const YamlNode& node, const std::string& path, YamlProblems& problems);
  nlohmann::ordered_json (*json)();
};
using Form = std::variant<NullForm, WordForm, IntegerForm, RealForm, TextForm, PathForm,
                          DurationForm, FormulaForm, MapForm, NamesForm, OwnForm>;

/// One of several forms, or a list whose elements have these forms.
struct Schema {
  std::vector<Form> forms;
  struct Count {
    std::size_t low = 0;
    std::size_t high = 0;
  };
  std::optional<Count> list;  ///< set: a list of this many elements; words must not repeat
  bool or_single = false;     ///< a single value may replace the list
  std::string name = {};      ///< if set, JSON Schema has it once, as a definition of this name
};

/// Leaves that stand for the map {key: value}.
struct StandIn {
  Schema values;
  std::string key;
  std::string value = {};    ///< empty: the leaf itself
  std::string refused = {};  ///< if set, these leaves are refused; end of the message
};

/// The description of a key. It does not say where the value is stored.
struct KeyRow {
  std::string name;  ///< as in its map; section.entry in the table of a run config
  Schema type = {};
  std::string preset = {};              ///< default as YAML; empty: required
  std::string unit = {};                ///< empty for pure numbers and for words
  std::string meaning = {};             ///< one line
  std::vector<std::string> kinds = {};  ///< kinds of its map to which the key belongs; empty: all
  bool preset_in_words = false;  ///< `preset` says in words how the default follows from other keys
  std::string resolved_name = {};  ///< the key that `name` stands for; empty: no synonym

  bool is_required() const { return preset.empty(); }
  bool belongs_to(std::string_view kind) const {
    return kinds.empty() || std::ranges::find(kinds, kind) != kinds.end();
  }
  /// The key that selects the kind of its section: equation.kind for equation.let.
  std::string key_of_kind() const { return std::string(section()) + ".kind"; }
  /// The section: "time" for time.step; for filters, which has no section, the name itself.
  std::string_view section() const { return std::string_view(name).substr(0, name.find('.')); }
  /// The name within the section: "step" for time.step.
  std::string_view entry() const { return std::string_view(name).substr(name.find('.') + 1); }
};

Schema word(std::vector<std::string> words, std::string description = "");
Schema integer(std::int64_t low, std::int64_t high);
Schema real(double low, double high);
Schema finite_real();
Schema positive_real();
Schema text();
Schema short_text();  ///< a text that stands beside numbers: at most 100 bytes
Schema path();
Schema duration();
Schema formula_text();
Schema map_of_names(const Schema& value, std::string description, std::string otherwise = "");
/// A schema that accepts what either schema accepts; neither may be a list.
Schema either(Schema first, const Schema& second);
Schema null_or(const Schema& schema);
/// A list of `low` to `high` elements.
Schema list(Schema element, std::size_t low, std::size_t high);
/// Value of `high` for a list of any length.
inline constexpr std::size_t any_count = SIZE_MAX;
/// One value, or a list of `low` to `high` values; null, if allowed, only in place of the list.
Schema one_or_list(Schema element, std::size_t low, std::size_t high);
/// The schema of a list's elements.
Schema list_element(const Schema& list);

/// The resolved form of a node. Mistakes are added to `problems` as "PATH: found X (expected Y)",
/// with the keys below `path` appended to it.
YamlNode resolved(const Schema& schema, const YamlNode& node, const std::string& path,
                  YamlProblems& problems);
/// The resolved default of a key.
YamlNode resolved_preset(const KeyRow& key);

/// The accepted values in words: "auto, or an integer from 1 to 1024".
std::string description(const Schema& schema);
/// The accepted values as JSON Schema; a schema with a name gives a reference to its definition.
nlohmann::ordered_json json_schema(const Schema& schema);
/// The accepted values as JSON Schema, written out.
nlohmann::ordered_json json_definition(const Schema& schema);

/// A resolved node as one line of YAML that reads back as the same node.
std::string node_yaml(const YamlNode& node);
/// A resolved node as JSON.
nlohmann::ordered_json node_json(const YamlNode& node);

}  // namespace lapl
