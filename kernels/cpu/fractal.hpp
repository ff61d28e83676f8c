// The fractal field on the CPU, by FFTW. Formulas: kernels/fractal.hpp and docs/numerics.md.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/fractal.hpp"
#include "kernels/grid.hpp"

namespace lapl {

/// The field, rows * columns values, in float64. The bits do not depend on the number of threads.
/// Throws DeviceError where memory does not suffice.
std::vector<double> cpu_fractal_field(Shape shape, const FractalParameters& parameters,
                                      int threads);

/// The same into a block in host memory, whose rows have no padding.
template <class T>
void fill_fractal_on_host(const Block<T>& block, const FractalParameters& parameters) {
  const std::vector<double> field = cpu_fractal_field(block.shape, parameters, block.threads);
  std::transform(field.begin(), field.end(), block.values,
                 [](double value) { return static_cast<T>(value); });
}

}  // namespace lapl
