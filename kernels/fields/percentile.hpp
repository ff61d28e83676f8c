#pragma once

#include <span>

namespace lapl {

/// Bit-identical to numpy.percentile(values, percentile), with linear interpolation between the two
/// nearest values (method 7 of Hyndman and Fan, "Sample Quantiles in Statistical Packages", 1996).
/// `values` is not empty and has no NaN; `percentile` is from 0 to 100.
double percentile_value(std::span<const double> values, double percentile, int threads);

}  // namespace lapl
