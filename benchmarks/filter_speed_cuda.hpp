// Timing of filters on the device, for lapl_filter_speed.
#pragma once

#include <vector>

#include "kernels/filters/filter.hpp"

namespace lapl {

/// Applies the filter to `input`, puts the result in `output` (both in host memory), then times it:
/// seconds of device time a filter in each of several repeats of 50 that are queued together.
template <class T>
std::vector<double> device_seconds(const Correlation<T>& correlation, FilterMethod method,
                                   const std::vector<T>& input, std::vector<T>& output);

/// Seconds a frame of a long sequence that is copied in, filtered and copied out, and of copying
/// one frame in alone.
struct SequenceSeconds {
  double filter, copy;
};
SequenceSeconds sequence_seconds(const Correlation<float>& correlation, std::int64_t frames);

}  // namespace lapl
