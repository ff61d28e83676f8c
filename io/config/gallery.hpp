// The configs of configs/gallery, one equation each, and of configs/new, one purpose each. They are
// compiled into the program, so `lapl new gray-scott-coral` needs no files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lapl {

struct EmbeddedConfig {
  std::string name;  ///< file name without .yaml
  std::string_view text;
  std::string summary = {};  ///< first line of the text, without "# "
};

const std::vector<EmbeddedConfig>& gallery();
/// Configs with the values that a purpose needs, with the reason for some as a comment.
const std::vector<EmbeddedConfig>& config_uses();

/// The names that `lapl new` accepts: the purposes (config_uses), then the gallery.
std::vector<std::string> names_of_new();

/// A complete config file for a purpose, or a config of the gallery. A key that needs no value is a
/// comment `#key: default`. Each key has its meaning, values and unit above it. Throws ConfigError
/// with the nearest name if `use` is no such name.
std::string config_for(std::string_view use);

}  // namespace lapl
