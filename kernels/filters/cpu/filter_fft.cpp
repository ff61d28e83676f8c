// Filters by transforms, with overlap-save. A tile of the input, larger by window - 1 along each
// axis than its piece of output, is transformed, multiplied and transformed back:
//
//   +--------------------+     The transform is periodic; its wrapped values end up in the last
//   |  output   |wrapped |     window - 1 rows and columns, which are dropped. Beyond the input's
//   |           |        |     edges the tile holds the values that the edge's rule gives.
//   |-----------+        |
//   |   wrapped          |     memory traffic per cell: tile / output reads, one write; the
//   +--------------------+     transforms stay in the level-two cache (tile_size)
//
// Oppenheim and Schafer, "Discrete-Time Signal Processing", section 8.7.
#include <cmath>
#include <limits>

#include "kernels/cpu/fftw_plan.hpp"
#include "kernels/filters/cpu/filter_engines.hpp"
#include "kernels/filters/cpu/filter_rows.hpp"
#include "kernels/for_floats.hpp"
#include "kernels/machine/host_buffer.hpp"

namespace lapl {

std::vector<std::int64_t> fast_sizes(std::int64_t least, std::int64_t most) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t power = 1;; power *= 2) {
    for (const std::int64_t factor : {16, 20, 24, 30}) {
      if (factor * power % 16 != 0) continue;
      const std::int64_t size = factor * power / 16;
      if (size < least) continue;
      sizes.push_back(size);
      if (size >= most) return sizes;
    }
  }
}

namespace {

// FFTW's functions for both precisions; real_transform.hpp explains FFTW_ESTIMATE.
template <class T>
struct Fftw;
#define LAPL_FFTW(T, name)                                                                       \
  template <>                                                                                    \
  struct Fftw<T> {                                                                               \
    using Plan = name##_plan;                                                                    \
    static Plan forward(int rows, int columns, T* real, T* spectrum) {                           \
      return name##_plan_dft_r2c_2d(rows, columns, real,                                         \
                                    reinterpret_cast<name##_complex*>(spectrum), FFTW_ESTIMATE); \
    }                                                                                            \
    static Plan backward(int rows, int columns, T* spectrum, T* real) {                          \
      return name##_plan_dft_c2r_2d(rows, columns, reinterpret_cast<name##_complex*>(spectrum),  \
                                    real, FFTW_ESTIMATE);                                        \
    }                                                                                            \
    static void forward(Plan plan, T* real, T* spectrum) {                                       \
      name##_execute_dft_r2c(plan, real, reinterpret_cast<name##_complex*>(spectrum));           \
    }                                                                                            \
    static void backward(Plan plan, T* spectrum, T* real) {                                      \
      name##_execute_dft_c2r(plan, reinterpret_cast<name##_complex*>(spectrum), real);           \
    }                                                                                            \
  };
LAPL_FFTW(float, fftwf)
LAPL_FFTW(double, fftw)

/// The tile shape with the lowest cost; a tile costs about points * log2(points). The shape does
/// not depend on the number of threads, so the bits do not, either.
template <class T>
Shape tile_size(Shape output, Shape window) {
  // a tile of at most this size stays in the level-two cache
  constexpr std::int64_t fast_bytes = 1024 * 1024;
  Shape best;
  double least = std::numeric_limits<double>::infinity();
  const auto row_sizes = window.rows == 1 ? std::vector<std::int64_t>{1}
                                          : fast_sizes(window.rows, output.rows + window.rows - 1);
  for (const std::int64_t rows : row_sizes)
    for (const std::int64_t columns : fast_sizes(std::max<std::int64_t>(window.columns, 16),
                                                 output.columns + window.columns - 1)) {
      const FilterPieces pieces{output, {rows - window.rows + 1, columns - window.columns + 1}};
      const double points = static_cast<double>(rows * columns);
      const bool fast = rows * columns * static_cast<std::int64_t>(sizeof(T)) <= fast_bytes;
      const double cost = static_cast<double>(pieces.count()) *
                          (points * (std::log2(points) + 6) * (fast ? 1 : 1.5) + 1000);
      if (cost < least) least = cost, best = {rows, columns};
    }
  return best;
}

template <class T>
class FftFilter final : public CpuFilter<T> {
 public:
  FftFilter(const Correlation<T>& correlation, int threads)
      : correlation_(correlation),
        rows_(correlation.input, correlation.edge, correlation.constant),
        tile_(tile_size<T>(correlation.output, correlation.window)),
        half_(tile_.columns / 2 + 1),
        threads_(threads),
        pieces_{correlation.output,
                {tile_.rows - correlation.window.rows + 1,
                 tile_.columns - correlation.window.columns + 1}},
        weights_(2 * tile_.rows * half_, 1) {
    for (int i = 0; i < useful_threads(pieces_, threads); ++i)
      work_.push_back({HostBuffer<T>(tile_.cells(), 1), HostBuffer<T>(2 * tile_.rows * half_, 1),
                       std::vector<std::int64_t>(tile_.columns)});
    T* const real = work_[0].real.data();
    T* const spectrum = work_[0].spectrum.data();
    const int rows = static_cast<int>(tile_.rows), columns = static_cast<int>(tile_.columns);
    forward_ = planned([&] { return Fftw<T>::forward(rows, columns, real, spectrum); });
    backward_ = planned([&] { return Fftw<T>::backward(rows, columns, spectrum, real); });
    transform_weights(real);
  }

  void apply(const T* input, T* output) override {
    for_each_piece(pieces_, threads_, work_, [&](const FilterPieces::Piece& piece, Work& work) {
      apply_to_piece(piece, input, output, work);
    });
  }

 private:
  struct Work {
    HostBuffer<T> real, spectrum;
    std::vector<std::int64_t> sources;  // source column of each column of the tile
  };

  // The transform of the weights, conjugated for a correlation, and divided by the number of
  // points, since FFTW's transform and its inverse together multiply by it.
  void transform_weights(T* real) {
    const Shape window = correlation_.window;
    for (std::int64_t a = 0; a < window.rows; ++a)
      std::copy_n(correlation_.weights.data() + a * window.columns, window.columns,
                  real + a * tile_.columns);
    Fftw<T>::forward(forward_.get(), real, weights_.data());
    const T scale = static_cast<T>(1.0 / static_cast<double>(tile_.cells()));
    for (std::int64_t i = 0; i < tile_.rows * half_; ++i) {
      weights_.data()[2 * i] *= scale;
      weights_.data()[2 * i + 1] *= -scale;
    }
  }

  void apply_to_piece(const FilterPieces::Piece& piece, const T* input, T* output,
                      Work& work) const {
    load(piece, input, work);
    T* const real = work.real.data();
    T* const __restrict spectrum = work.spectrum.data();
    const T* const __restrict weights = weights_.data();
    Fftw<T>::forward(forward_.get(), real, spectrum);
    for (std::int64_t i = 0; i < 2 * tile_.rows * half_; i += 2) {
      const T re = spectrum[i], im = spectrum[i + 1];
      spectrum[i] = re * weights[i] - im * weights[i + 1];
      spectrum[i + 1] = re * weights[i + 1] + im * weights[i];
    }
    Fftw<T>::backward(backward_.get(), spectrum, real);
    for (std::int64_t row = piece.first_row; row < piece.last_row; ++row)
      std::copy_n(real + (row - piece.first_row) * tile_.columns,
                  piece.last_column - piece.first_column,
                  output + row * correlation_.output.columns + piece.first_column);
  }

  // Loads the tile of a piece; sets values that the piece does not need to 0.
  void load(const FilterPieces::Piece& piece, const T* input, Work& work) const {
    const std::int64_t input_columns = correlation_.input.columns;
    const std::int64_t rows = piece.last_row - piece.first_row + correlation_.window.rows - 1;
    const std::int64_t columns =
        piece.last_column - piece.first_column + correlation_.window.columns - 1;
    const std::int64_t left = piece.first_column - correlation_.before_columns;
    const bool inside = left >= 0 && left + columns <= input_columns;
    for (std::int64_t i = 0; i < columns && !inside; ++i)
      work.sources[i] = edge_index(correlation_.edge, left + i, input_columns);
    for (std::int64_t p = 0; p < rows; ++p) {
      const T* from = rows_.at(input, piece.first_row + p - correlation_.before_rows);
      T* const to = work.real.data() + p * tile_.columns;
      if (inside) {
        std::copy_n(from + left, columns, to);
      } else {
        for (std::int64_t i = 0; i < columns; ++i) {
          const std::int64_t source = work.sources[i];
          to[i] = source < 0 ? correlation_.constant : from[source];
        }
      }
      std::fill(to + columns, to + tile_.columns, T(0));
    }
    std::fill(work.real.data() + rows * tile_.columns, work.real.data() + tile_.cells(), T(0));
  }

  Correlation<T> correlation_;
  EdgeRows<T> rows_;
  Shape tile_;
  std::int64_t half_;  // columns of the half spectrum; the other half mirrors it
  int threads_;
  FilterPieces pieces_;
  HostBuffer<T> weights_;  // transform of the weights, interleaved real and imaginary parts
  FftwPlan<typename Fftw<T>::Plan> forward_, backward_;
  std::vector<Work> work_;
};

}  // namespace

template <class T>
std::unique_ptr<CpuFilter<T>> make_fft_filter(const Correlation<T>& correlation, int threads) {
  return std::make_unique<FftFilter<T>>(correlation, threads);
}
LAPL_FOR_FLOATS(make_fft_filter);

}  // namespace lapl
