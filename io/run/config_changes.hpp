// Compares the config of a restart with that of the run so far, by the key table (OnRestart).
#pragma once

#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "io/config/config_keys.hpp"

namespace lapl {

/// A key with different values in two configs.
struct ConfigChange {
  std::string key, was, is;
  bool asked = false;    ///< lapl resume --change-equation may change it
  std::string why = {};  ///< why a restart may not change it, if these values give a reason
};

/// The changes that a restart may not make freely; those that --change-equation allows come last.
std::vector<ConfigChange> changes_between(const LoadedConfig& before, const LoadedConfig& now);

/// Why a restart may not make these changes, one line per key; empty if it may. `where` names the
/// origin of the earlier config. `any_asked`: the restart has --change-equation.
std::string restart_refusal(const std::vector<ConfigChange>& changes, const std::string& where,
                            bool any_asked = false);

/// True if no key has another value, apart from the run folder.
bool is_same_config(const LoadedConfig& before, const LoadedConfig& now);

/// Throws ConfigError, with both values, for each key that a restart may not change freely.
void require_same_problem(const LoadedConfig& before, const std::string& where,
                          const LoadedConfig& now);

/// Does the same, except for keys that --change-equation may change. Returns their changes, with
/// both values.
std::string require_same_but_for_asked(const LoadedConfig& before, const std::string& where,
                                       const LoadedConfig& now);

}  // namespace lapl
