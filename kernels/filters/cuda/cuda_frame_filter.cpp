// Filters frames on a GPU through a ring of slots. A slot has the buffers of one frame: page-locked
// memory in, device memory in and out, page-locked memory out. Three streams work on different
// slots at the same time; the numbers are those of frames.
//
//   host      read 0 | read 1 | read 2 | write 0, read 3 | write 1, read 4 | ...
//   copy in          | 0      | 1      | 2               | 3
//   filter                    | 0      | 1               | 2
//   copy out                           | 0               | 1
#include <array>

#include "kernels/cuda/cuda_backend.hpp"
#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/cuda/device/device_info.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/fields/found_value.hpp"
#include "kernels/filters/cuda/cuda_filter.hpp"
#include "kernels/for_floats.hpp"

namespace lapl {
namespace {

template <class T>
class CudaFrameFilter final : public FrameFilter<T> {
 public:
  explicit CudaFrameFilter(const FilterPlan<T>& plan) : plan_(plan) {
    const std::int64_t in = plan.correlation.input.cells(), out = plan.correlation.output.cells();
    require_device_memory("the filter's frames", static_cast<double>(slots_.size()) *
                                                     static_cast<double>(in + out) * sizeof(T));
    filter_ = make_cuda_filter(plan);
    for (Slot& slot : slots_) {
      slot.host_in = pinned_buffer<T>(in);
      slot.host_out = pinned_buffer<T>(out);
      slot.in = device_buffer<T>(in);
      slot.out = device_buffer<T>(out);
    }
  }

  CudaFrameFilter(const CudaFrameFilter&) = delete;
  CudaFrameFilter& operator=(const CudaFrameFilter&) = delete;

  // The device must have finished with the buffers before they are freed.
  ~CudaFrameFilter() override { LAPL_CUDA_NO_THROW(cudaDeviceSynchronize()); }

  void run(std::int64_t frames, const typename FrameFilter<T>::Read& read,
           const typename FrameFilter<T>::Write& write) override {
    const auto count = static_cast<std::int64_t>(slots_.size());
    for (std::int64_t frame = 0; frame < frames + count - 1; ++frame) {
      if (const std::int64_t finished = frame - (count - 1); finished >= 0) {
        Slot& slot = slots_[finished % count];
        slot.copied_out.wait();
        float milliseconds = 0;
        LAPL_CUDA(cudaEventElapsedTime(&milliseconds, slot.started, slot.filtered));
        seconds_ += 1e-3 * static_cast<double>(milliseconds);
        write(finished, slot.host_out.data());
      }
      if (frame >= frames) continue;
      Slot& slot = slots_[frame % count];
      read(frame, slot.host_in.data());
      start(slot);
    }
  }

  double seconds() const override { return seconds_; }
  std::string device() const override { return device_name(); }

 private:
  struct Slot {
    PinnedBuffer<T> host_in, host_out;
    DeviceBuffer<T> in, out;
    Event copied_in, started, filtered, copied_out;
  };

  // Requires that the result of the slot's previous frame has arrived, so all its buffers are free.
  void start(Slot& slot) {
    CudaFilter<T>& filter = filter_for(slot);
    const auto copy = [](T* to, const T* from, std::int64_t values, cudaStream_t stream) {
      LAPL_CUDA(cudaMemcpyAsync(to, from, static_cast<std::size_t>(values) * sizeof(T),
                                cudaMemcpyDefault, stream));
    };
    copy(slot.in.data(), slot.host_in.data(), slot.in.size(), copy_in_);
    slot.copied_in.record(copy_in_);
    slot.copied_in.wait_in(compute_);
    slot.started.record(compute_);
    filter.apply(slot.in.data(), slot.out.data(), compute_);
    slot.filtered.record(compute_);
    slot.filtered.wait_in(copy_out_);
    copy(slot.host_out.data(), slot.out.data(), slot.out.size(), copy_out_);
    slot.copied_out.record(copy_out_);
  }

  CudaFilter<T>& filter_for(const Slot& slot) {
    const std::span<const T> frame(slot.host_in.data(), static_cast<std::size_t>(slot.in.size()));
    if (plan_.method != FilterMethod::fft || !first_not_finite(frame)) return *filter_;
    if (!direct_) direct_ = make_cuda_filter<T>({plan_.correlation, FilterMethod::direct});
    return *direct_;
  }

  FilterPlan<T> plan_;
  std::unique_ptr<CudaFilter<T>> filter_, direct_;
  std::array<Slot, 4> slots_;
  Stream copy_in_, compute_, copy_out_;
  double seconds_ = 0;
};

}  // namespace

template <class T>
std::unique_ptr<FrameFilter<T>> make_cuda_frame_filter(const FilterPlan<T>& plan) {
  return std::make_unique<CudaFrameFilter<T>>(plan);
}
LAPL_FOR_FLOATS(make_cuda_frame_filter);

}  // namespace lapl
