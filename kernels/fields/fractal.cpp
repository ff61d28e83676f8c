#include "kernels/fields/fractal.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "kernels/cpu/fftw_plan.hpp"
#include "kernels/fields/host_vector.hpp"
#include "kernels/fields/pcg64.hpp"
#include "kernels/fields/percentile.hpp"
#include "kernels/machine/host_buffer.hpp"

namespace lapl {
namespace {

using Complex = std::complex<double>;

fftw_complex* raw(Complex* values) { return reinterpret_cast<fftw_complex*>(values); }

// FFTW_ESTIMATE chooses the algorithm without timing it, so each run gives the same bits. With
// FFTW_UNALIGNED one plan serves every row and column.
constexpr unsigned plan_flags = FFTW_ESTIMATE | FFTW_UNALIGNED;

// Transforms lines of `size` values in place. The values of a line are `stride` apart, so a piece
// of size * stride consecutive values has `stride` lines. A transform takes several neighbouring
// lines at once.
class StridedTransform {
 public:
  StridedTransform(std::int64_t size, std::int64_t stride, Complex* values)
      : size_(size), stride_(stride), values_(values) {
    for (const int sign : {FFTW_FORWARD, FFTW_BACKWARD}) {
      block_[sign == FFTW_BACKWARD] = plan(std::min(at_once, stride), sign);
      if (stride % at_once != 0) last_block_[sign == FFTW_BACKWARD] = plan(stride % at_once, sign);
    }
  }

  void run_transforms(std::int64_t pieces, bool backward, int threads) const {
    const std::int64_t blocks = (stride_ + at_once - 1) / at_once;
#pragma omp parallel for num_threads(threads)
    for (std::int64_t i = 0; i < pieces * blocks; ++i) {
      const std::int64_t first = i % blocks * at_once;
      const bool whole = stride_ - first >= at_once || stride_ < at_once;
      fftw_complex* block = raw(values_ + i / blocks * size_ * stride_ + first);
      fftw_execute_dft((whole ? block_ : last_block_)[backward].get(), block, block);
    }
  }

 private:
  static constexpr std::int64_t at_once = 8;  // lines: 128 bytes of each row of values

  FftwPlan<fftw_plan> plan(std::int64_t count, int sign) {
    const fftw_iodim64 along{size_, stride_, stride_}, beside{count, 1, 1};
    return planned([&] {
      return fftw_plan_guru64_dft(1, &along, 1, &beside, raw(values_), raw(values_), sign,
                                  plan_flags);
    });
  }

  std::int64_t size_, stride_;
  Complex* values_;
  FftwPlan<fftw_plan> block_[2], last_block_[2];
};

// A real transform of a grid, as one-dimensional transforms along its columns, rows and planes.
// Threads divide the lines among themselves, so the bits do not depend on the number of threads, as
// they would with FFTW's own threaded plans.
class RealTransform {
 public:
  RealTransform(Shape shape, double* field, Complex* spectrum, int threads)
      : shape_(shape),
        half_(shape.columns / 2 + 1),
        threads_(threads),
        field_(field),
        spectrum_(spectrum),
        along_rows_(shape.rows, half_, spectrum),
        along_planes_(shape.planes, shape.rows * half_, spectrum) {
    const int columns = static_cast<int>(shape.columns);
    row_forward_ =
        planned([&] { return fftw_plan_dft_r2c_1d(columns, field, raw(spectrum), plan_flags); });
    row_backward_ =
        planned([&] { return fftw_plan_dft_c2r_1d(columns, raw(spectrum), field, plan_flags); });
  }

  void forward() {
    for_each_row([this](double* row, Complex* spectrum) {
      fftw_execute_dft_r2c(row_forward_.get(), row, raw(spectrum));
    });
    transform_rows_and_planes(false);
  }

  /// The inverse of forward() up to the factor `cells`.
  void backward() {
    transform_rows_and_planes(true);
    for_each_row([this](double* row, Complex* spectrum) {
      fftw_execute_dft_c2r(row_backward_.get(), raw(spectrum), row);
    });
  }

 private:
  template <class Transform>
  void for_each_row(Transform transform) {
#pragma omp parallel for num_threads(threads_)
    for (std::int64_t row = 0; row < shape_.planes * shape_.rows; ++row)
      transform(field_ + row * shape_.columns, spectrum_ + row * half_);
  }

  void transform_rows_and_planes(bool backward) {
    along_rows_.run_transforms(shape_.planes, backward, threads_);
    if (shape_.planes > 1) along_planes_.run_transforms(1, backward, threads_);
  }

  Shape shape_;
  std::int64_t half_;  // columns of the half spectrum; the other half mirrors it
  int threads_;
  double* field_;
  Complex* spectrum_;
  StridedTransform along_rows_, along_planes_;
  FftwPlan<fftw_plan> row_forward_, row_backward_;
};

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
