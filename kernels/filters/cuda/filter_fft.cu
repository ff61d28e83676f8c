// The filter as products of transforms: overlap-save with cuFFT.
//
// The output is cut into tiles of L = N - window + 1 values along each axis; a tile needs N values
// of the input. Its transform times the conjugate of the window's, transformed back, is the
// correlation: the first L values are valid, the others are wrapped around. Two tiles are the real
// and imaginary parts of one complex transform. Tiles are computed in chunks, so that a chunk stays
// in the L2 cache through the five kernels.
#include <algorithm>
#include <bit>
#include <vector>

#include "kernels/cuda/device/cufft_plan.hpp"
#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/filters/cuda/cuda_filter.hpp"
#include "kernels/filters/cuda/filter_tile.hpp"
#include "kernels/for_floats.hpp"

namespace lapl {
namespace {

constexpr int block_threads = 256;
// bytes of transforms at a time; the L2 cache has 50 MB
constexpr std::int64_t chunk_bytes = 32 << 20;

template <class T>
struct Complex {
  T real, imaginary;
};

struct Tiles {
  int row_bits, column_bits;   // transforms have 2^row_bits x 2^column_bits values
  std::int64_t rows, columns;  // outputs of a tile
  std::int64_t across, count;  // tiles side by side; number of all tiles
};

struct TileCell {
  std::int64_t tile, row, column;
};

// The first of the two tiles of a value of a chunk, and the value's row and column in them.
__device__ __forceinline__ TileCell tile_place(const Tiles& tiles, std::int64_t first_tile,
                                               std::int64_t index) {
  return {first_tile + 2 * (index >> (tiles.row_bits + tiles.column_bits)),
          (index >> tiles.column_bits) & ((std::int64_t{1} << tiles.row_bits) - 1),
          index & ((std::int64_t{1} << tiles.column_bits) - 1)};
}

__device__ __forceinline__ std::int64_t first_item() {
  return std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
}
__device__ __forceinline__ std::int64_t item_stride() {
  return std::int64_t{gridDim.x} * block_threads;
}

template <class T>
__device__ __forceinline__ T tile_value(const TilePlan<T>& plan, const Tiles& tiles, const T* input,
                                        std::int64_t tile, const TileCell& place) {
  if (tile >= tiles.count) return 0;
  const unsigned across = static_cast<unsigned>(tiles.across), t = static_cast<unsigned>(tile);
  const std::int64_t row = edge_index(
      plan.edge, t / across * tiles.rows - plan.before_rows + place.row, plan.input.rows);
  const std::int64_t column =
      edge_index(plan.edge, t % across * tiles.columns - plan.before_columns + place.column,
                 plan.input.columns);
  return row < 0 || column < 0 ? plan.constant : input[row * plan.input.columns + column];
}

template <class T>
__global__ void __launch_bounds__(block_threads)
    gather_tiles(const __grid_constant__ TilePlan<T> plan, const __grid_constant__ Tiles tiles,
                 std::int64_t first_tile, std::int64_t size, const T* input, Complex<T>* chunk) {
  for (std::int64_t i = first_item(); i < size; i += item_stride()) {
    const TileCell place = tile_place(tiles, first_tile, i);
    chunk[i] = {tile_value(plan, tiles, input, place.tile, place),
                tile_value(plan, tiles, input, place.tile + 1, place)};
  }
}

// Multiplies by the conjugate of the window's transform and by the factor 1/N of the inverse.
template <class T>
__global__ void __launch_bounds__(block_threads)
    multiply_spectra(Complex<T>* chunk, const Complex<T>* spectrum, std::int64_t mask,
                     std::int64_t size, T scale) {
  for (std::int64_t i = first_item(); i < size; i += item_stride()) {
    const Complex<T> x = chunk[i], w = spectrum[i & mask];
    const T real = w.real * scale, imaginary = -w.imaginary * scale;
    chunk[i] = {x.real * real - x.imaginary * imaginary, x.real * imaginary + x.imaginary * real};
  }
}

template <class T>
__global__ void __launch_bounds__(block_threads)
    scatter_tiles(const __grid_constant__ TilePlan<T> plan, const __grid_constant__ Tiles tiles,
                  std::int64_t first_tile, std::int64_t size, const Complex<T>* chunk, T* output) {
  for (std::int64_t i = first_item(); i < size; i += item_stride()) {
    const TileCell place = tile_place(tiles, first_tile, i);
    if (place.row >= tiles.rows || place.column >= tiles.columns) continue;
    const Complex<T> value = chunk[i];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      if (place.tile + k >= tiles.count) break;
      const unsigned across = static_cast<unsigned>(tiles.across),
                     t = static_cast<unsigned>(place.tile + k);
      const std::int64_t row = t / across * tiles.rows + place.row;
      const std::int64_t column = t % across * tiles.columns + place.column;
      if (row < plan.output.rows && column < plan.output.columns)
        output[row * plan.output.columns + column] = k == 0 ? value.real : value.imaginary;
    }
  }
}

// The base-2 logarithm of the transform's size along one axis: the size with the least work.
int transform_bits(std::int64_t output, std::int64_t window) {
  const auto bits = [](std::int64_t size) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size - 1)));
  };
  const auto work = [&](int b) {
    const std::int64_t size = std::int64_t{1} << b, valid = size - window + 1;
    return static_cast<double>((output + valid - 1) / valid) * static_cast<double>(size) *
           (24 + b);  // 24 for memory, b for arithmetic
  };
  int best = bits(window);
  for (int b = best + 1; b <= bits(output + window - 1); ++b)
    if (work(b) < work(best)) best = b;
  return best;
}

template <class T>
class FftFilter final : public CudaFilter<T> {
 public:
  FftFilter(const Correlation<T>& correlation, int row_bits, int column_bits)
      : plan_(filter_plan(correlation, 1)) {
    const Shape window = correlation.window, output = correlation.output;
    tiles_.row_bits = row_bits;
    tiles_.column_bits = column_bits;
    const std::int64_t size_rows = std::int64_t{1} << row_bits;
    const std::int64_t size_columns = std::int64_t{1} << column_bits;
    transform_ = size_rows * size_columns;
    tiles_.rows = size_rows - window.rows + 1;
    tiles_.columns = size_columns - window.columns + 1;
    tiles_.across = (output.columns + tiles_.columns - 1) / tiles_.columns;
    tiles_.count = tiles_.across * ((output.rows + tiles_.rows - 1) / tiles_.rows);
    const std::int64_t pairs = (tiles_.count + 1) / 2;
    const std::int64_t most =
        std::max<std::int64_t>(1, chunk_bytes / (transform_ * std::int64_t{sizeof(Complex<T>)}));
    const std::int64_t chunks = (pairs + most - 1) / most;
    chunk_pairs_ = (pairs + chunks - 1) / chunks;
    chunk_ = device_buffer<Complex<T>>(chunk_pairs_ * transform_);
    make_plan(transforms_, chunk_pairs_);
    make_spectrum(correlation);
  }

  void apply(const T* input, T* output, cudaStream_t stream) override {
    LAPL_CUFFT(cufftSetStream(transforms_.handle, stream));
    const std::int64_t size = chunk_.size();
    const unsigned blocks = static_cast<unsigned>(
        std::min<std::int64_t>((size + block_threads - 1) / block_threads, 1 << 20));
    for (std::int64_t tile = 0; tile < tiles_.count; tile += 2 * chunk_pairs_) {
      gather_tiles<<<blocks, block_threads, 0, stream>>>(plan_, tiles_, tile, size, input,
                                                         chunk_.data());
      transform(transforms_, chunk_.data(), CUFFT_FORWARD);
      multiply_spectra<<<blocks, block_threads, 0, stream>>>(
          chunk_.data(), spectrum_.data(), transform_ - 1, size, T(1) / static_cast<T>(transform_));
      transform(transforms_, chunk_.data(), CUFFT_INVERSE);
      scatter_tiles<<<blocks, block_threads, 0, stream>>>(plan_, tiles_, tile, size, chunk_.data(),
                                                          output);
      LAPL_CUDA(cudaGetLastError());
    }
  }

 private:
  static constexpr cudaDataType type = sizeof(T) == 4 ? CUDA_C_32F : CUDA_C_64F;

  void make_plan(const CufftPlan& plan, std::int64_t batch) const {
    long long sizes[] = {1ll << tiles_.row_bits, 1ll << tiles_.column_bits};
    const bool line = tiles_.row_bits == 0 || tiles_.column_bits == 0;
    long long length = transform_;
    std::size_t bytes = 0;
    LAPL_CUFFT(cufftXtMakePlanMany(plan.handle, line ? 1 : 2, line ? &length : sizes, nullptr, 1,
                                   transform_, type, nullptr, 1, transform_, type, batch, &bytes,
                                   type));
  }

  static void transform(const CufftPlan& plan, Complex<T>* values, int direction) {
    LAPL_CUFFT(cufftXtExec(plan.handle, values, values, direction));
  }

  void make_spectrum(const Correlation<T>& correlation) {
    std::vector<Complex<T>> window(transform_);
    for (std::int64_t a = 0; a < correlation.window.rows; ++a)
      for (std::int64_t b = 0; b < correlation.window.columns; ++b)
        window[(a << tiles_.column_bits) + b].real =
            correlation.weights[a * correlation.window.columns + b];
    spectrum_ = device_buffer<Complex<T>>(transform_);
    LAPL_CUDA(cudaMemcpy(spectrum_.data(), window.data(), window.size() * sizeof(Complex<T>),
                         cudaMemcpyHostToDevice));
    const CufftPlan once;
    make_plan(once, 1);
    transform(once, spectrum_.data(), CUFFT_FORWARD);
    LAPL_CUDA(cudaStreamSynchronize(nullptr));
  }

  TilePlan<T> plan_;
  Tiles tiles_;
  std::int64_t transform_;  // number of values of one transform
  std::int64_t chunk_pairs_;
  DeviceBuffer<Complex<T>> chunk_, spectrum_;
  CufftPlan transforms_;
};

}  // namespace

template <class T>
std::unique_ptr<CudaFilter<T>> make_fft_filter(const Correlation<T>& correlation) {
  const int row_bits = transform_bits(correlation.output.rows, correlation.window.rows);
  const int column_bits = transform_bits(correlation.output.columns, correlation.window.columns);
  // A window of one value needs no transform of its own, but cuFFT needs at least two values.
  return std::make_unique<FftFilter<T>>(correlation, row_bits,
                                        row_bits + column_bits == 0 ? 1 : column_bits);
}
LAPL_FOR_FLOATS(make_fft_filter);

}  // namespace lapl
