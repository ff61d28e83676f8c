// Three CUDA kernels take a few batches at a time, so that their intermediate sums stay in the L2
// cache. Only the diagonal blocks move through device memory, of gamma once and of input twice.
//
// CUDA blocks loop over places (y, x) of the first plane, threads over places of the second. A
// thread loads several neighbours at a time if all rows start at multiples of that size.
#include <algorithm>
#include <type_traits>

#include "kernels/cuda/cuda_backend.hpp"
#include "kernels/cuda/device/cuda_check.hpp"
#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/cuda/device/device_info.hpp"
#include "kernels/stages/arithmetic.hpp"

namespace lapl {
namespace {

constexpr int block_threads = 256;                // threads of a block of sum_down
constexpr int most_threads = 320;                 // most threads of a block of the other kernels
constexpr int ahead = 8;                          // loads of a thread before its first store
constexpr std::int64_t sums_at_a_time = 5 << 20;  // floats of `channels` at a time

// Extents of the problem, as a kernel's argument.
struct Sizes {
  std::int64_t channels, outputs, rows, columns, window_rows, window_columns;
  std::int64_t wide;   // columns of the source
  std::int64_t plane;  // cells of the source
};

// Neighbouring values that a thread loads and stores in one instruction.
template <class Storage, int W>
struct alignas(W * sizeof(Storage)) Values {
  Storage at[W];
};

template <int bytes>
struct Word;
template <>
struct Word<2> : std::type_identity<unsigned short> {};
template <>
struct Word<4> : std::type_identity<unsigned> {};
template <>
struct Word<8> : std::type_identity<uint2> {};
template <>
struct Word<16> : std::type_identity<uint4> {};
template <class Values>
using WordOf = typename Word<static_cast<int>(sizeof(Values))>::type;

template <int W, class Storage>
__device__ __forceinline__ Values<Storage, W> read(const Storage* place) {
  using Result = Values<Storage, W>;
  return __builtin_bit_cast(Result, __ldg(reinterpret_cast<const WordOf<Result>*>(place)));
}

// Reads values that are needed only once, so that the sums stay in the L2 cache.
template <int W, class Storage>
__device__ __forceinline__ Values<Storage, W> read_once(const Storage* place) {
  using Result = Values<Storage, W>;
  return __builtin_bit_cast(Result, __ldcs(reinterpret_cast<const WordOf<Result>*>(place)));
}

template <class Storage>
__device__ __forceinline__ float read(const Storage* place) {
  return as_number(read<1>(place).at[0]);
}

template <int W, class Storage>
__global__ void __launch_bounds__(most_threads)
    sum_channels(const __grid_constant__ Sizes s, const Storage* mu, const Storage* gamma,
                 std::int64_t places, float* sums) {
  for (std::int64_t block = blockIdx.x; block < places; block += gridDim.x) {
    const std::int64_t b = block / s.plane, place = block % s.plane;
    const Storage* const mean = mu + b * s.channels * s.plane;
    const Storage* const rows = gamma + (b * s.channels * s.plane + place) * s.channels * s.plane;
    // distance to the next channel's block
    const std::int64_t next = (s.plane * s.channels + 1) * s.plane;
    for (std::int64_t i = threadIdx.x * W; i < s.plane; i += blockDim.x * W) {
      Values<float, W> sum = {};
#pragma unroll 8
      for (std::int64_t ch = 0; ch < s.channels; ++ch) {
        const float here = read(mean + ch * s.plane + place);
        const auto there = read<W>(mean + ch * s.plane + i);
        const auto more = read_once<W>(rows + ch * next + i);
#pragma unroll
        for (int k = 0; k < W; ++k)
          sum.at[k] =
              fused_multiply_add(here, as_number(there.at[k]), sum.at[k]) + as_number(more.at[k]);
      }
      *reinterpret_cast<Values<float, W>*>(sums + block * s.plane + i) = sum;
    }
  }
}

__global__ void __launch_bounds__(block_threads)
    sum_down(const __grid_constant__ Sizes s, const float* channels, std::int64_t places,
             float* down) {
  const std::int64_t part = s.rows * s.wide;  // number of places of a plane that have a sum
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

template <int W, class Storage>
__global__ void __launch_bounds__(most_threads)
    add_sums(const __grid_constant__ Sizes s, const float* down, const Storage* c,
             std::int64_t places, Storage* input) {
  const unsigned columns = static_cast<unsigned>(s.columns);
  const std::int64_t cells = s.rows * s.columns, part = s.rows * s.wide;
  const std::int64_t next = (cells * s.outputs + 1) * cells;  // distance to the next output's block
  for (std::int64_t block = blockIdx.x; block < places; block += gridDim.x) {
    const std::int64_t b = block / cells, place = block % cells;
    const float* const from =
        down + (b * part + place / s.columns * s.wide + place % s.columns) * part;
    Storage* const to = input + (b * s.outputs * cells + place) * s.outputs * cells;
    for (unsigned i = threadIdx.x * W; i < cells; i += blockDim.x * W) {
      const float* const at = from + i / columns * s.wide + i % columns;
      float sum[W];
#pragma unroll
      for (int k = 0; k < W; ++k) sum[k] = at[k];
      for (std::int64_t q = 1; q < s.window_columns; ++q)
#pragma unroll
        for (int k = 0; k < W; ++k) sum[k] += at[q * (part + 1) + k];
      for (std::int64_t first = 0; first < s.outputs; first += ahead) {
        Values<Storage, W> values[ahead];
#pragma unroll
        for (int n = 0; n < ahead; ++n)
          if (first + n < s.outputs) values[n] = read_once<W>(to + (first + n) * next + i);
#pragma unroll
        for (int n = 0; n < ahead; ++n) {
          if (first + n >= s.outputs) continue;
          const float factor = read(c + first + n);
#pragma unroll
          for (int k = 0; k < W; ++k)
            values[n].at[k] =
                stored_as<Storage>(fused_multiply_add(factor, sum[k], as_number(values[n].at[k])));
          using Word = WordOf<Values<Storage, W>>;
          __stcs(reinterpret_cast<Word*>(to + (first + n) * next + i),
                 __builtin_bit_cast(Word, values[n]));
        }
      }
    }
  }
}

unsigned blocks(std::int64_t places) {
  return static_cast<unsigned>(std::min<std::int64_t>(places, 1 << 30));
}

// The number of threads of a block that loops over `count` groups of W values.
int threads(std::int64_t count) {
  const std::int64_t turns = (count + most_threads - 1) / most_threads;
  return static_cast<int>((count + turns - 1) / turns + 31) / 32 * 32;
}

// Calls `call` with the largest number of neighbours, up to 4, that divides `width` and for which
// all arrays are aligned.
template <class Call, class... Arrays>
void with_neighbours(std::int64_t width, const Call& call, const Arrays*... arrays) {
  const auto fits = [&](int w) {
    return width % w == 0 && (... && (reinterpret_cast<std::uintptr_t>(arrays) %
                                          (static_cast<std::size_t>(w) * sizeof(Arrays)) ==
                                      0));
  };
  if (fits(4))
    call(std::integral_constant<int, 4>());
  else if (fits(2))
    call(std::integral_constant<int, 2>());
  else
    call(std::integral_constant<int, 1>());
}

std::int64_t batches_at_a_time(const CovarianceProblem& problem) {
  return std::clamp<std::int64_t>(sums_at_a_time / problem.channel_sums(), 1, problem.batch);
}

// Enqueues the kernels and returns at once. All pointers are to device memory, aligned to their
// type; `work` has room for the sums of batches_at_a_time.
template <class Storage>
void start_covariance(const CovarianceProblem& problem, const Storage* mu, const Storage* gamma,
                      const Storage* c, Storage* input, float* work) {
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
    const auto start_channels = [&](auto w) {
      sum_channels<w()><<<blocks(batches * plane), threads(plane / w())>>>(
          sizes, mu + b * mu_size, gamma + b * mu_size * mu_size, batches * plane, work);
    };
    with_neighbours(plane, start_channels, mu, gamma, work);
    sum_down<<<blocks(batches * part), block_threads>>>(sizes, work, batches * part, down);
    const auto start_sums = [&](auto w) {
      add_sums<w()><<<blocks(batches * cells), threads(cells / w())>>>(
          sizes, down, c, batches * cells, input + b * input_size * input_size);
    };
    with_neighbours(problem.output.columns, start_sums, input);
    LAPL_CUDA(cudaGetLastError());
  }
}

}  // namespace

template <class Storage>
void add_covariance_cuda(const CovarianceProblem& problem, CovarianceTerms<Storage>& terms) {
  auto& [input, mu, gamma, c] = terms;
  const std::size_t values = input.size() + mu.size() + gamma.size() + c.size();
  const std::int64_t work_size =
      batches_at_a_time(problem) * (problem.channel_sums() + problem.down_sums());
  require_device_memory("the covariance", static_cast<double>(values) * sizeof(Storage) +
                                              static_cast<double>(work_size) * sizeof(float));
  const auto copied = [](const std::vector<Storage>& from) {
    auto buffer = device_buffer<Storage>(std::ssize(from));
    LAPL_CUDA(cudaMemcpy(buffer.data(), from.data(), from.size() * sizeof(Storage),
                         cudaMemcpyHostToDevice));
    return buffer;
  };
  const auto device_mu = copied(mu), device_gamma = copied(gamma);
  const auto device_c = copied(c), device_input = copied(input);
  const auto work = device_buffer<float>(work_size);
  start_covariance(problem, device_mu.data(), device_gamma.data(), device_c.data(),
                   device_input.data(), work.data());
  LAPL_CUDA(cudaMemcpy(input.data(), device_input.data(), input.size() * sizeof(Storage),
                       cudaMemcpyDeviceToHost));
}
template void add_covariance_cuda(const CovarianceProblem&, CovarianceTerms<float>&);
template void add_covariance_cuda(const CovarianceProblem&, CovarianceTerms<Half>&);

}  // namespace lapl
