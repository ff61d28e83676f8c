// The covariance of a convolution's output (kernels/covariance.hpp) on whichever backend there is.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/covariance.hpp"

namespace lapl {

/// What goes into the sum, each with the shape that kernels/covariance.hpp gives it.
template <class Storage>
struct CovarianceTerms {
  std::vector<Storage> input, mu, gamma;
  std::vector<Storage> c;  ///< one for each output, or one for all
};

struct CovarianceOutcome {
  std::string backend;     ///< "cpu" or "cuda"
  double seconds = 0;      ///< of the sum itself
  bool overflows = false;  ///< the sum is not finite, though all that goes into it is
};

/// Adds the covariance to `terms.input` on "cpu", "cuda" or "auto". Throws DeviceError.
template <class Storage>
CovarianceOutcome add_covariance(const CovarianceProblem& problem, CovarianceTerms<Storage>& terms,
                                 const std::string& backend, int threads);

template <class Storage>
bool all_finite(const std::vector<Storage>& values) {
  return std::ranges::all_of(values, [](Storage value) { return std::isfinite(number_of(value)); });
}

}  // namespace lapl
