// Filtering frames on the GPU while others are copied in and out.
#pragma once

#include <memory>

#include "kernels/frame_filter.hpp"

namespace lapl {

/// Throws DeviceError where device memory does not suffice for its few frames.
template <class T>
std::unique_ptr<FrameFilter<T>> make_cuda_frame_filter(const FilterPlan<T>& plan);

}  // namespace lapl
