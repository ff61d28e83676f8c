#include "kernels/percentile.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace lapl {
namespace {

// Values of one sign, exponent and first four digits share a bucket; buckets are ordered as the
// values are.
constexpr int bucket_count = 1 << 16;
int bucket_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return static_cast<int>((bits >> 63 != 0 ? ~bits : bits | std::uint64_t{1} << 63) >> 48);
}

// The values at two ranks next to each other, of which the second may be the first once more.
struct Neighbours {
  double low, high;
};

// Counts the buckets, then sorts the one that holds the lower rank.
Neighbours neighbours_at(std::span<const double> values, std::int64_t rank, int threads) {
  const auto size = static_cast<std::int64_t>(values.size());
  std::vector<std::int64_t> counts(bucket_count);
#pragma omp parallel num_threads(threads)
  {
    std::vector<std::int64_t> own(bucket_count);
#pragma omp for
    for (std::int64_t i = 0; i < size; ++i) ++own[bucket_of(values[i])];
#pragma omp critical
    std::ranges::transform(own, counts, counts.begin(), std::plus());
  }
  int bucket = 0;
  while (rank >= counts[bucket]) rank -= counts[bucket++];
  std::vector<double> within;
  double above = std::numeric_limits<double>::infinity();
#pragma omp parallel num_threads(threads)
  {
    std::vector<double> own;
    double own_above = above;
#pragma omp for
    for (std::int64_t i = 0; i < size; ++i)
      if (const int found = bucket_of(values[i]); found == bucket)
        own.push_back(values[i]);
      else if (found > bucket)
        own_above = std::min(own_above, values[i]);
#pragma omp critical
    {
      within.insert(within.end(), own.begin(), own.end());
      above = std::min(above, own_above);
    }
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
                         : low + range * fraction;  // from the nearer end
}

}  // namespace lapl
