#include "kernels/cpu/fractal.hpp"

#include <fftw3.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <new>

#include "kernels/host_vector.hpp"
#include "kernels/pcg64.hpp"
#include "kernels/percentile.hpp"

namespace lapl {
namespace {

using Complex = std::complex<double>;

struct DestroyPlan {
  void operator()(fftw_plan plan) const { fftw_destroy_plan(plan); }
};
using Plan = std::unique_ptr<std::remove_pointer_t<fftw_plan>, DestroyPlan>;

Plan checked(fftw_plan plan) {
  if (plan == nullptr) throw std::bad_alloc();
  return Plan(plan);
}

fftw_complex* raw(Complex* values) { return reinterpret_cast<fftw_complex*>(values); }

// FFTW_ESTIMATE chooses the algorithm without timing it, so each run makes the same bits.
// FFTW_UNALIGNED lets one plan serve every row and column.
constexpr unsigned plan_flags = FFTW_ESTIMATE | FFTW_UNALIGNED;

// A two-dimensional real transform as one-dimensional ones: rows, then columns in blocks. Threads
// share rows and blocks out, so the bits do not depend on how many there are, as FFTW's own
// threaded plans would.
class RealTransform {
 public:
  RealTransform(Shape shape, double* field, Complex* spectrum, int threads)
      : shape_(shape),
        half_(shape.columns / 2 + 1),
        threads_(threads),
        field_(field),
        spectrum_(spectrum) {
    const int columns = static_cast<int>(shape.columns);
    row_forward_ = checked(fftw_plan_dft_r2c_1d(columns, field, raw(spectrum), plan_flags));
    row_backward_ = checked(fftw_plan_dft_c2r_1d(columns, raw(spectrum), field, plan_flags));
    for (const int sign : {FFTW_FORWARD, FFTW_BACKWARD}) {
      block_[sign == FFTW_BACKWARD] = column_plan(std::min(block_columns, half_), sign);
      if (half_ % block_columns != 0)
        last_block_[sign == FFTW_BACKWARD] = column_plan(half_ % block_columns, sign);
    }
  }

  void forward() {
    for_each_row([this](double* row, Complex* spectrum) {
      fftw_execute_dft_r2c(row_forward_.get(), row, raw(spectrum));
    });
    transform_columns(false);
  }

  /// Without the factor 1 / cells.
  void backward() {
    transform_columns(true);
    for_each_row([this](double* row, Complex* spectrum) {
      fftw_execute_dft_c2r(row_backward_.get(), raw(spectrum), row);
    });
  }

 private:
  static constexpr std::int64_t block_columns = 8;  // 128 bytes of each row

  Plan column_plan(std::int64_t count, int sign) {
    const int rows = static_cast<int>(shape_.rows), stride = static_cast<int>(half_);
    return checked(fftw_plan_many_dft(1, &rows, static_cast<int>(count), raw(spectrum_), nullptr,
                                      stride, 1, raw(spectrum_), nullptr, stride, 1, sign,
                                      plan_flags));
  }

  template <class Transform>
  void for_each_row(Transform transform) {
#pragma omp parallel for num_threads(threads_)
    for (std::int64_t row = 0; row < shape_.rows; ++row)
      transform(field_ + row * shape_.columns, spectrum_ + row * half_);
  }

  void transform_columns(bool backward) {
#pragma omp parallel for num_threads(threads_)
    for (std::int64_t column = 0; column < half_; column += block_columns) {
      const bool whole = half_ - column >= block_columns || half_ < block_columns;
      fftw_complex* block = raw(spectrum_ + column);
      fftw_execute_dft((whole ? block_ : last_block_)[backward].get(), block, block);
    }
  }

  Shape shape_;
  std::int64_t half_;  // columns of the half spectrum; the rest is its mirror image
  int threads_;
  double* field_;
  Complex* spectrum_;
  Plan row_forward_, row_backward_, block_[2], last_block_[2];
};

double radius(double rows_away, double columns_away) {
  return 1 + std::sqrt(rows_away * rows_away + columns_away * columns_away);
}

// Wave number of an index of a transform of `size` values: 0, 1, ..., -2, -1.
double wave_number(std::int64_t index, std::int64_t size) {
  return static_cast<double>(index <= size / 2 ? index : index - size);
}

// Multiplies the Fourier transform of `field` by radius^-exponent, in place.
void filter_noise(std::vector<double>& field, Shape shape, double exponent, int threads) {
  const std::int64_t half = shape.columns / 2 + 1;
  std::vector<Complex> spectrum = host_vector<Complex>(shape.rows * half);
  RealTransform transform(shape, field.data(), spectrum.data(), threads);
  transform.forward();
  const double cells = static_cast<double>(shape.cells());
#pragma omp parallel for num_threads(threads)
  for (std::int64_t row = 0; row < shape.rows; ++row)
    for (std::int64_t column = 0; column < half; ++column) {
      const double k = radius(wave_number(row, shape.rows), static_cast<double>(column));
      spectrum[row * half + column] *= std::pow(k, -exponent) / cells;
    }
  transform.backward();
}

}  // namespace

std::vector<double> cpu_fractal_field(Shape shape, const FractalParameters& parameters,
                                      int threads) {
  const std::int64_t rows = shape.rows, columns = shape.columns;
  std::vector<double> field = host_vector<double>(shape.cells());
  const Pcg64 generator = numpy_generator(parameters.seed);
  constexpr std::int64_t chunk = 1 << 16;
#pragma omp parallel for num_threads(threads)
  for (std::int64_t first = 0; first < shape.cells(); first += chunk)
    draw_noise(generator, first, std::min(chunk, shape.cells() - first),
               [&](std::int64_t index, float value) { field[index] = value; });
  filter_noise(field, shape, parameters.spectral_exponent, threads);
  if (parameters.crop_radius) {
    const double limit = *parameters.crop_radius * static_cast<double>(rows);
#pragma omp parallel for num_threads(threads)
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t column = 0; column < columns; ++column)
        if (radius(static_cast<double>(row - rows / 2),
                   static_cast<double>(column - columns / 2)) >= limit)
          field[row * columns + column] = 0;
  }
  if (parameters.percentile) {
    std::vector<double> copy = field;
    const double threshold = percentile_of(copy, *parameters.percentile);
    for (double& value : field)
      if (!(value > threshold)) value = 0;
  }
  return field;
}

}  // namespace lapl
