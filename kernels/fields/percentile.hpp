#pragma once

#include <span>

namespace lapl {

/// numpy.percentile(values, percentile) to the bit, with linear interpolation between the two
/// nearest values (method 7 of Hyndman and Fan, "Sample Quantiles in Statistical Packages", 1996).
/// `values` is not empty and holds no NaN; `percentile` is from 0 to 100.
double percentile_of(std::span<const double> values, double percentile, int threads);

}  // namespace lapl
