// The text of a config file.
#pragma once

#include <filesystem>
#include <string>

namespace lapl {

/// At most one byte more than parse_yaml takes. Throws IoError where it cannot be read.
std::string read_config_text(const std::filesystem::path& path);

}  // namespace lapl
