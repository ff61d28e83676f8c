// Percentiles as numpy.percentile has them.
#pragma once

#include <span>

namespace lapl {

/// numpy.percentile(values, percentile) with linear interpolation between the two values next to it
/// (method 7 of Hyndman and Fan, "Sample Quantiles in Statistical Packages", 1996), to the bit.
/// `values` is not empty and holds no NaN; `percentile` is from 0 to 100.
double percentile_of(std::span<const double> values, double percentile, int threads);

}  // namespace lapl
