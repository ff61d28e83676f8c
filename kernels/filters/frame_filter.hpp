// Applies one filter to many frames of one shape, in bounded memory.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kernels/filters/filter.hpp"

namespace lapl {

template <class T>
class FrameFilter {
 public:
  /// Read fills frame number `frame` with input.cells() values of the plan; Write gets the
  /// output.cells() values of its result.
  using Read = std::function<void(std::int64_t frame, T* values)>;
  using Write = std::function<void(std::int64_t frame, const T* values)>;

  virtual ~FrameFilter() = default;

  /// Filters frames 0 to frames - 1 in order. Both functions are called in the calling thread, and
  /// their exceptions are passed on. Only a few frames are in memory at a time; on a GPU the filter
  /// and the copies in both directions overlap.
  virtual void run(std::int64_t frames, const Read& read, const Write& write) = 0;

  /// Seconds spent in the filter alone, without reading, copying and writing.
  virtual double seconds() const = 0;

  /// The model of the processor or GPU.
  virtual std::string device() const = 0;
};

/// Makes a frame filter on backend "cpu" or "cuda". If the method is fft, which would spread a NaN
/// or an infinity, frames that have one are filtered by the direct method. A plan that skips NaN
/// takes two filters: NaN is left out of the sums, which are scaled to the sum of all weights;
/// cells with nothing but NaN in reach become NaN. Throws DeviceError.
template <class T>
std::unique_ptr<FrameFilter<T>> make_frame_filter(const std::string& backend,
                                                  const FilterPlan<T>& plan, int threads);

}  // namespace lapl
