// Timing of filters on a GPU, for lapl_filter_speed.
#pragma once

#include <vector>

#include "kernels/filters/filter.hpp"

namespace lapl {

/// Applies the filter to `input` and writes `output`, both in host memory, then times it. Returns
/// the device time of a call in seconds, from each of several repeats of 50 queued calls.
template <class T>
std::vector<double> device_seconds(const Correlation<T>& correlation, FilterMethod method,
                                   const std::vector<T>& input, std::vector<T>& output);

/// Seconds per frame of a long sequence: copied in, filtered and copied out, or only copied in.
struct SequenceSeconds {
  double filter, copy;
};
SequenceSeconds sequence_seconds(const Correlation<float>& correlation, std::int64_t frames);

}  // namespace lapl
