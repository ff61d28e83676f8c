// The covariance of kernels/covariance.hpp, made on the device for host memory.
#pragma once

#include "kernels/covariance.hpp"

namespace lapl {

/// Adds to `input` in place; done on return. Throws DeviceError, with bytes needed and
/// available where the device has too little memory.
template <class Storage>
void add_covariance_cuda(const CovarianceProblem& problem, const Storage* mu, const Storage* gamma,
                         const Storage* c, Storage* input);

}  // namespace lapl
