// Configs to start from: for each use the values that it needs, with every other key beside them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lapl {

struct ConfigUse {
  std::string name;
  std::string summary;
  struct Setting {
    std::string key;        ///< dotted
    std::string value;      ///< as YAML
    std::string note = {};  ///< why, where that is not plain
  };
  std::vector<Setting> settings;
};

const std::vector<ConfigUse>& config_uses();

/// The names of uses, then those of the gallery.
std::vector<std::string> names_of_new();

/// A config of the gallery, or a config file for the use, complete: the keys that it sets, and as
/// `#key: value` the defaults of all others that apply to it, each under its meaning, values and
/// unit from the key table. Throws ConfigError, with the nearest name, for a use that does not
/// exist.
std::string config_for(std::string_view use);

}  // namespace lapl
