#include "kernels/fields/fractal.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "kernels/fields/host_vector.hpp"
#include "kernels/fields/pcg64.hpp"
#include "kernels/fields/percentile.hpp"
#include "kernels/fields/real_transform.hpp"
#include "kernels/machine/host_buffer.hpp"

namespace lapl {
namespace {

using Complex = std::complex<double>;

double radius(double planes_away, double rows_away, double columns_away) {
  return 1 +
         std::sqrt(planes_away * planes_away + rows_away * rows_away + columns_away * columns_away);
}

// The wave number of an index in a transform of `size` values: 0, 1, ..., -2, -1.
double wave_number(std::int64_t index, std::int64_t size) {
  return static_cast<double>(index <= size / 2 ? index : index - size);
}

// Multiplies the Fourier transform of `field` by radius^-exponent and transforms it back.
void filter_noise(std::vector<double>& field, Shape shape, double exponent, int threads) {
  const std::int64_t half = shape.columns / 2 + 1;
  HostBuffer<Complex> spectrum(shape.planes * shape.rows * half, threads);
  RealTransform transform(shape, field.data(), spectrum.data(), threads);
  transform.forward();
  const double cells = static_cast<double>(shape.cells());
  // Rows of opposite wave numbers have equal factors, so each power is computed once for both.
  const std::int64_t rows_up = shape.rows / 2 + 1;
#pragma omp parallel for num_threads(threads)
  for (std::int64_t pair = 0; pair < shape.planes * rows_up; ++pair) {
    const std::int64_t plane = pair / rows_up, row = pair % rows_up;
    const std::int64_t opposite = row == 0 ? row : shape.rows - row;
    Complex* const up = spectrum.data() + (plane * shape.rows + row) * half;
    Complex* const down = spectrum.data() + (plane * shape.rows + opposite) * half;
    for (std::int64_t column = 0; column < half; ++column) {
      const double k = radius(wave_number(plane, shape.planes), wave_number(row, shape.rows),
                              static_cast<double>(column));
      const double factor = std::pow(k, -exponent) / cells;
      up[column] *= factor;
      if (down != up) down[column] *= factor;
    }
  }
  transform.backward();
}

double crop_limit(const FractalParameters& parameters, Shape shape) {
  return *parameters.crop_radius *
         static_cast<double>(shape.rows == 1 ? shape.columns : shape.rows);
}

}  // namespace

bool crops_all(const FractalParameters& parameters, Shape shape) {
  return parameters.crop_radius && crop_limit(parameters, shape) <= 1;
}

std::vector<double> fractal_field(Shape shape, const FractalParameters& parameters, int threads) {
  std::vector<double> field = host_vector<double>(shape.cells());
  const Pcg64 generator = numpy_generator(parameters.seed);
  constexpr std::int64_t chunk = 1 << 16;
#pragma omp parallel for num_threads(threads)
  for (std::int64_t first = 0; first < shape.cells(); first += chunk)
    draw_noise(generator, first, std::min(chunk, shape.cells() - first),
               [&](std::int64_t index, float value) { field[index] = value; });
  filter_noise(field, shape, parameters.spectral_exponent, threads);
  if (parameters.crop_radius) {
    const double limit = crop_limit(parameters, shape);
#pragma omp parallel for num_threads(threads)
    for (std::int64_t row = 0; row < shape.planes * shape.rows; ++row)
      for (std::int64_t column = 0; column < shape.columns; ++column)
        if (radius(static_cast<double>(row / shape.rows - shape.planes / 2),
                   static_cast<double>(row % shape.rows - shape.rows / 2),
                   static_cast<double>(column - shape.columns / 2)) >= limit)
          field[row * shape.columns + column] = 0;
  }
  if (parameters.percentile) {
    const double threshold = percentile_value(field, *parameters.percentile, threads);
#pragma omp parallel for num_threads(threads)
    for (std::int64_t i = 0; i < shape.cells(); ++i)
      if (!(field[i] > threshold)) field[i] = 0;
  }
  return field;
}

}  // namespace lapl
