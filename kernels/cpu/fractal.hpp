// The fractal field on the CPU, by FFTW. Formulas: kernels/fractal.hpp and docs/numerics.md.
#pragma once

#include <vector>

#include "kernels/fractal.hpp"
#include "kernels/grid.hpp"

namespace lapl {

/// The field before the threshold, rows * columns values, in float64. The bits do not depend on the
/// number of threads. Throws DeviceError where memory does not suffice.
std::vector<double> cpu_filtered_noise(Shape shape, const FractalParameters& parameters,
                                       int threads);

/// numpy.percentile(values, percentile) with linear interpolation (method 7 of Hyndman and Fan,
/// "Sample Quantiles in Statistical Packages", 1996). Reorders `values`, which is not empty.
double percentile_of(std::vector<double>& values, double percentile);

/// The whole field: 0 where the filtered noise is not above its percentile.
std::vector<double> cpu_fractal_field(Shape shape, const FractalParameters& parameters,
                                      int threads);

}  // namespace lapl
