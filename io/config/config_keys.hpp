// The keys of a run config: one table for parsing, --help, JSON Schema, docs/config.md and the
// resolved config.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "io/config/key_table.hpp"
#include "solver/names.hpp"

namespace lapl {

/// A name in `lapl resume --change`: the keys that a restart may change with it.
enum class Permission : std::uint8_t {
  none,
  equation,
  boundary,
  step,
  scheme,
  tolerance,
  precision,
  output
};
template <>
inline constexpr auto name_table<Permission> =
    std::to_array<Named<Permission>>({{Permission::equation, "equation"},
                                      {Permission::boundary, "boundary"},
                                      {Permission::step, "step"},
                                      {Permission::scheme, "scheme"},
                                      {Permission::tolerance, "tolerance"},
                                      {Permission::precision, "precision"},
                                      {Permission::output, "output"}});
using Permissions = std::set<Permission>;

/// A restart may change a key...
enum class OnRestart : std::uint8_t {
  free,       ///< freely; a permission records the change
  estimates,  ///< as `asked` where steps follow from estimates of the largest stable step; freely
              ///< elsewhere
  engine,     ///< freely, but neither from nor to engine spectral where it takes many steps at once
  asked,      ///< with a permission
  reworded,   ///< with a permission; other words for the same equation freely
              ///< (solver/equation_digest.hpp)
  words,      ///< freely as to words for people; never as to names
  never
};

/// The rule of a key, with the permission that it asks for.
struct RestartRule {
  constexpr RestartRule(OnRestart rule, Permission permission = Permission::none)
      : on_restart(rule), by(permission) {}
  constexpr RestartRule(Permission permission) : RestartRule(OnRestart::asked, permission) {}

  OnRestart on_restart;
  Permission by;
};

/// A row of the key table, with the rule for restarts: io/run/config_changes.cpp compares two
/// configs by these rules, and docs/config.md prints them.
struct ConfigKey : Key<RunConfig>, RestartRule {
  ConfigKey(KeyRow row, RestartRule rule, Store<RunConfig> put_value = {})
      : Key(std::move(row), std::move(put_value)), RestartRule(rule) {}
};
using ConfigTable = std::vector<ConfigKey>;

/// The rule in words, for docs/config.md.
std::string restart_rule_text(const RestartRule& rule);

Permissions all_permissions();
/// The permissions in a list such as "step,scheme". Throws ConfigError for another word.
Permissions permissions_in(const std::string& list);
/// The names of permissions as a list.
std::string permissions_text(const Permissions& permissions);

/// The keys of section time.
ConfigTable time_keys();

/// The names and choices in a config that decide which keys it has.
struct ConfigNames {
  std::vector<std::string> fields = {"field"};
  std::vector<std::string> complex = {};  ///< the complex ones among `fields`
  /// `fields`, with two parts in place of a complex field whose parts have initial fields
  std::vector<std::string> initial_fields = {};
  std::vector<std::string> parameters = {};
  std::vector<std::string> quantities = {};  ///< names of equation.let
  std::vector<std::string> solved = {};      ///< fields that equation.let has equations for
  std::vector<std::string> derived = {};     ///< names of output.derived
  int axes = 2;                              ///< number of axes of the grid
  EquationKind equation = EquationKind::diffusion;
  bool initial_by_field = false;  ///< section initial has a key per field
  bool mask = false;              ///< the grid has a mask
  bool all = false;               ///< every key at once, for config_keys()
};

/// The keys of a config with these names, section by section, in the order of resolved configs.
ConfigTable config_keys_for(const ConfigNames& names);

/// Every key; FIELD stands for the name of any field, NAME for the name of any parameter.
const ConfigTable& config_keys();

/// The key of this dotted name, or nullptr.
const ConfigKey* find_config_key(std::string_view name);

/// The row for a key of a resolved config: equation.FIELD for equation.u.
const ConfigKey& row_of_resolved(std::string_view name);

/// The keys of section equation that are neither rates nor quantities.
const KeyTable<EquationConfig>& equation_keys();

/// The keys of section initial on a grid with `axes` axes; 0: on any grid.
const KeyTable<InitialConfig>& initial_keys(int axes);

/// Names of the sections, in the order of the key table.
const std::vector<std::string>& config_sections();

/// The section that accepts one value for all of its axes: `boundary: zero`.
inline constexpr std::string_view shorthand_section = "boundary";
/// The key of that section for the mask boundary; all its other keys are axes.
inline constexpr std::string_view mask_key = "boundary.mask";

/// Largest seed of random numbers.
inline constexpr std::int64_t largest_seed = INT64_MAX;

/// Largest number of cells of a grid.
inline constexpr std::int64_t most_cells = std::int64_t{1} << 40;

/// The placeholder in a default for the config file's name without extension.
inline constexpr std::string_view config_name_mark = "<config name>";

}  // namespace lapl
