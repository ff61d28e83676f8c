// The values at the two ends of a colour map.
#pragma once

#include <span>

namespace lapl {

struct Limits {
  double low = 0;
  double high = 1;

  /// The position of a value: 0 at low, 1 at high.
  double fraction(double value) const { return (value - low) / (high - low); }
};

/// The values at two percentiles (0 to 100, as in numpy.percentile) of the finite `values`; low >
/// high if no value is finite.
Limits percentile_limits(std::span<const double> values, double low, double high);

/// If the limits are equal, or differ only by rounding, limits around that number, so that a
/// constant field has the middle colour. 0 to 1 if the number is 0, or if low > high.
Limits widened(Limits limits);

/// The smallest limits -m to m that include these, so that zero has the middle colour.
Limits centred(Limits limits);

/// The smallest limits that include both; limits with low > high are ignored.
Limits united(Limits a, Limits b);

/// The decimal logarithms of limits above 0.
Limits logs(Limits limits);

}  // namespace lapl
