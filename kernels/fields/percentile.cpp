#include "kernels/fields/percentile.hpp"

#include <algorithm>
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

// Counts the values of each bucket, then sorts the bucket of the lower rank. Threads allocate
// nothing, because they could not report a failure.
Neighbours neighbours_at(std::span<const double> values, std::int64_t rank, int threads) {
  const auto size = static_cast<std::int64_t>(values.size());
  std::vector<std::int64_t> counts(std::int64_t{threads} * bucket_count);
  const auto count = [&](int thread, int bucket) -> std::int64_t& {
    return counts[std::int64_t{thread} * bucket_count + bucket];
  };
  const auto first_of = [&](int thread) { return size * thread / threads; };
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int thread = 0; thread < threads; ++thread)
    for (std::int64_t i = first_of(thread); i < first_of(thread + 1); ++i)
      ++count(thread, bucket_of(values[i]));
  // The number of values of a bucket in the parts of the threads before this one.
  const auto count_before = [&](int end, int bucket) {
    std::int64_t sum = 0;
    for (int thread = 0; thread < end; ++thread) sum += count(thread, bucket);
    return sum;
  };
  int bucket = 0;
  for (std::int64_t all = 0; rank >= (all = count_before(threads, bucket)); ++bucket) rank -= all;
  std::vector<double> within(count_before(threads, bucket));
  double above = std::numeric_limits<double>::infinity();
#pragma omp parallel for num_threads(threads) schedule(static, 1) reduction(min : above)
  for (int thread = 0; thread < threads; ++thread) {
    std::int64_t found = count_before(thread, bucket);
    for (std::int64_t i = first_of(thread); i < first_of(thread + 1); ++i)
      if (const int here = bucket_of(values[i]); here == bucket)
        within[found++] = values[i];
      else if (here > bucket)
        above = std::min(above, values[i]);
  }
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
