// Finds rows of the key table, and says in words what a restart may do with a key.
#include <fmt/format.h>

#include <algorithm>

#include "io/config/config_keys.hpp"
#include "io/config/config_text.hpp"
#include "kernels/error.hpp"
#include "solver/names.hpp"

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

std::string restart_rule_text(const RestartRule& rule) {
  const std::string with =
      rule.by == Permission::none ? "" : fmt::format("`--change {}`", enum_name(rule.by));
  switch (rule.on_restart) {
    case OnRestart::free:
      return with.empty() ? "freely" : fmt::format("freely; {} records it", with);
    case OnRestart::estimates:
      return fmt::format("freely; with {} where steps are estimated", with);
    case OnRestart::engine: return "freely, but not from or to `spectral`";
    case OnRestart::asked: return "with " + with;
    case OnRestart::reworded: return fmt::format("with {}, or in other words", with);
    case OnRestart::words: return "never its names; `--change output` records other words";
    case OnRestart::never: break;
  }
  return "never";
}

Permissions all_permissions() {
  Permissions all;
  for (const auto& row : name_table<Permission>) all.insert(row.value);
  return all;
}

Permissions permissions_in(const std::string& list) {
  Permissions permissions;
  for (const std::string& word : comma_separated(list)) {
    const auto row = std::ranges::find(name_table<Permission>, word, &Named<Permission>::name);
    if (row == name_table<Permission>.end())
      throw ConfigError("--change: found {} (expected {}, or a list of them with commas)",
                        shown(word), alternatives(names_in(name_table<Permission>)));
    permissions.insert(row->value);
  }
  return permissions;
}

std::string permissions_text(const Permissions& permissions) {
  std::string text;
  for (const Permission permission : permissions)
    text += (text.empty() ? "" : ",") + std::string(enum_name(permission));
  return text;
}

}  // namespace lapl
