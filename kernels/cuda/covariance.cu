// Three kernels for a few batches at a time, whose intermediate sums stay in the L2 cache: what
// moves through device memory is gamma's diagonal blocks once and input's twice.
//
// Blocks go over places (y, x) of the first plane, threads over places of the second.
#include <algorithm>

#include "kernels/cuda/covariance.hpp"
#include "kernels/cuda/covariance_from_host.hpp"
#include "kernels/cuda/cuda_check.hpp"
#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/device_info.hpp"
#include "kernels/update.hpp"

namespace lapl {
namespace {

constexpr int block_threads = 256;
constexpr int ahead = 8;                          // loads of a thread before the first store
constexpr std::int64_t sums_at_a_time = 5 << 20;  // floats of `channels`

// Values of the problem as the kernels need them.
struct Sizes {
  std::int64_t channels, outputs, rows, columns, window_rows, window_columns;
  std::int64_t wide;   // columns of the source
  std::int64_t plane;  // cells of the source
};

template <class Storage>
__device__ __forceinline__ float read(const Storage* place) {
  if constexpr (sizeof(Storage) == 2)
    return to_float(Half{__ldg(reinterpret_cast<const unsigned short*>(place))});
  else
    return __ldg(place);
}

template <class Storage>
__global__ void __launch_bounds__(block_threads)
    sum_channels(const __grid_constant__ Sizes s, const Storage* mu, const Storage* gamma,
                 std::int64_t places, float* sums) {
  for (std::int64_t block = blockIdx.x; block < places; block += gridDim.x) {
    const std::int64_t b = block / s.plane, place = block % s.plane;
    const Storage* const mean = mu + b * s.channels * s.plane;
    const Storage* const rows = gamma + (b * s.channels * s.plane + place) * s.channels * s.plane;
    const std::int64_t next = (s.plane * s.channels + 1) * s.plane;  // to the next channel's block
    for (std::int64_t i = threadIdx.x; i < s.plane; i += block_threads) {
      float sum = 0;
#pragma unroll 8
      for (std::int64_t ch = 0; ch < s.channels; ++ch)
        sum = fused_multiply_add(read(mean + ch * s.plane + place), read(mean + ch * s.plane + i),
                                 sum) +
              read(rows + ch * next + i);
      sums[block * s.plane + i] = sum;
    }
  }
}

__global__ void __launch_bounds__(block_threads)
    sum_down(const __grid_constant__ Sizes s, const float* channels, std::int64_t places,
             float* down) {
  const std::int64_t part = s.rows * s.wide;  // the places of a plane that have a sum
  const std::int64_t step = s.wide * (s.plane + 1);
  for (std::int64_t block = blockIdx.x; block < places; block += gridDim.x) {
    const std::int64_t b = block / part, place = block % part;
    const float* const from = channels + (b * s.plane + place) * s.plane;
    for (std::int64_t i = threadIdx.x; i < part; i += block_threads) {
      float sum = from[i];
      for (std::int64_t p = 1; p < s.window_rows; ++p) sum += from[p * step + i];
      down[block * part + i] = sum;
    }
  }
}

template <class Storage>
__global__ void __launch_bounds__(block_threads)
    add_sums(const __grid_constant__ Sizes s, const float* down, const Storage* c,
             std::int64_t places, Storage* input) {
  const unsigned columns = static_cast<unsigned>(s.columns);
  const std::int64_t cells = s.rows * s.columns, part = s.rows * s.wide;
  const std::int64_t next = (cells * s.outputs + 1) * cells;  // to the next output's block
  for (std::int64_t block = blockIdx.x; block < places; block += gridDim.x) {
    const std::int64_t b = block / cells, place = block % cells;
    const float* const from =
        down + (b * part + place / s.columns * s.wide + place % s.columns) * part;
    Storage* const to = input + (b * s.outputs * cells + place) * s.outputs * cells;
    for (unsigned i = threadIdx.x; i < cells; i += block_threads) {
      const float* const at = from + i / columns * s.wide + i % columns;
      float sum = at[0];
      for (std::int64_t q = 1; q < s.window_columns; ++q) sum += at[q * (part + 1)];
      for (std::int64_t first = 0; first < s.outputs; first += ahead) {
        Storage values[ahead];
#pragma unroll
        for (int k = 0; k < ahead; ++k)
          if (first + k < s.outputs) values[k] = to[(first + k) * next + i];
#pragma unroll
        for (int k = 0; k < ahead; ++k)
          if (first + k < s.outputs)
            to[(first + k) * next + i] = to_storage<Storage>(
                fused_multiply_add(read(c + first + k), sum, to_float(values[k])));
      }
    }
  }
}

unsigned blocks(std::int64_t places) {
  return static_cast<unsigned>(std::min<std::int64_t>(places, 1 << 30));
}

std::int64_t batches_at_a_time(const CovarianceProblem& problem) {
  return std::clamp<std::int64_t>(sums_at_a_time / problem.channel_sums(), 1, problem.batch);
}

}  // namespace

std::int64_t covariance_work_size(const CovarianceProblem& problem) {
  return batches_at_a_time(problem) * (problem.channel_sums() + problem.down_sums());
}

template <class Storage>
void add_covariance_cuda(const CovarianceProblem& problem, const Storage* mu, const Storage* gamma,
                         const Storage* c, Storage* input, float* work, cudaStream_t stream) {
  const Shape source = problem.source();
  const Sizes sizes{problem.channels,       problem.outputs,     problem.output.rows,
                    problem.output.columns, problem.window.rows, problem.window.columns,
                    source.columns,         source.cells()};
  const std::int64_t plane = source.cells(), part = problem.output.rows * source.columns;
  const std::int64_t cells = problem.output.cells(), most = batches_at_a_time(problem);
  float* const down = work + most * problem.channel_sums();
  for (std::int64_t b = 0; b < problem.batch; b += most) {
    const std::int64_t batches = std::min(most, problem.batch - b);
    const std::int64_t mu_size = problem.channels * plane, input_size = problem.outputs * cells;
    sum_channels<<<blocks(batches * plane), block_threads, 0, stream>>>(
        sizes, mu + b * mu_size, gamma + b * mu_size * mu_size, batches * plane, work);
    sum_down<<<blocks(batches * part), block_threads, 0, stream>>>(sizes, work, batches * part,
                                                                   down);
    add_sums<<<blocks(batches * cells), block_threads, 0, stream>>>(
        sizes, down, c, batches * cells, input + b * input_size * input_size);
    LAPL_CUDA(cudaGetLastError());
  }
}
template void add_covariance_cuda(const CovarianceProblem&, const float*, const float*,
                                  const float*, float*, float*, cudaStream_t);
template void add_covariance_cuda(const CovarianceProblem&, const Half*, const Half*, const Half*,
                                  Half*, float*, cudaStream_t);

template <class Storage>
void add_covariance_from_host(const CovarianceProblem& problem, const Storage* mu,
                              const Storage* gamma, const Storage* c, Storage* input) {
  LAPL_CUDA(cudaSetDevice(device_number));
  const std::int64_t mu_size = problem.batch * problem.channels * problem.source().cells();
  const std::int64_t gamma_size = mu_size * problem.channels * problem.source().cells();
  const std::int64_t row = problem.outputs * problem.output.cells();
  const std::int64_t input_size = problem.batch * row * row,
                     work_size = covariance_work_size(problem);
  const std::int64_t values = mu_size + gamma_size + problem.outputs + input_size;
  require_device_memory("the covariance", static_cast<double>(values) * sizeof(Storage) +
                                              static_cast<double>(work_size) * sizeof(float));
  const auto copied = [](const Storage* from, std::int64_t size) {
    auto buffer = device_buffer<Storage>(size);
    LAPL_CUDA(cudaMemcpy(buffer.data(), from, static_cast<std::size_t>(size) * sizeof(Storage),
                         cudaMemcpyHostToDevice));
    return buffer;
  };
  const auto device_mu = copied(mu, mu_size), device_gamma = copied(gamma, gamma_size);
  const auto device_c = copied(c, problem.outputs), device_input = copied(input, input_size);
  const auto work = device_buffer<float>(work_size);
  add_covariance_cuda(problem, device_mu.data(), device_gamma.data(), device_c.data(),
                      device_input.data(), work.data(), nullptr);
  LAPL_CUDA(cudaMemcpy(input, device_input.data(),
                       static_cast<std::size_t>(input_size) * sizeof(Storage),
                       cudaMemcpyDeviceToHost));
}
template void add_covariance_from_host(const CovarianceProblem&, const float*, const float*,
                                       const float*, float*);
template void add_covariance_from_host(const CovarianceProblem&, const Half*, const Half*,
                                       const Half*, Half*);

}  // namespace lapl
