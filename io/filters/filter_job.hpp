// The config of `lapl filter`: the filters, their input and their output.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/filters/covariance_file.hpp"
#include "solver/filters/filter_config.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// The checked config of `lapl filter`.
struct FilterJob {
  std::string input_path;  ///< absolute: PNG file, folder of them, .npy or HDF5 file
  std::string input_dataset = "/field";
  std::string output_path;                   ///< absolute: HDF5 file
  std::string output_dataset = "/filtered";  ///< where there is one result
  std::vector<FilterConfig> filters;
  std::vector<std::string> output_datasets;   ///< one per filter, or that of the covariance
  std::optional<CovarianceNames> covariance;  ///< set: a covariance is computed instead of filters
  std::string backend = "auto";
  std::optional<Precision> precision;  ///< none: as the input
  int threads = 0;                     ///< 0: one for each core
};

/// Reads the config file; relative paths in it start from its folder. Throws ConfigError with every
/// mistake, one per line, as load_config does, and IoError where the file cannot be read.
FilterJob load_filter_job(const std::filesystem::path& path);

/// The keys as a Markdown table, for docs/filters.md.
std::string filter_job_reference();

}  // namespace lapl
