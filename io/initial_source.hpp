// Initial fields that come from a file.
#pragma once

#include <vector>

#include "solver/run_config.hpp"

namespace lapl {

/// rows * columns values of the initial kinds image and hdf5; nothing for other kinds.
/// Throws IoError where the file cannot be read, ConfigError where its shape is not grid.shape.
std::vector<double> load_initial_field(const RunConfig& config);

}  // namespace lapl
