// The filter of a window of rank 1, as two passes within one CUDA kernel. Large inputs with odd
// square windows up to 33 without zeros use the kernel of filter_strips.cuh, all others this one:
//
//   tile   input with halo            rows: R + window rows - 1
//          sums down the columns      rows: R, in place, still with the halo of columns
//   output sums along the rows
//
// R is at most 80. In the first pass a lane owns a column and goes down 16 rows (8 in float64) of
// sums at a time; row i of the sums replaces row i of the tile, which later sums do not need. In
// the second pass a lane owns 64 bytes of a row, and eight lanes are one below the other.
#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/filters/cuda/cuda_filter.hpp"
#include "kernels/filters/cuda/filter_strips.cuh"
#include "kernels/filters/cuda/filter_tile.hpp"
#include "kernels/for_floats.hpp"

namespace lapl {
namespace {

constexpr int lane_rows = 8;  // lanes of a warp below each other, in the second pass

template <class T>
struct SeparablePlan {
  TilePlan<T> filter;
  int window_rows, window_columns;
  int tile_rows;
  int pitch;         // 16 bytes more than a multiple of 128 bytes, the width of all banks
  int weights_rows;  // number of weights of the first pass, padded to whole vectors
  int weights_columns;
};

template <class T>
constexpr int tile_columns = 32 * vector_size<T>;

template <class T>
struct LoadDown {
  const T* column;
  int pitch;
  __device__ __forceinline__ void operator()(int vector, T (&place)[vector_size<T>]) const {
    const T* from = column + vector * vector_size<T> * pitch;
#pragma unroll
    for (int k = 0; k < vector_size<T>; ++k) place[k] = from[k * pitch];
  }
};

template <class T>
__global__ void __launch_bounds__(512, 1)
    separable_window(const __grid_constant__ SeparablePlan<T> plan, const T* window_weights,
                     const T* input, T* output) {
  constexpr int V = vector_size<T>, C = lane_outputs<T>, warp_columns = 32 / lane_rows * C;
  extern __shared__ __align__(16) unsigned char shared[];
  T* const weights_down = reinterpret_cast<T*>(shared);
  T* const weights_along = weights_down + plan.weights_rows;
  T* const tile = weights_along + plan.weights_columns;
  const TilePlan<T>& filter = plan.filter;
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  wait_for_previous_kernel();

  const std::int64_t first_row = std::int64_t{blockIdx.x / filter.tiles_across} * plan.tile_rows;
  const std::int64_t first_column =
      std::int64_t{blockIdx.x % filter.tiles_across} * tile_columns<T>;
  load_tile(filter, input, first_row - filter.before_rows, first_column - filter.before_columns,
            plan.tile_rows + plan.window_rows - 1, tile_columns<T> + plan.window_columns - 1, tile,
            plan.pitch);
  for (int i = thread; i < plan.weights_rows + plan.weights_columns; i += threads)
    weights_down[i] = window_weights[i];
  __syncthreads();

  for (int column = thread; column < tile_columns<T> + plan.window_columns - 1; column += threads)
    for (int row = 0; row < plan.tile_rows; row += C) {
      T* const place = tile + row * plan.pitch + column;
      T sums[C] = {};
      sum_along_window(LoadDown<T>{place, plan.pitch}, weights_down, plan.window_rows, sums);
#pragma unroll
      for (int i = 0; i < C; ++i) place[i * plan.pitch] = sums[i];
    }
  __syncthreads();

  const int lane = thread % 32, warp = thread / 32;
  T* const stage =
      tile + (plan.tile_rows + plan.weights_rows - 1 + V) * plan.pitch + warp * 8 * stage_pitch<T>;
  constexpr int across = tile_columns<T> / warp_columns;
  for (int item = warp; item < across * (plan.tile_rows / lane_rows); item += threads / 32) {
    const int row = item / across * lane_rows, column = item % across * warp_columns;
    T sums[C] = {};
    const T* from = tile + (row + lane % lane_rows) * plan.pitch + column + lane / lane_rows * C;
    sum_along_window(LoadAlong<T>{from}, weights_along, plan.window_columns, sums);
    store_outputs<lane_rows>(filter, sums, stage, first_row + row, first_column + column, output);
  }
}

constexpr int rounded_up(int value, int unit) { return (value + unit - 1) / unit * unit; }

template <class T>
class OneKernel final : public CudaFilter<T> {
 public:
  OneKernel(const Correlation<T>& correlation, const SeparableWeights<T>& weights, int lead)
      : plan_(make_plan(correlation, lead)) {
    // If possible, three blocks fit a multiprocessor and each multiprocessor gets at least two.
    constexpr std::size_t third = 75 << 10;
    while (plan_.tile_rows > 16 &&
           (bytes(plan_) > third || tile_count(plan_.filter, plan_.tile_rows) < 2 * 132))
      plan_.tile_rows -= 16;
    blocks_ = tile_count(plan_.filter, plan_.tile_rows);
    std::vector<T> padded(plan_.weights_rows + plan_.weights_columns);
    std::ranges::copy(weights.rows, padded.begin());
    std::ranges::copy(weights.columns, padded.begin() + plan_.weights_rows + lead);
    weights_ = device_buffer<T>(static_cast<std::int64_t>(padded.size()));
    LAPL_CUDA(cudaMemcpy(weights_.data(), padded.data(), padded.size() * sizeof(T),
                         cudaMemcpyHostToDevice));
    LAPL_CUDA(cudaFuncSetAttribute(separable_window<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   most_bytes));
  }

  static bool fits(const Correlation<T>& correlation, int lead) {
    if (std::max(correlation.window.rows, correlation.window.columns) > 1 << 14) return false;
    SeparablePlan<T> plan = make_plan(correlation, lead);
    plan.tile_rows = 16;
    return bytes(plan) <= most_bytes;
  }

  void apply(const T* input, T* output, cudaStream_t stream) override {
    plan_.filter.aligned = rows_aligned(input, plan_.filter.input.columns);
    launch(separable_window<T>, blocks_, threads(plan_), bytes(plan_), stream, plan_,
           weights_.data(), input, output);
  }

 private:
  static constexpr int most_bytes = 227 << 10;

  static SeparablePlan<T> make_plan(const Correlation<T>& correlation, int lead) {
    constexpr int V = vector_size<T>;
    SeparablePlan<T> plan{};
    plan.filter = filter_plan(correlation, tile_columns<T>);
    plan.filter.before_columns += lead;
    plan.window_rows = static_cast<int>(correlation.window.rows);
    plan.window_columns = static_cast<int>(correlation.window.columns) + lead;
    plan.tile_rows = 80;
    plan.weights_rows = rounded_up(plan.window_rows, V);
    plan.weights_columns = rounded_up(plan.window_columns, V);
    plan.pitch = rounded_up(tile_columns<T> + plan.weights_columns - V, 8 * V) + V;
    return plan;
  }

  // One thread for each column of the first pass, up to 512.
  static int threads(const SeparablePlan<T>& plan) {
    return std::min(512, rounded_up(tile_columns<T> + plan.window_columns - 1, 32));
  }

  static std::size_t bytes(const SeparablePlan<T>& plan) {
    const int rows = plan.tile_rows + plan.weights_rows - 1 + vector_size<T>;
    return static_cast<std::size_t>(plan.weights_rows + plan.weights_columns + rows * plan.pitch +
                                    threads(plan) / 32 * 8 * stage_pitch<T>) *
           sizeof(T);
  }

  SeparablePlan<T> plan_;
  unsigned blocks_;
  DeviceBuffer<T> weights_;
};

// The filter for large inputs and the windows of filter_strips.cuh.
template <class T, int K>
class Strips final : public CudaFilter<T> {
 public:
  Strips(const Correlation<T>& correlation, const SeparableWeights<T>& weights) {
    plan_.filter = filter_plan(correlation, 32 * vector_size<T>);
    plan_.strips = static_cast<int>(plan_.filter.tiles_across);
    std::ranges::copy(weights.rows, plan_.down);
    std::ranges::copy(weights.columns, plan_.along);
    int device = 0, processors = 0, resident = 0;
    LAPL_CUDA(cudaGetDevice(&device));
    LAPL_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    LAPL_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, filter_strips<T, K>,
                                                            32 * strip_warps, 0));
    // All blocks run at the same time; narrow windows are fastest with fewer blocks (measured).
    constexpr int most_blocks = K < 9 ? 4 : 16;
    const std::int64_t warps =
        std::int64_t{strip_warps} * processors * std::min(resident, most_blocks);
    const std::int64_t parts = std::max<std::int64_t>(1, warps / plan_.strips);
    const std::int64_t rows = correlation.output.rows;
    plan_.rows = static_cast<int>(std::max<std::int64_t>(8, (rows + parts - 1) / parts));
    const std::int64_t items = (rows + plan_.rows - 1) / plan_.rows * plan_.strips;
    blocks_ = static_cast<unsigned>((items + strip_warps - 1) / strip_warps);
  }

  // True if OneKernel is slower. Strips are slower if the first K - 1 rows of a warp, which give no
  // output, are more than half of its rows (measured).
  bool pays() const { return plan_.rows >= K && plan_.filter.output.cells() >= 3 << 19; }

  void apply(const T* input, T* output, cudaStream_t stream) override {
    plan_.filter.aligned = rows_aligned(input, plan_.filter.input.columns);
    plan_.output_aligned = rows_aligned(output, plan_.filter.output.columns);
    launch(filter_strips<T, K>, blocks_, 32 * strip_warps, 0, stream, plan_, input, output);
  }

 private:
  StripPlan<T, K> plan_{};
  unsigned blocks_;
};

constexpr int most_strip_window = 33;

template <class T>
bool fits_strips(const Correlation<T>& correlation, const SeparableWeights<T>& weights) {
  const auto near = [](std::int64_t value) { return value > -(1 << 28) && value < 1 << 28; };
  const Shape window = correlation.window;
  return window.rows == window.columns && window.rows % 2 == 1 && window.rows >= 3 &&
         window.rows <= most_strip_window && near(correlation.input.rows) &&
         near(correlation.input.columns) && near(correlation.output.rows) &&
         near(correlation.output.columns) && near(correlation.before_rows) &&
         near(correlation.before_columns) && std::ranges::count(weights.rows, T(0)) == 0 &&
         std::ranges::count(weights.columns, T(0)) == 0;
}

// Null if Strips does not pay.
template <class T, int... halves>
std::unique_ptr<CudaFilter<T>> make_strips(const Correlation<T>& correlation,
                                           const SeparableWeights<T>& weights,
                                           std::integer_sequence<int, halves...>) {
  std::unique_ptr<CudaFilter<T>> filter;
  const auto make = [&]<int K>(std::integral_constant<int, K>) {
    if (correlation.window.rows != K) return;
    auto strips = std::make_unique<Strips<T, K>>(correlation, weights);
    if (strips->pays()) filter = std::move(strips);
  };
  (make(std::integral_constant<int, 2 * halves + 3>()), ...);
  return filter;
}

// For windows too large for OneKernel: a direct filter down the columns, then along the rows.
template <class T>
class TwoFilters final : public CudaFilter<T> {
 public:
  TwoFilters(const Correlation<T>& correlation, const SeparableWeights<T>& weights) {
    Correlation<T> down = correlation, along = correlation;
    down.window.columns = 1;
    down.before_columns = 0;
    down.output.columns = correlation.input.columns;
    down.weights = weights.rows;
    along.window.rows = 1;
    along.before_rows = 0;
    along.input = down.output;
    along.weights = weights.columns;
    along.constant = 0;  // the first pass applied to a column of constants
    for (const T weight : weights.rows) along.constant += weight * correlation.constant;
    down_ = make_direct_filter(down);
    along_ = make_direct_filter(along);
    between_ = device_buffer<T>(down.output.cells());
  }

  void apply(const T* input, T* output, cudaStream_t stream) override {
    down_->apply(input, between_.data(), stream);
    along_->apply(between_.data(), output, stream);
  }

 private:
  std::unique_ptr<CudaFilter<T>> down_, along_;
  DeviceBuffer<T> between_;
};

}  // namespace

template <class T>
std::unique_ptr<CudaFilter<T>> make_separable_filter(const Correlation<T>& correlation,
                                                     const SeparableWeights<T>& weights) {
  if (fits_strips(correlation, weights))
    if (auto strips = make_strips(correlation, weights,
                                  std::make_integer_sequence<int, most_strip_window / 2>()))
      return strips;
  const int lead = lead_columns(correlation);
  if (OneKernel<T>::fits(correlation, lead))
    return std::make_unique<OneKernel<T>>(correlation, weights, lead);
  return std::make_unique<TwoFilters<T>>(correlation, weights);
}
LAPL_FOR_FLOATS(make_separable_filter);

}  // namespace lapl
