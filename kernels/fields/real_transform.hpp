#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>

#include "kernels/cpu/fftw_plan.hpp"
#include "kernels/grid/grid.hpp"

namespace lapl {

inline fftw_complex* as_fftw(std::complex<double>* values) {
  return reinterpret_cast<fftw_complex*>(values);
}
/// FFTW_ESTIMATE chooses the algorithm without timing it, so each run gives the same bits. With
/// FFTW_UNALIGNED one plan serves every row and column.
inline constexpr unsigned line_plans = FFTW_ESTIMATE | FFTW_UNALIGNED;

/// Transforms lines of `size` values in place. The values of a line are `stride` apart, so a piece
/// of size * stride consecutive values has `stride` lines. A transform takes several neighbouring
/// lines at once.
class StridedTransform {
 public:
  using Complex = std::complex<double>;

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
      fftw_complex* block = as_fftw(values_ + i / blocks * size_ * stride_ + first);
      fftw_execute_dft((whole ? block_ : last_block_)[backward].get(), block, block);
    }
  }

 private:
  static constexpr std::int64_t at_once = 8;  // lines: 128 bytes of each row of values

  FftwPlan<fftw_plan> plan(std::int64_t count, int sign) {
    const fftw_iodim64 along{size_, stride_, stride_}, beside{count, 1, 1};
    return planned([&] {
      return fftw_plan_guru64_dft(1, &along, 1, &beside, as_fftw(values_), as_fftw(values_), sign,
                                  line_plans);
    });
  }

  std::int64_t size_, stride_;
  Complex* values_;
  FftwPlan<fftw_plan> block_[2], last_block_[2];
};

/// A real transform of a grid, as one-dimensional transforms along its columns, rows and planes.
/// Threads divide the lines among themselves, so the bits do not depend on the number of threads,
/// as they would with FFTW's own threaded plans.
class RealTransform {
 public:
  using Complex = StridedTransform::Complex;

  RealTransform(Shape shape, double* field, Complex* spectrum, int threads)
      : shape_(shape),
        half_(shape.columns / 2 + 1),
        threads_(threads),
        field_(field),
        spectrum_(spectrum),
        along_rows_(shape.rows, half_, spectrum),
        along_planes_(shape.planes, shape.rows * half_, spectrum) {
    const int columns = static_cast<int>(shape.columns);
    row_forward_ = planned(
        [&] { return fftw_plan_dft_r2c_1d(columns, field, as_fftw(spectrum), line_plans); });
    row_backward_ = planned(
        [&] { return fftw_plan_dft_c2r_1d(columns, as_fftw(spectrum), field, line_plans); });
  }

  void forward() {
    for_each_row([this](double* row, Complex* spectrum) {
      fftw_execute_dft_r2c(row_forward_.get(), row, as_fftw(spectrum));
    });
    transform_rows_and_planes(false);
  }

  /// The inverse of forward() up to the factor `cells`.
  void backward() {
    transform_rows_and_planes(true);
    for_each_row([this](double* row, Complex* spectrum) {
      fftw_execute_dft_c2r(row_backward_.get(), as_fftw(spectrum), row);
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

}  // namespace lapl
