// Filters on a GPU, one class for each method. kernels/filters/filter.hpp defines the results.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "kernels/filters/filter.hpp"

namespace lapl {

template <class T>
class CudaFilter {
 public:
  virtual ~CudaFilter() = default;

  /// Enqueues the filter of one frame in `stream`. `input` and `output` are device pointers to
  /// dense row-major arrays of input.cells() and output.cells() values, aligned to sizeof(T).
  /// Allocates nothing and does not wait. Calls that overlap in several streams need a filter each.
  virtual void apply(const T* input, T* output, cudaStream_t stream) = 0;
};

/// Makes the filter of the plan's method. Throws DeviceError, and ConfigError if the method is
/// separable and the window is not of rank 1.
template <class T>
std::unique_ptr<CudaFilter<T>> make_cuda_filter(const FilterPlan<T>& plan);

template <class T>
std::unique_ptr<CudaFilter<T>> make_direct_filter(const Correlation<T>& correlation);
template <class T>
std::unique_ptr<CudaFilter<T>> make_separable_filter(const Correlation<T>& correlation,
                                                     const SeparableWeights<T>& weights);
template <class T>
std::unique_ptr<CudaFilter<T>> make_fft_filter(const Correlation<T>& correlation);

}  // namespace lapl
