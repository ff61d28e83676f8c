// Which values get the ends of a colour map.
#pragma once

#include <span>

namespace lapl {

struct Limits {
  double low = 0;
  double high = 1;

  /// Where a value lies: 0 at low, 1 at high. Right up to the largest numbers.
  double fraction(double value) const { return (value - low) / (high - low); }
};

/// The values at two percentiles (0 to 100, as numpy.percentile has them) of the finite ones among
/// `values`; low > high where there is none.
Limits percentile_limits(std::span<const double> values, double low, double high);

/// Where both are the same number, or differ by rounding alone, limits around that number: a
/// constant field has the middle colour. For zero: 0 to 1.
Limits widened(Limits limits);

/// The smallest limits -m to m that hold these: zero gets the middle colour.
Limits centred(Limits limits);

/// The smallest limits that hold both; one with low > high does not count.
Limits united(Limits a, Limits b);

}  // namespace lapl
