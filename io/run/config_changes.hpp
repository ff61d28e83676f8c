// Compares the config of a restart with that of the run so far, by the key table (RestartRule).
#pragma once

#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "io/config/config_keys.hpp"

namespace lapl {

/// A key with different values in two configs.
struct ConfigChange {
  std::string key, was, is;
  Permissions needs = {};  ///< with all of these lapl resume changes it; empty: never
  std::string why = {};    ///< the reason, if these values give one
};

/// The changes that a restart may not make freely; those that permissions allow come last.
std::vector<ConfigChange> changes_between(const LoadedConfig& before, const LoadedConfig& now);

/// True if steps go on with one size that they did not have before, so that their clock begins
/// anew.
bool counts_anew(const RunConfig& before, const RunConfig& now);

/// Why a restart with these permissions may not make these changes, one line per key; empty if it
/// may. `where` names the origin of the earlier config.
std::string restart_refusal(const std::vector<ConfigChange>& changes, const std::string& where,
                            const Permissions& allowed);

/// True if no key has another value, apart from the run folder.
bool is_same_config(const LoadedConfig& before, const LoadedConfig& now);

/// Throws ConfigError, with both values, for each key that a restart may not change freely.
void require_same_problem(const LoadedConfig& before, const std::string& where,
                          const LoadedConfig& now);

/// Changed keys with both values, as text; empty if there are none.
struct PermittedChanges {
  std::string of_problem;  ///< of what is computed
  std::string of_outputs;  ///< with permission `output`
};

/// Does the same, except for keys that the permissions allow. Returns their changes.
PermittedChanges require_permitted(const LoadedConfig& before, const std::string& where,
                                   const LoadedConfig& now, const Permissions& allowed);

}  // namespace lapl
