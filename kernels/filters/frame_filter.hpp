// One filter over many frames of one shape, in bounded memory.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kernels/filters/filter.hpp"

namespace lapl {

template <class T>
class FrameFilter {
 public:
  /// Fills a frame of input.cells() values, or takes one of output.cells() values, by its number.
  using Read = std::function<void(std::int64_t frame, T* values)>;
  using Write = std::function<void(std::int64_t frame, const T* values)>;

  virtual ~FrameFilter() = default;

  /// Filters frames 0 to frames - 1 in order. Both functions are called by the calling thread; what
  /// they throw ends it. A few frames are held at a time, whatever their number; on a GPU copies in
  /// both directions and the filter itself overlap.
  virtual void run(std::int64_t frames, const Read& read, const Write& write) = 0;

  /// Seconds that filtering alone has taken, without reading, copying and writing.
  virtual double seconds() const = 0;

  /// Processor or GPU model.
  virtual std::string device() const = 0;
};

/// Makes it on "cpu" or "cuda". A frame that holds a NaN or an infinity is filtered by the direct
/// method where fft would spread it. Throws DeviceError.
template <class T>
std::unique_ptr<FrameFilter<T>> make_frame_filter(const std::string& backend,
                                                  const FilterPlan<T>& plan, int threads);

}  // namespace lapl
