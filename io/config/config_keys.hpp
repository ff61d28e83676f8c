// The keys of a run config. Parsing, --help, the JSON Schema, docs/config.md and the resolved
// config are all made from this table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/config/key_table.hpp"

namespace lapl {

using ConfigKey = Key<RunConfig>;

/// What a config names itself, on which its keys depend.
struct ConfigNames {
  std::vector<std::string> fields = {"field"};
  std::vector<std::string> parameters = {};
  std::vector<std::string> derived = {};  ///< of output.derived
  int axes = 2;                           ///< of the grid
  EquationKind equation = EquationKind::diffusion;
  bool initial_by_field = false;  ///< each has initial.FIELD, instead of section initial's own keys
  bool all = false;               ///< the keys of either
};

/// The keys of a config that has these names, section by section, in the order in which a resolved
/// config lists them.
KeyTable<RunConfig> config_keys_for(const ConfigNames& names);

/// Every key there is: FIELD stands for the name of any field, NAME for that of any parameter.
const KeyTable<RunConfig>& config_keys();

/// nullptr where there is none of this dotted name.
const ConfigKey* find_config_key(std::string_view name);

/// Those of section initial, on a grid of so many axes; 0: of any grid.
const KeyTable<InitialConfig>& initial_keys(int axes);

/// Names of the sections, in the order of the table.
const std::vector<std::string>& config_sections();

/// A section that may be given as one value for all of its keys: `boundary: zero`.
inline constexpr std::string_view shorthand_section = "boundary";

/// Largest grid that is accepted.
inline constexpr std::int64_t most_cells = std::int64_t{1} << 40;

/// Largest number of a step: exact as a float64 too.
inline constexpr std::int64_t most_steps = std::int64_t{1} << 53;

/// In a preset: stands for the name of the config file without its extension.
inline constexpr std::string_view config_name_mark = "<config name>";

}  // namespace lapl
