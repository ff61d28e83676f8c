// NumPy's linear interpolation between the two order statistics next to a percentile.
#pragma once

#include <cmath>
#include <cstdint>

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

}  // namespace lapl
