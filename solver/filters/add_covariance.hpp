// The covariance of a convolution's output (kernels/filters/covariance.hpp), on the GPU or the CPU.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/filters/covariance.hpp"

namespace lapl {

/// How a covariance was computed.
struct CovarianceOutcome {
  std::string backend;     ///< "cpu" or "cuda"
  double seconds = 0;      ///< computing the sum alone
  bool overflows = false;  ///< the sum is not finite, but every input is
};

/// Adds the covariance to `terms.input` on `backend`: "cpu", "cuda" or "auto". If `terms.c` has one
/// value, it applies to all outputs. Throws DeviceError.
template <class Storage>
CovarianceOutcome add_covariance(const CovarianceProblem& problem, CovarianceTerms<Storage>& terms,
                                 const std::string& backend, int threads);

template <class Storage>
bool all_finite(const std::vector<Storage>& values) {
  return std::ranges::all_of(values, [](Storage value) { return std::isfinite(as_number(value)); });
}

}  // namespace lapl
