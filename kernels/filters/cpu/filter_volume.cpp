// Convolutions on three axes by one transform of the whole input, with overlap-save as in
// filter_fft.cpp: wrapped values end up in the first window - 1 planes, rows and columns.
#include <algorithm>
#include <complex>

#include "kernels/fields/real_transform.hpp"
#include "kernels/filters/cpu/filter_engines.hpp"
#include "kernels/machine/host_buffer.hpp"

namespace lapl {
namespace {

Shape fast_shape(Shape of) {
  const auto fast = [](std::int64_t size) { return fast_sizes(size, size).front(); };
  return {fast(of.rows), fast(of.columns), fast(of.planes), of.axes};
}
std::int64_t modes(Shape tile) { return tile.planes * tile.rows * (tile.columns / 2 + 1); }

class VolumeFilter final : public CpuFilter<double> {
 public:
  VolumeFilter(const ConvolutionWindow& window, Shape output, int threads)
      : window_(window.shape),
        output_(output),
        input_{output.rows + window_.rows - 1, output.columns + window_.columns - 1,
               output.planes + window_.planes - 1, output.axes},
        tile_(fast_shape(input_)),
        threads_(threads),
        values_(tile_.cells(), threads),
        spectrum_(modes(tile_), threads),
        weights_(modes(tile_), threads),
        transform_(tile_, values_.data(), spectrum_.data(), threads) {
    load(window.weights.data(), window_);
    transform_.forward();
    // FFTW's transform and its inverse together multiply by the number of points.
    const double scale = 1 / static_cast<double>(tile_.cells());
    for (std::int64_t i = 0; i < modes(tile_); ++i)
      weights_.data()[i] = spectrum_.data()[i] * scale;
  }

  void apply(const double* input, double* output) override {
    load(input, input_);
    transform_.forward();
#pragma omp parallel for num_threads(threads_)
    for (std::int64_t i = 0; i < modes(tile_); ++i) {
      const std::complex<double> a = spectrum_.data()[i], b = weights_.data()[i];
      spectrum_.data()[i] = {a.real() * b.real() - a.imag() * b.imag(),
                             a.real() * b.imag() + a.imag() * b.real()};
    }
    transform_.backward();
    for (std::int64_t row = 0; row < output_.planes * output_.rows; ++row)
      std::copy_n(values_.data() +
                      cell_index(tile_, {row % output_.rows + window_.rows - 1, window_.columns - 1,
                                         row / output_.rows + window_.planes - 1}),
                  output_.columns, output + row * output_.columns);
  }

 private:
  // The values of an array of this shape, and 0 in the rest of the tile.
  void load(const double* from, Shape shape) {
    std::fill_n(values_.data(), tile_.cells(), 0.0);
    for (std::int64_t row = 0; row < shape.planes * shape.rows; ++row)
      std::copy_n(from + row * shape.columns, shape.columns,
                  values_.data() + cell_index(tile_, {row % shape.rows, 0, row / shape.rows}));
  }

  Shape window_, output_, input_, tile_;
  int threads_;
  HostBuffer<double> values_;
  HostBuffer<std::complex<double>> spectrum_, weights_;
  RealTransform transform_;
};

}  // namespace

std::unique_ptr<CpuFilter<double>> make_volume_filter(const ConvolutionWindow& window, Shape output,
                                                      int threads) {
  return std::make_unique<VolumeFilter>(window, output, threads);
}

double volume_filter_memory(Shape input) {
  const Shape tile = fast_shape(input);
  return 8.0 * static_cast<double>(tile.cells()) + 32.0 * static_cast<double>(modes(tile));
}

}  // namespace lapl
