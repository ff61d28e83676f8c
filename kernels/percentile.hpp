// NumPy's linear interpolation between the two order statistics next to a percentile.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace lapl {

/// Where a percentile lies among `count` sorted values: between `lower` and `upper`.
struct PercentileRank {
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  double fraction = 0;  ///< of the way from lower to upper

  /// `percentile` from 0 to 100, `count` at least 1.
  PercentileRank(double percentile, std::int64_t count) {
    const double rank = static_cast<double>(count - 1) * (percentile / 100);
    lower = static_cast<std::int64_t>(std::floor(rank));
    upper = lower + 1 < count ? lower + 1 : lower;
    fraction = rank - std::floor(rank);
  }

  /// Interpolates as numpy.percentile does, to the bit: from the nearer end.
  double between(double low, double high) const {
    const double range = high - low;
    return fraction >= 0.5 ? high - range * (1 - fraction) : low + range * fraction;
  }
};

/// numpy.percentile(values, percentile) with linear interpolation (method 7 of Hyndman and Fan,
/// "Sample Quantiles in Statistical Packages", 1996). Reorders `values`, which is not empty.
inline double percentile_of(std::vector<double>& values, double percentile) {
  const PercentileRank rank(percentile, static_cast<std::int64_t>(values.size()));
  const auto lower = values.begin() + rank.lower;
  std::nth_element(values.begin(), lower, values.end());
  const double low = *lower;
  const double high = rank.upper == rank.lower ? low : *std::min_element(lower + 1, values.end());
  return rank.between(low, high);
}

}  // namespace lapl
