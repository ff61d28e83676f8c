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

/// The whole field: 0 where the filtered noise is not above its percentile.
std::vector<double> cpu_fractal_field(Shape shape, const FractalParameters& parameters,
                                      int threads);

/// The same into a block in host memory.
template <class T>
void fill_fractal_on_host(const Block<T>& block, const FractalParameters& parameters) {
  const std::vector<double> field = cpu_fractal_field(block.shape, parameters, block.threads);
  for (std::int64_t row = 0; row < block.shape.rows; ++row)
    for (std::int64_t column = 0; column < block.shape.columns; ++column)
      block.values[row * block.pitch + column] =
          static_cast<T>(field[static_cast<std::size_t>(row * block.shape.columns + column)]);
}

}  // namespace lapl
