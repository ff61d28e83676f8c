// The CUDA part of kernels/ for the rest of the program. It includes no CUDA header.
#pragma once

#include <memory>
#include <string>

#include "kernels/backend.hpp"
#include "kernels/filters/covariance.hpp"
#include "kernels/filters/frame_filter.hpp"

namespace lapl {

/// Why no CUDA device can be used; empty if one can.
std::string cuda_unavailable_reason();
/// True if there is an NVIDIA driver; asks without starting CUDA.
bool finds_cuda_driver();

/// Like make_backend, but on the GPU; `engine` is the name of a CUDA engine or "auto".
template <class T>
std::unique_ptr<Backend<T>> make_cuda_backend(const std::string& engine, const Problem<T>& problem);

/// The number of steps that the streaming engine runs in one launch, or 1 if it cannot step the
/// problem. Without a device the number is that for an H200.
template <class T>
std::int64_t steps_of_streaming(const Problem<T>& problem);

/// Filters a sequence of frames, copying some while others are computed. Throws DeviceError if
/// device memory is too small for the frames in flight.
template <class T>
std::unique_ptr<FrameFilter<T>> make_cuda_frame_filter(const FilterPlan<T>& plan);

/// Adds the covariances of `terms.input`, float or Half values in host memory, to `terms`. If the
/// device has too little memory, throws DeviceError with the bytes needed and available.
template <class Storage>
void add_covariance_cuda(const CovarianceProblem& problem, CovarianceTerms<Storage>& terms);

}  // namespace lapl
