// Messages about names that are no keys of a config.
#pragma once

#include <string>
#include <vector>

#include "io/config/config_keys.hpp"
#include "io/config/yaml_tree.hpp"

namespace lapl {

/// The keys of a section.
std::vector<const ConfigKey*> section_keys(const ConfigTable& table, const std::string& section);

/// The message about a section that is not a map.
std::string section_problem(const YamlNode& node, const std::string& name,
                            const ConfigTable& table);

/// The message about a name that is not a key.
std::string unknown_key(const std::string& name, const ConfigTable& table);

/// The key of `table` or the section that a misspelt name probably means; empty if none is near.
std::string nearest_key(const std::string& name, const ConfigTable& table = config_keys());

}  // namespace lapl
