// Initial fields that come from a file.
#pragma once

#include <optional>
#include <vector>

#include "solver/run_config.hpp"

namespace lapl {

/// rows * columns values of an initial field that is read from a file; none for other kinds.
/// Throws IoError where the file cannot be read, ConfigError where its shape is not grid.shape.
std::optional<std::vector<double>> load_initial_field(const RunConfig& config);

}  // namespace lapl
