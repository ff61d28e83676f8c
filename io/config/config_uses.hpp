// Configs to start from: for each use the needed values, with all other keys as comments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lapl {

/// A purpose for which `lapl new` writes a config.
struct ConfigUse {
  std::string name;
  std::string summary;
  struct Setting {
    std::string key;        ///< dotted
    std::string value;      ///< as YAML
    std::string note = {};  ///< reason for the value, where it is not plain
  };
  std::vector<Setting> settings;
};

const std::vector<ConfigUse>& config_uses();

/// The names that `lapl new` accepts: uses, then the gallery.
std::vector<std::string> names_of_new();

/// A complete config file for a use, or a config of the gallery. Keys without a needed value stand
/// as `#key: default`; each has its meaning, values and unit from the key table above it. Throws
/// ConfigError with the nearest name for an unknown use.
std::string config_for(std::string_view use);

}  // namespace lapl
