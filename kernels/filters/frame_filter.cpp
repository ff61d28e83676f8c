#include "kernels/filters/frame_filter.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "kernels/backend.hpp"
#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/cpu/startable_threads.hpp"
#include "kernels/error.hpp"
#include "kernels/fields/found_value.hpp"
#include "kernels/filters/cpu/cpu_filter.hpp"
#include "kernels/for_floats.hpp"
#ifdef LAPL_HAS_CUDA
#include "kernels/cuda/cuda_backend.hpp"
#endif

namespace lapl {
namespace {

template <class T>
class CpuFrameFilter final : public FrameFilter<T> {
 public:
  CpuFrameFilter(const FilterPlan<T>& plan, int threads)
      : plan_(plan),
        threads_(startable_threads(threads > 0 ? threads : omp_get_num_procs())),
        filter_(make_cpu_filter(plan, threads_)),
        input_(plan.correlation.input.cells()),
        output_(plan.correlation.output.cells()) {}

  void run(std::int64_t frames, const typename FrameFilter<T>::Read& read,
           const typename FrameFilter<T>::Write& write) override {
    for (std::int64_t frame = 0; frame < frames; ++frame) {
      read(frame, input_.data());
      CpuFilter<T>& filter = filter_for_input();
      const auto start = std::chrono::steady_clock::now();
      filter.apply(input_.data(), output_.data());
      seconds_ += std::chrono::steady_clock::now() - start;
      write(frame, output_.data());
    }
  }

  double seconds() const override { return seconds_.count(); }
  std::string device() const override { return processor_name(); }

 private:
  CpuFilter<T>& filter_for_input() {
    if (plan_.method != FilterMethod::fft || !first_not_finite<T>(input_)) return *filter_;
    if (!direct_) direct_ = make_cpu_filter<T>({plan_.correlation, FilterMethod::direct}, threads_);
    return *direct_;
  }

  FilterPlan<T> plan_;
  int threads_;
  std::unique_ptr<CpuFilter<T>> filter_, direct_;
  std::vector<T> input_, output_;
  std::chrono::duration<double> seconds_{};
};

// Leaves NaN out: filters the values, with 0 for NaN, and divides by the filtered presence of
// values, 1 or 0, in units of the sum of all weights. Where no NaN is in reach, the bits are those
// of the plain filter.
template <class T>
class SkippingFrameFilter final : public FrameFilter<T> {
 public:
  SkippingFrameFilter(const std::string& backend, FilterPlan<T> plan, int threads)
      : input_(plan.correlation.input.cells()), output_(plan.correlation.output.cells()) {
    plan.skips_nan = false;
    of_values_ = make_frame_filter(backend, plan, threads);
    plan.correlation.constant = 1;
    of_presence_ = make_frame_filter(backend, plan, threads);
  }

  void run(std::int64_t frames, const typename FrameFilter<T>::Read& read,
           const typename FrameFilter<T>::Write& write) override {
    std::vector<T> presence(input_.size(), 1), share(output_.size());
    apply(*of_presence_, presence, share);
    const T sum = share.front();
    for (std::int64_t frame = 0; frame < frames; ++frame) {
      read(frame, input_.data());
      for (std::size_t i = 0; i < input_.size(); ++i) {
        presence[i] = std::isnan(input_[i]) ? 0 : 1;
        if (presence[i] == 0) input_[i] = 0;
      }
      apply(*of_values_, input_, output_);
      apply(*of_presence_, presence, share);
      for (std::size_t i = 0; i < output_.size(); ++i)
        if (share[i] != sum) output_[i] = output_[i] / share[i] * sum;
      write(frame, output_.data());
    }
  }

  double seconds() const override { return of_values_->seconds() + of_presence_->seconds(); }
  std::string device() const override { return of_values_->device(); }

 private:
  static void apply(FrameFilter<T>& filter, const std::vector<T>& from, std::vector<T>& to) {
    filter.run(
        1, [&](std::int64_t, T* values) { std::ranges::copy(from, values); },
        [&](std::int64_t, const T* values) { std::copy_n(values, to.size(), to.begin()); });
  }

  std::vector<T> input_, output_;
  std::unique_ptr<FrameFilter<T>> of_values_, of_presence_;
};

}  // namespace

template <class T>
std::unique_ptr<FrameFilter<T>> make_frame_filter(const std::string& backend,
                                                  const FilterPlan<T>& plan, int threads) {
  if (plan.skips_nan) return std::make_unique<SkippingFrameFilter<T>>(backend, plan, threads);
  if (backend == "cpu") return std::make_unique<CpuFrameFilter<T>>(plan, threads);
  if (const std::string reason = cuda_unavailable(); !reason.empty())
    throw DeviceError("backend cuda: {}", reason);
#ifdef LAPL_HAS_CUDA
  return make_cuda_frame_filter(plan);
#else
  return nullptr;  // not reached: cuda_unavailable() has already thrown
#endif
}
LAPL_FOR_FLOATS(make_frame_filter);

}  // namespace lapl
