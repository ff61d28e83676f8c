// What kernels/ takes of CUDA. No CUDA header is needed to include this one.
#pragma once

#include <memory>
#include <string>

#include "kernels/backend.hpp"
#include "kernels/filters/covariance.hpp"
#include "kernels/filters/frame_filter.hpp"

namespace lapl {

/// Why no CUDA device can be used; empty where one can.
std::string cuda_unavailable_reason();

/// As make_backend, for engines of CUDA; `engine` is a name or "auto".
template <class T>
std::unique_ptr<Backend<T>> make_cuda_backend(const std::string& engine, const Problem<T>& problem);

/// Steps that engine streaming takes in a launch; 1 where it cannot step the problem. Of an H200
/// where there is no device.
template <class T>
std::int64_t steps_of_streaming(const Problem<T>& problem);

/// Filters frames while others are copied in and out. Throws DeviceError where device memory does
/// not suffice for its few frames.
template <class T>
std::unique_ptr<FrameFilter<T>> make_cuda_frame_filter(const FilterPlan<T>& plan);

/// Adds to `terms.input` in host memory, of float or Half. Throws DeviceError, with bytes needed
/// and available where the device has too little memory.
template <class Storage>
void add_covariance_cuda(const CovarianceProblem& problem, CovarianceTerms<Storage>& terms);

}  // namespace lapl
