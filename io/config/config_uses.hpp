// Configs to start from: each use has the values that it needs, and all other keys as comments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lapl {

/// The names that `lapl new` accepts: the uses, then the gallery.
std::vector<std::string> names_of_new();

/// A complete config file for a use, or a config of the gallery. A key that needs no value is a
/// comment `#key: default`. Each key has its meaning, values and unit above it. Throws ConfigError
/// with the nearest name if the use is unknown.
std::string config_for(std::string_view use);

}  // namespace lapl
