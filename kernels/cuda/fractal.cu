#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/cuda/cuda_backend.hpp"
#include "kernels/cuda/cuda_check.hpp"
#include "kernels/cuda/cufft_plan.hpp"
#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/device_info.hpp"
#include "kernels/cuda/observe.hpp"
#include "kernels/cuda/stream.hpp"
#include "kernels/pcg64.hpp"
#include "kernels/percentile.hpp"

namespace lapl {
namespace {

constexpr int block_threads = 256;
constexpr std::int64_t chunk = 128;  // noise that one thread draws; even

// Enough blocks for `work` items, or fewer that take several items a thread.
int block_count(std::int64_t work) {
  return static_cast<int>(
      std::min<std::int64_t>((work + block_threads - 1) / block_threads, 1 << 16));
}

__device__ __forceinline__ std::int64_t first_item() {
  return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ std::int64_t item_stride() {
  return std::int64_t{gridDim.x} * blockDim.x;
}

struct StoreNoise {
  double* field;
  LAPL_HOST_DEVICE void operator()(std::int64_t index, float value) const {
    field[index] = static_cast<double>(value);
  }
};

__global__ void draw_field(Pcg64 generator, std::int64_t cells, double* field) {
  for (std::int64_t first = first_item() * chunk; first < cells; first += item_stride() * chunk)
    draw_noise(generator, first, min(chunk, cells - first), StoreNoise{field});
}

// Distance from the origin plus 1; integers below 2^26 square exactly.
__device__ __forceinline__ double radius(std::int64_t planes, std::int64_t rows,
                                         std::int64_t columns) {
  const double z = static_cast<double>(planes), y = static_cast<double>(rows),
               x = static_cast<double>(columns);
  return 1 + sqrt(z * z + y * y + x * x);
}

// 0, 1, ..., -2, -1.
__device__ __forceinline__ std::int64_t wave_number(std::int64_t index, std::int64_t size) {
  return index <= size / 2 ? index : index - size;
}

// Multiplies by radius^-exponent / cells: the filter, and what the inverse transform leaves out.
// The half spectrum has columns 0 ... columns / 2.
__global__ void filter_spectrum(cufftDoubleComplex* spectrum, std::int64_t planes,
                                std::int64_t rows, std::int64_t half_columns, double exponent,
                                double cells) {
  for (std::int64_t i = first_item(); i < planes * rows * half_columns; i += item_stride()) {
    const std::int64_t row = i / half_columns, column = i - row * half_columns;
    const double k = radius(wave_number(row / rows, planes), wave_number(row % rows, rows), column);
    const double factor = pow(k, -exponent) / cells;
    spectrum[i].x *= factor;
    spectrum[i].y *= factor;
  }
}

__global__ void crop_field(double* field, Shape shape, double limit) {
  for (std::int64_t i = first_item(); i < shape.planes * shape.rows * shape.columns;
       i += item_stride()) {
    const std::int64_t row = i / shape.columns, column = i - row * shape.columns;
    if (radius(row / shape.rows - shape.planes / 2, row % shape.rows - shape.rows / 2,
               column - shape.columns / 2) >= limit)
      field[i] = 0;
  }
}

__global__ void threshold_field(double* field, std::int64_t cells, double threshold) {
  for (std::int64_t i = first_item(); i < cells; i += item_stride())
    if (!(field[i] > threshold)) field[i] = 0;
}

// Plans a transform from `input` to `output`; its work area, of so many bytes, comes later.
std::size_t make_plan(const CufftPlan& plan, Shape shape, cudaDataType input, cudaDataType output,
                      cudaStream_t stream) {
  LAPL_CUFFT(cufftSetAutoAllocation(plan.handle, 0));
  const std::vector<std::int64_t> extents = shape.extents();
  std::vector<long long> sizes(extents.begin(), extents.end());
  std::size_t bytes = 0;
  LAPL_CUFFT(cufftXtMakePlanMany(plan.handle, static_cast<int>(sizes.size()), sizes.data(), nullptr,
                                 1, 1, input, nullptr, 1, 1, output, 1, &bytes, CUDA_C_64F));
  LAPL_CUFFT(cufftSetStream(plan.handle, stream));
  return bytes;
}

std::string fractal_text(Shape shape) {
  return "the fractal field of " + text_of(shape) + " cells";
}

// Multiplies the Fourier transform of `field` by radius^-exponent, in place.
void filter(double* field, Shape shape, double exponent, cudaStream_t stream) {
  if (shape.cells() == 1) return;  // the only wave number is 0, of radius 1
  // Without axes of one cell: the same values, and the same radii.
  std::vector<std::int64_t> extents = shape.extents();
  std::erase(extents, 1);
  shape = Shape::of(extents);
  const std::int64_t half_columns = shape.columns / 2 + 1;
  const std::int64_t waves = shape.planes * shape.rows * half_columns;
  CufftPlan forward, backward;
  const std::size_t work_bytes =
      std::max({make_plan(forward, shape, CUDA_R_64F, CUDA_C_64F, stream),
                make_plan(backward, shape, CUDA_C_64F, CUDA_R_64F, stream),
                std::size_t{256}});  // a work area of no bytes would be no address
  require_device_memory(fractal_text(shape),
                        static_cast<double>(waves) * 16 + static_cast<double>(work_bytes));
  const auto spectrum = device_buffer<cufftDoubleComplex>(waves);
  const auto work = device_buffer<unsigned char>(static_cast<std::int64_t>(work_bytes));
  LAPL_CUFFT(cufftSetWorkArea(forward.handle, work.data()));
  LAPL_CUFFT(cufftSetWorkArea(backward.handle, work.data()));
  LAPL_CUFFT(cufftXtExec(forward.handle, field, spectrum.data(), CUFFT_FORWARD));
  filter_spectrum<<<block_count(waves), block_threads, 0, stream>>>(
      spectrum.data(), shape.planes, shape.rows, half_columns, exponent,
      static_cast<double>(shape.cells()));
  LAPL_CUDA(cudaGetLastError());
  LAPL_CUFFT(cufftXtExec(backward.handle, spectrum.data(), field, CUFFT_INVERSE));
  LAPL_CUDA(cudaStreamSynchronize(stream));  // before spectrum and work are freed
}

// CUB returns most errors of the runtime as LAPL_CUDA wants them, and throws others.
void sort(void* work, std::size_t& work_bytes, cub::DoubleBuffer<double>& values,
          std::int64_t count, cudaStream_t stream) {
  try {
    LAPL_CUDA(cub::DeviceRadixSort::SortKeys(work, work_bytes, values, count, 0, 64, stream));
  } catch (const DeviceError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw DeviceError(std::string("sorting on the device: ") + error.what());
  }
}

double percentile_of(const double* field, Shape shape, double percentile, cudaStream_t stream) {
  const std::int64_t cells = shape.cells();
  std::size_t sort_bytes = 0;
  cub::DoubleBuffer<double> sorted(nullptr, nullptr);
  sort(nullptr, sort_bytes, sorted, cells, stream);
  require_device_memory("the percentile of " + fractal_text(shape),
                        static_cast<double>(cells) * 16 + static_cast<double>(sort_bytes));
  const auto copy = device_buffer<double>(cells), other = device_buffer<double>(cells);
  const auto work = device_buffer<unsigned char>(static_cast<std::int64_t>(sort_bytes));
  sorted = cub::DoubleBuffer<double>(copy.data(), other.data());
  LAPL_CUDA(cudaMemcpyAsync(copy.data(), field, static_cast<std::size_t>(cells) * sizeof(double),
                            cudaMemcpyDeviceToDevice, stream));
  sort(work.data(), sort_bytes, sorted, cells, stream);
  const PercentileRank rank(percentile, cells);
  double low = 0, high = 0;
  LAPL_CUDA(cudaMemcpyAsync(&low, sorted.Current() + rank.lower, sizeof low, cudaMemcpyDeviceToHost,
                            stream));
  LAPL_CUDA(cudaMemcpyAsync(&high, sorted.Current() + rank.upper, sizeof high,
                            cudaMemcpyDeviceToHost, stream));
  LAPL_CUDA(cudaStreamSynchronize(stream));
  return rank.between(low, high);
}

}  // namespace

template <class T>
void fill_fractal_on_device(const Block<T>& block, const FractalParameters& parameters) {
  const Shape shape = block.shape;
  const auto stream = static_cast<cudaStream_t>(block.stream);
  const std::int64_t cells = shape.cells();
  require_device_memory(fractal_text(shape), static_cast<double>(cells) * sizeof(double));
  const auto field = device_buffer<double>(cells);
  draw_field<<<block_count((cells + chunk - 1) / chunk), block_threads, 0, stream>>>(
      numpy_generator(parameters.seed), cells, field.data());
  LAPL_CUDA(cudaGetLastError());
  filter(field.data(), shape, parameters.spectral_exponent, stream);
  if (parameters.crop_radius) {
    crop_field<<<block_count(cells), block_threads, 0, stream>>>(field.data(), shape,
                                                                 crop_limit(parameters, shape));
    LAPL_CUDA(cudaGetLastError());
  }
  if (parameters.percentile) {
    const double threshold = percentile_of(field.data(), shape, *parameters.percentile, stream);
    threshold_field<<<block_count(cells), block_threads, 0, stream>>>(field.data(), cells,
                                                                      threshold);
    LAPL_CUDA(cudaGetLastError());
  }
  store_state(static_cast<const double*>(field.data()), block.values,
              {shape.planes * shape.rows, shape.columns, block.pitch}, stream);
  LAPL_CUDA(cudaStreamSynchronize(stream));  // before field is freed
}
template <class T>
void copy_fractal_from_device(Shape shape, const FractalParameters& parameters, T* values) {
  const auto field = device_buffer<T>(shape.cells());
  const Stream stream;
  fill_fractal_on_device<T>({.place = Block<T>::Place::device,
                             .shape = shape,
                             .pitch = shape.columns,
                             .values = field.data(),
                             .stream = static_cast<cudaStream_t>(stream)},
                            parameters);
  LAPL_CUDA(cudaMemcpy(values, field.data(), static_cast<std::size_t>(shape.cells()) * sizeof(T),
                       cudaMemcpyDeviceToHost));
}
template void copy_fractal_from_device(Shape, const FractalParameters&, float*);
template void copy_fractal_from_device(Shape, const FractalParameters&, double*);
template void fill_fractal_on_device(const Block<float>&, const FractalParameters&);
template void fill_fractal_on_device(const Block<double>&, const FractalParameters&);

}  // namespace lapl
