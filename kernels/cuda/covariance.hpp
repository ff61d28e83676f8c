// The covariance of kernels/covariance.hpp on the device.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/covariance.hpp"

namespace lapl {

/// Floats that add_covariance_cuda() needs to work in.
std::int64_t covariance_work_size(const CovarianceProblem& problem);

/// Enqueues the sum in `stream`; all pointers are device memory, aligned to their type. Allocates
/// nothing and does not wait. Throws DeviceError.
template <class Storage>
void add_covariance_cuda(const CovarianceProblem& problem, const Storage* mu, const Storage* gamma,
                         const Storage* c, Storage* input, float* work, cudaStream_t stream);

}  // namespace lapl
