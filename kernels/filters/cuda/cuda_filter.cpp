#include "kernels/filters/cuda/cuda_filter.hpp"

#include <string>

#include "kernels/cuda/device/cuda_check.hpp"
#include "kernels/error.hpp"
#include "kernels/for_floats.hpp"

namespace lapl {
namespace {

template <class T>
std::unique_ptr<CudaFilter<T>> make(const FilterPlan<T>& plan) {
  const Correlation<T>& correlation = plan.correlation;
  if (plan.method == FilterMethod::direct) return make_direct_filter(correlation);
  if (plan.method == FilterMethod::fft) return make_fft_filter(correlation);
  const std::optional<SeparableWeights<T>> weights = separate(correlation);
  if (!weights)
    throw ConfigError("method separable: the window of " + std::to_string(correlation.window.rows) +
                      " x " + std::to_string(correlation.window.columns) +
                      " weights is not the product of a column and a row (expected rank 1)");
  return make_separable_filter(correlation, *weights);
}

}  // namespace

template <class T>
std::unique_ptr<CudaFilter<T>> make_cuda_filter(const FilterPlan<T>& plan) {
  auto filter = make(plan);
  // cudaMemcpy from pageable memory may return before the weights have arrived, and our streams do
  // not wait for the default stream.
  LAPL_CUDA(cudaDeviceSynchronize());
  return filter;
}
LAPL_FOR_FLOATS(make_cuda_filter);

}  // namespace lapl
