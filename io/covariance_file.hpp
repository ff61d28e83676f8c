// Covariance of a convolution's output (kernels/covariance.hpp), from one HDF5 file to another.
#pragma once

#include <filesystem>
#include <string>

#include "kernels/covariance.hpp"

namespace lapl {

/// Names of the four datasets.
struct CovarianceNames {
  std::string input = "/input", mu = "/mu", gamma = "/gamma", c = "/c";
};

struct CovarianceResult {
  CovarianceProblem problem;
  std::string storage;  ///< float16 or float32, that of the input
  double seconds = 0;   ///< of the sum itself
};

/// Reads the four datasets of `source` in the storage of its input, float16 or float32, adds the
/// covariance on "cpu" or "cuda" and writes the sum as `dataset` of a new sealed file `target`.
/// Shapes as in kernels/covariance.hpp; the window is what mu is larger by. Throws IoError naming
/// the dataset whose shape or type does not fit, DeviceError.
CovarianceResult add_covariance_file(const std::filesystem::path& source,
                                     const CovarianceNames& names,
                                     const std::filesystem::path& target,
                                     const std::string& dataset, const std::string& history,
                                     const std::string& backend, int threads);

}  // namespace lapl
