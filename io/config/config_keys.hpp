// The one description of every config key. Parsing, --help, the JSON Schema, docs/config.md and
// the resolved config are all made from this table.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "io/config/config_value.hpp"
#include "solver/run_config.hpp"

namespace lapl {

struct ConfigKey {
  std::string name;  ///< dotted: section.entry
  ValueType type;
  std::string preset = {};              ///< default as YAML; empty: required
  std::string unit = {};                ///< empty: a plain number or a word
  std::string meaning = {};             ///< one line
  std::vector<InitialKind> kinds = {};  ///< initial.*: the kinds that read it; empty: all
  std::function<void(RunConfig&, const Value&)> put = {};  ///< stores a checked value

  bool is_required() const { return preset.empty(); }
  bool belongs_to(InitialKind kind) const;
  /// "time" of time.step; the name itself for filters, which stands in no section.
  std::string_view section() const { return std::string_view(name).substr(0, name.find('.')); }
  /// "step" of time.step.
  std::string_view entry() const { return std::string_view(name).substr(name.find('.') + 1); }
};

/// Every key, section by section, in the order in which a resolved config lists them.
const std::vector<ConfigKey>& config_keys();

/// nullptr where there is none of this dotted name.
const ConfigKey* find_config_key(std::string_view name);

/// Names of the sections, in the order of the table.
const std::vector<std::string>& config_sections();

/// A section that may be given as one value for all of its keys: `boundary: zero`.
inline constexpr std::string_view shorthand_section = "boundary";

/// Largest grid that is accepted.
inline constexpr std::int64_t most_cells = std::int64_t{1} << 40;

/// In a preset: stands for the name of the config file without its extension.
inline constexpr std::string_view config_name_mark = "<config name>";

/// "gaussian" or "image, hdf5": the kinds of initial field that read a key.
std::string kinds_text(const ConfigKey& key);

}  // namespace lapl
