#include "kernels/fields/percentile.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/stages/grid_reduction.hpp"

namespace lapl {
namespace {

// The values at indices `rank` and rank + 1 in sorted order; if `rank` is the last index, the last
// value twice. A radix search finds the ordered_bits of the first, 13 at a time from the highest
// on: of the values that begin with the bits known so far, it counts those with each value of the
// next bits. Threads allocate nothing, because they could not report a failure.
GridExtremes neighbours_at(std::span<const double> values, std::int64_t rank, int threads) {
  constexpr int bits_at_once = 13;  // the counts of a thread fit its cache
  std::vector<std::int64_t> counts(std::size_t(threads) << bits_at_once);
  const auto thread_counts = [&](int thread) {
    return counts.data() + (std::int64_t{thread} << bits_at_once);
  };
  const auto size = static_cast<std::int64_t>(values.size());
  std::uint64_t known = 0;
  std::int64_t equal = 0;  // values that begin with the known bits
  for (int shift = 64; shift > 0;) {
    const int bits = std::min(bits_at_once, shift);
    shift -= bits;
    std::ranges::fill(counts, 0);
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int thread = 0; thread < threads; ++thread)
      for (std::int64_t i = size * thread / threads; i < size * (thread + 1) / threads; ++i)
        if (const std::uint64_t begin = ordered_bits(values[i]) >> shift; begin >> bits == known)
          ++thread_counts(thread)[begin & ((1 << bits) - 1)];
    known <<= bits;
    for (int next = 0;; ++next) {
      equal = 0;
      for (int thread = 0; thread < threads; ++thread) equal += thread_counts(thread)[next];
      if (rank < equal) {
        known |= static_cast<std::uint64_t>(next);
        break;
      }
      rank -= equal;
    }
  }
  constexpr auto none = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t above = rank + 1 < equal ? known : none;
  if (above == none) {
#pragma omp parallel for num_threads(threads) schedule(static) reduction(min : above)
    for (std::int64_t i = 0; i < size; ++i)
      if (const std::uint64_t here = ordered_bits(values[i]); here > known)
        above = std::min(above, here);
  }
  return extremes_with(known, above == none ? known : above);
}

}  // namespace

double percentile_value(std::span<const double> values, double percentile, int threads) {
  const double rank = static_cast<double>(values.size() - 1) * (percentile / 100);
  const GridExtremes at =
      neighbours_at(values, static_cast<std::int64_t>(std::floor(rank)), threads);
  const double fraction = rank - std::floor(rank), range = at.most - at.least;
  return fraction >= 0.5 ? at.most - range * (1 - fraction)
                         : at.least + range * fraction;  // interpolates from the nearer of the two
}

}  // namespace lapl
