// Covariance of a convolution's output (kernels/filters/covariance.hpp), from one HDF5 file to
// another.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "solver/filters/add_covariance.hpp"
#include "solver/precision.hpp"

namespace lapl {

/// Names of the four datasets.
struct CovarianceNames {
  std::string input = "/input", mu = "/mu", gamma = "/gamma", c = "/c";
};

struct CovarianceResult {
  CovarianceProblem problem;
  std::string storage;  ///< of the result: float16, float32 or float64
  CovarianceOutcome sum;
};

/// Reads the four datasets of `source`, adds the covariance on "cpu", "cuda" or "auto" and writes
/// the sum as `dataset` of a new sealed file `target`. Shapes as in kernels/filters/covariance.hpp,
/// all without the batch where it is 1, and c one number for all outputs; the window is what mu is
/// larger by. All in the storage of the input; in `precision` where one is given, but float16 stays
/// float16 for float32. Throws IoError naming the dataset whose shape or type does not fit,
/// DeviceError.
CovarianceResult add_covariance_file(const std::filesystem::path& source,
                                     const CovarianceNames& names,
                                     const std::filesystem::path& target,
                                     const std::string& dataset, const std::string& history,
                                     std::optional<Precision> precision, const std::string& backend,
                                     int threads);

}  // namespace lapl
