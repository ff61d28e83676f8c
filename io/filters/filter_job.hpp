// The config of `lapl filter`: the filters, their input and their output.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/config/schema.hpp"
#include "io/filters/covariance_file.hpp"
#include "solver/filters/filter_config.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// The checked config of `lapl filter`.
struct FilterJob {
  std::string input_path;  ///< absolute: PNG file, folder of PNG files, or what open_frames reads
  std::string input_dataset = "/field";
  std::string output_path;                   ///< absolute: HDF5 file
  std::string output_dataset = "/filtered";  ///< if there is only one result
  std::vector<FilterConfig> filters;
  std::vector<std::string> output_datasets;   ///< one per filter, or the covariance's
  std::optional<CovarianceNames> covariance;  ///< set: computed instead of filters
  std::string backend = "auto";
  std::optional<Precision> precision;  ///< none: the input's precision
  int threads = 0;                     ///< 0: one for each core
};

/// Reads the config file; relative paths in it start from its folder. Throws ConfigError with one
/// line for each mistake, as load_config does, and IoError if the file cannot be read.
FilterJob load_filter_job(const std::filesystem::path& path);

/// The JSON Schema of the file.
std::string filter_job_schema();

/// The keys of the file, except those of a filter (filter_keys.hpp).
std::vector<KeyRow> filter_job_keys();

}  // namespace lapl
