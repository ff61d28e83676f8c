// The covariance of a convolution's output (kernels/filters/covariance.hpp) on whichever backend
// there is.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/filters/covariance.hpp"

namespace lapl {

struct CovarianceOutcome {
  std::string backend;     ///< "cpu" or "cuda"
  double seconds = 0;      ///< of the sum itself
  bool overflows = false;  ///< the sum is not finite, though all that goes into it is
};

/// Adds the covariance to `terms.input` on "cpu", "cuda" or "auto"; where `terms.c` is one value,
/// it stands for all outputs. Throws DeviceError.
template <class Storage>
CovarianceOutcome add_covariance(const CovarianceProblem& problem, CovarianceTerms<Storage>& terms,
                                 const std::string& backend, int threads);

template <class Storage>
bool all_finite(const std::vector<Storage>& values) {
  return std::ranges::all_of(values, [](Storage value) { return std::isfinite(number_of(value)); });
}

}  // namespace lapl
