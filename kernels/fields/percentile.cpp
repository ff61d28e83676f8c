#include "kernels/fields/percentile.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace lapl {
namespace {

// A bucket holds the values with the same sign, exponent and first four fraction bits; the buckets
// have the same order as the values.
constexpr int bucket_count = 1 << 16;
int bucket_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return static_cast<int>((bits >> 63 != 0 ? ~bits : bits | std::uint64_t{1} << 63) >> 48);
}

// The values at ranks r and r + 1 in sorted order; if r is the last rank, the last value twice.
struct Neighbours {
  double low, high;
};

// Counts the values of each bucket, then sorts the bucket of the lower rank. Threads do not
// allocate memory, because they could not report a failure.
Neighbours neighbours_at(std::span<const double> values, std::int64_t rank, int threads) {
  const auto size = static_cast<std::int64_t>(values.size());
  std::vector<std::int64_t> counts(std::int64_t{threads} * bucket_count);
#pragma omp parallel num_threads(threads)
  {
    std::int64_t* const own = counts.data() + std::int64_t{omp_get_thread_num()} * bucket_count;
#pragma omp for
    for (std::int64_t i = 0; i < size; ++i) ++own[bucket_of(values[i])];
  }
  for (int thread = 1; thread < threads; ++thread)
    for (int bucket = 0; bucket < bucket_count; ++bucket)
      counts[bucket] += counts[std::int64_t{thread} * bucket_count + bucket];
  int bucket = 0;
  while (rank >= counts[bucket]) rank -= counts[bucket++];
  std::vector<double> within(counts[bucket]);
  std::atomic<std::int64_t> found = 0;
  double above = std::numeric_limits<double>::infinity();
#pragma omp parallel for num_threads(threads) reduction(min : above)
  for (std::int64_t i = 0; i < size; ++i)
    if (const int here = bucket_of(values[i]); here == bucket)
      within[found.fetch_add(1, std::memory_order_relaxed)] = values[i];
    else if (here > bucket)
      above = std::min(above, values[i]);
  const auto lower = within.begin() + rank;
  std::nth_element(within.begin(), lower, within.end());
  if (lower + 1 != within.end()) above = *std::min_element(lower + 1, within.end());
  return {*lower, std::isinf(above) ? *lower : above};
}

}  // namespace

double percentile_of(std::span<const double> values, double percentile, int threads) {
  const double rank = static_cast<double>(values.size() - 1) * (percentile / 100);
  const auto [low, high] =
      neighbours_at(values, static_cast<std::int64_t>(std::floor(rank)), threads);
  const double fraction = rank - std::floor(rank), range = high - low;
  return fraction >= 0.5 ? high - range * (1 - fraction)
                         : low + range * fraction;  // interpolates from the nearer of the two
}

}  // namespace lapl
