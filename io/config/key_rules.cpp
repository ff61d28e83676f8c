// Finds rows of the key table, and says in words what a restart may do with a key.
#include <algorithm>

#include "io/config/config_keys.hpp"
#include "kernels/error.hpp"

namespace lapl {

const ConfigKey* find_config_key(std::string_view name) {
  const auto at = std::ranges::find(config_keys(), name, &ConfigKey::name);
  return at == config_keys().end() ? nullptr : &*at;
}

const ConfigKey& row_of_resolved(std::string_view name) {
  if (const ConfigKey* const row = find_config_key(name)) return *row;
  const std::string section(KeyRow{.name = std::string(name)}.section());
  for (const char* const any : {".FIELD", ".NAME"})
    if (const ConfigKey* const row = find_config_key(section + any)) return *row;
  throw ConfigError("{}: no key of a config", name);
}

std::string restart_rule_text(OnRestart rule) {
  switch (rule) {
    case OnRestart::free: return "freely";
    case OnRestart::estimates: return "freely; with `--change-equation` where steps are estimated";
    case OnRestart::engine: return "freely, but not from or to `spectral`";
    case OnRestart::asked: return "with `--change-equation`";
    case OnRestart::of_equation: return "with `--change-equation`, or in other words";
    case OnRestart::spelling: return "only in other words";
    case OnRestart::never: break;
  }
  return "never";
}

}  // namespace lapl
