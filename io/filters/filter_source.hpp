// Reads the weights of filters from files.
#pragma once

#include <vector>

#include "solver/run_config.hpp"

namespace lapl {

/// Returns the filters, with the weights of kernel hdf5 read from their files: a dataset of one
/// axis is a one-dimensional list, one of two axes has rows and columns. Throws IoError, and
/// ConfigError if weights are not finite.
std::vector<FilterConfig> load_filters(std::vector<FilterConfig> filters);

/// The filters of a run. Also throws ConfigError if a result would not have the grid's shape.
std::vector<FilterConfig> load_filters(const RunConfig& config);

}  // namespace lapl
