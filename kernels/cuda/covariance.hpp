// The covariance of kernels/covariance.hpp, made on the device for host memory.
#pragma once

#include "kernels/covariance.hpp"

namespace lapl {

/// Adds to `terms.input`, of float or Half. Throws DeviceError, with bytes needed and available
/// where the device has too little memory.
template <class Storage>
void add_covariance_cuda(const CovarianceProblem& problem, CovarianceTerms<Storage>& terms);

}  // namespace lapl
