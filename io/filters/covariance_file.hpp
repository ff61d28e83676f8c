// Computes the covariance of a convolution's output (kernels/filters/covariance.hpp): reads one
// HDF5 file and writes another.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "solver/filters/add_covariance.hpp"
#include "solver/precision.hpp"

namespace lapl {

/// Paths of the four input datasets.
struct CovarianceNames {
  std::string input = "/input", mu = "/mu", gamma = "/gamma", c = "/c";
};

/// The shapes, type and timing of a computed covariance.
struct CovarianceResult {
  CovarianceProblem problem;
  std::string storage;  ///< type of the result: float16, float32 or float64
  CovarianceOutcome sum;
};

/// Reads the four datasets of `source`, computes the covariance on "cpu", "cuda" or "auto" and
/// writes it as `dataset` of a new sealed file `target`. kernels/filters/covariance.hpp gives the
/// shapes; a batch axis of length 1 may be missing, and c may be one number for all outputs. The
/// window's size follows from the sizes of mu and the output. The result has the input's type, or
/// `precision` if given; float16 stays float16 for float32. Throws IoError that names a dataset of
/// wrong shape or type, and DeviceError.
CovarianceResult add_covariance_file(const std::filesystem::path& source,
                                     const CovarianceNames& names,
                                     const std::filesystem::path& target,
                                     const std::string& dataset, const std::string& history,
                                     std::optional<Precision> precision, const std::string& backend,
                                     int threads);

}  // namespace lapl
