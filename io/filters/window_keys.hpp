// The windows of section kernels, which formulas name in convolve(NAME, e).
#pragma once

#include <map>
#include <string>

#include "io/config/key_table.hpp"
#include "solver/filters/window_config.hpp"

namespace lapl {

using Windows = std::map<std::string, WindowConfig, std::less<>>;

Schema windows();  ///< {NAME: {kernel: NAME or numbers, ...}, ...}
void assign(Windows& windows, const YamlNode& node);

/// Reads the weights of windows that are in files. Throws what reading a file does.
void load_windows(Windows& windows);

}  // namespace lapl
