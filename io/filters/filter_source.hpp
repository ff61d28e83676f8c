// Weights of filters that come from files.
#pragma once

#include <vector>

#include "solver/run_config.hpp"

namespace lapl {

/// The same filters, with the weights of those of kernel hdf5 read: a dataset of one axis is
/// one-dimensional, one of two axes rows and columns. Throws IoError; ConfigError for weights that
/// are not finite.
std::vector<FilterConfig> load_filters(std::vector<FilterConfig> filters);

/// Those of a run. Throws ConfigError, too, for one whose results would not have the grid's shape.
std::vector<FilterConfig> load_filters(const RunConfig& config);

}  // namespace lapl
