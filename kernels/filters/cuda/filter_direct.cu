// The filter as a plain sum, in two CUDA kernels.
//
// fixed_window: sizes known to the compiler. A lane owns R rows x 16 bytes of outputs and goes once
// down the input's rows. Each row comes from shared memory to registers in 16-byte loads and is
// added to all of the R sums that need it; weights are operands from the constant bank of
// parameters.
//
// any_window: all other windows, in bands of as many window rows as fit shared memory with the
// tile. Sums stay in registers from band to band, so their order is the same. A lane owns 64 bytes
// of a row of outputs. Eight lanes are one below the other; their rows start 16 bytes apart modulo
// the banks, so their loads have no bank conflicts.
#include <algorithm>

#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/filters/cuda/cuda_filter.hpp"
#include "kernels/filters/cuda/filter_tile.hpp"
#include "kernels/for_floats.hpp"

namespace lapl {
namespace {

template <class T, int size>
struct WeightArray {
  T values[size];
};

template <class T, int KH, int KW, int lead, int R, int WY, int WX, bool skip_zeros>
__global__ void __launch_bounds__(32 * WY * WX)
    fixed_window(const __grid_constant__ TilePlan<T> plan,
                 const __grid_constant__ WeightArray<T, KH * KW> weights, const T* input, T* output,
                 bool aligned) {
  constexpr int V = vector_size<T>;
  constexpr int tile_rows = WY * R, tile_columns = WX * 32 * V;
  constexpr int lane_values = (V + lead + KW - 1 + V - 1) / V * V;
  constexpr int pitch = tile_columns - V + lane_values;
  __shared__ __align__(16) T tile[(tile_rows + KH - 1) * pitch];

  wait_for_previous_kernel();
  const std::int64_t first_row = std::int64_t{blockIdx.x / plan.tiles_across} * tile_rows;
  const std::int64_t first_column = std::int64_t{blockIdx.x % plan.tiles_across} * tile_columns;
  load_tile(plan, input, first_row - plan.before_rows, first_column - plan.before_columns - lead,
            tile_rows + KH - 1, tile_columns + KW - 1 + lead, tile, pitch);
  __syncthreads();

  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int row = warp / WX * R, column = (warp % WX * 32 + lane) * V;
  T sums[R][V];
#pragma unroll
  for (int i = 0; i < R; ++i)
#pragma unroll
    for (int c = 0; c < V; ++c) sums[i][c] = plan.start;
#pragma unroll
  for (int r = 0; r < R + KH - 1; ++r) {
    T x[lane_values];
    copy_vectors<lane_values>(tile + (row + r) * pitch + column, x);
#pragma unroll
    for (int i = 0; i < R; ++i) {
      const int a = r - i;
      if (a < 0 || a >= KH) continue;
#pragma unroll
      for (int b = 0; b < KW; ++b) {
        const T weight = weights.values[a * KW + b];
        if (skip_zeros && weight == 0) continue;
#pragma unroll
        for (int c = 0; c < V; ++c)
          sums[i][c] = fused_multiply_add(weight, x[lead + b + c], sums[i][c]);
      }
    }
  }

  if (aligned) {
    if (first_column + column >= plan.output.columns) return;
    T* place = output + (first_row + row) * plan.output.columns + first_column + column;
#pragma unroll
    for (int i = 0; i < R; ++i)
      if (first_row + row + i < plan.output.rows)
        copy_vectors<V>(sums[i], place + i * plan.output.columns);
    return;
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < R; ++i) copy_vectors<V>(sums[i], tile + (row + i) * pitch + column);
  __syncthreads();
  store_tile(plan, tile, pitch, first_row, first_column, tile_rows, tile_columns, output);
}

template <class T, int KH, int KW, int R, int WY, int WX>
class FixedWindow final : public CudaFilter<T> {
 public:
  static constexpr int tile_rows = WY * R, tile_columns = WX * 32 * vector_size<T>;
  // AnyWindow takes large windows with zeros, because here they would double the compile time.
  static constexpr bool takes_zeros = KH * KW <= 25;
  // lead columns of centred windows; other windows are loaded by single values
  static constexpr int same_lead = (vector_size<T> - KW / 2 % vector_size<T>) % vector_size<T>;

  explicit FixedWindow(const Correlation<T>& correlation)
      : plan_(filter_plan(correlation, tile_columns)), blocks_(tile_count(plan_, tile_rows)) {
    std::ranges::copy(correlation.weights, weights_.values);
    skip_zeros_ = std::ranges::count(correlation.weights, T(0)) > 0;
    with_lead_ = lead_columns(correlation) == same_lead;
  }

  void apply(const T* input, T* output, cudaStream_t stream) override {
    plan_.aligned = rows_aligned(input, plan_.input.columns);
    auto* kernel = with_lead_ ? fixed_window<T, KH, KW, same_lead, R, WY, WX, false>
                              : fixed_window<T, KH, KW, 0, R, WY, WX, false>;
    if constexpr (takes_zeros)
      if (skip_zeros_)
        kernel = with_lead_ ? fixed_window<T, KH, KW, same_lead, R, WY, WX, true>
                            : fixed_window<T, KH, KW, 0, R, WY, WX, true>;
    launch(kernel, blocks_, 32 * WY * WX, 0, stream, plan_, weights_, input, output,
           rows_aligned(output, plan_.output.columns));
  }

 private:
  TilePlan<T> plan_;
  WeightArray<T, KH * KW> weights_;
  unsigned blocks_;
  bool skip_zeros_, with_lead_;
};

/// The part of the window that is in shared memory at the same time: all of it, some rows, or a
/// part of one row.
struct Band {
  int rows, columns;
  int weights_pitch;  ///< columns, rounded up to a whole vector
  int tile_pitch;
};

// LY: lanes of a warp below each other; WY: of the 8 warps, those below each other.
template <class T, int LY, int WY>
struct AnyShape {
  static constexpr int V = vector_size<T>, warp_columns = 32 / LY * lane_outputs<T>;
  static constexpr int tile_rows = LY * WY;
  static constexpr int tile_columns = warp_columns * (8 / WY);
};

template <class T, int LY, int WY>
__global__ void __launch_bounds__(256, sizeof(T) == 4 ? 3 : 2)
    any_window(const __grid_constant__ TilePlan<T> plan, const __grid_constant__ Shape window,
               const T* window_weights, const __grid_constant__ Band band, const T* input,
               T* output) {
  using S = AnyShape<T, LY, WY>;
  extern __shared__ __align__(16) unsigned char shared[];
  T* const weights = reinterpret_cast<T*>(shared);
  T* const tile = weights + band.rows * band.weights_pitch;
  wait_for_previous_kernel();

  const std::int64_t first_row = std::int64_t{blockIdx.x / plan.tiles_across} * S::tile_rows;
  const std::int64_t first_column = std::int64_t{blockIdx.x % plan.tiles_across} * S::tile_columns;
  const int needed_rows =
      static_cast<int>(min(std::int64_t{S::tile_rows}, plan.output.rows - first_row));
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int warp_row = warp % WY * LY, warp_column = warp / WY * S::warp_columns;
  const T* const corner =
      tile + (warp_row + lane % LY) * band.tile_pitch + warp_column + lane / LY * lane_outputs<T>;

  T sums[lane_outputs<T>];
#pragma unroll
  for (T& sum : sums) sum = plan.start;
  for (std::int64_t a0 = 0; a0 < window.rows; a0 += band.rows)
    for (std::int64_t b0 = 0; b0 < window.columns; b0 += band.columns) {
      const int rows = static_cast<int>(min(std::int64_t{band.rows}, window.rows - a0));
      const int columns = static_cast<int>(min(std::int64_t{band.columns}, window.columns - b0));
      if (a0 + b0 > 0) __syncthreads();
      load_tile(plan, input, first_row - plan.before_rows + a0,
                first_column - plan.before_columns + b0, needed_rows + rows - 1,
                S::tile_columns + columns - 1, tile, band.tile_pitch);
      for (int i = static_cast<int>(threadIdx.x); i < rows * band.weights_pitch; i += 256) {
        const int a = i / band.weights_pitch, b = i % band.weights_pitch;
        weights[i] = b < columns ? window_weights[(a0 + a) * window.columns + b0 + b] : T(0);
      }
      __syncthreads();
      for (int a = 0; a < rows; ++a)
        sum_along_window(LoadAlong<T>{corner + a * band.tile_pitch},
                         weights + a * band.weights_pitch, columns, sums);
    }
  __syncthreads();
  store_outputs<LY>(plan, sums, tile + warp * 8 * stage_pitch<T>, first_row + warp_row,
                    first_column + warp_column, output);
}

// The same filter with `lead` weights of 0 before each row of the window.
template <class T>
Correlation<T> with_lead(const Correlation<T>& correlation, int lead) {
  Correlation<T> result = correlation;
  result.window.columns += lead;
  result.before_columns += lead;
  result.weights.assign(result.window.cells(), T(0));
  for (std::int64_t a = 0; a < correlation.window.rows; ++a)
    std::copy_n(correlation.weights.begin() + a * correlation.window.columns,
                correlation.window.columns,
                result.weights.begin() + a * result.window.columns + lead);
  return result;
}

template <class T, int LY, int WY>
class AnyWindow final : public CudaFilter<T> {
 public:
  using S = AnyShape<T, LY, WY>;

  explicit AnyWindow(const Correlation<T>& original)
      : plan_(filter_plan(original, S::tile_columns)), blocks_(tile_count(plan_, S::tile_rows)) {
    const Correlation<T> correlation = with_lead(original, lead_columns(original));
    plan_.before_columns = correlation.before_columns;
    window_ = correlation.window;
    weights_ = device_buffer<T>(window_.cells());
    LAPL_CUDA(cudaMemcpy(weights_.data(), correlation.weights.data(),
                         correlation.weights.size() * sizeof(T), cudaMemcpyHostToDevice));
    LAPL_CUDA(cudaFuncSetAttribute(any_window<T, LY, WY>,
                                   cudaFuncAttributeMaxDynamicSharedMemorySize, shared_limit));
    // Takes as many rows of the window as fit; if not even one fits, a half or a quarter of a row.
    std::int64_t columns = window_.columns, rows = window_.rows;
    while (bytes(make_band(1, columns)) > shared_limit)
      columns = (columns / 2 + S::V - 1) / S::V * S::V;
    if (columns < window_.columns) rows = 1;
    while (bytes(make_band(rows, columns)) > shared_limit) rows = (rows + 1) / 2;
    band_ = make_band(rows, columns);
  }

  void apply(const T* input, T* output, cudaStream_t stream) override {
    plan_.aligned = rows_aligned(input, plan_.input.columns);
    launch(any_window<T, LY, WY>, blocks_, 256, bytes(band_), stream, plan_, window_,
           weights_.data(), band_, input, output);
  }

 private:
  static constexpr std::size_t shared_limit = 72 << 10;  // lets three blocks fit a multiprocessor

  static Band make_band(std::int64_t rows, std::int64_t columns) {
    // Larger sizes cannot fit, so clamping them avoids overflow.
    const int r = static_cast<int>(std::min<std::int64_t>(rows, 1 << 14));
    const int c = static_cast<int>(std::min<std::int64_t>(columns, 1 << 14));
    const int weights_pitch = (c + S::V - 1) / S::V * S::V;
    // 16 bytes more than a multiple of 128 bytes, the width of all banks.
    constexpr int banks = 8 * S::V;
    const int tile_pitch =
        (S::tile_columns + weights_pitch - S::V + banks - 1) / banks * banks + S::V;
    return {r, c, weights_pitch, tile_pitch};
  }
  static std::size_t bytes(const Band& band) {
    const std::int64_t tile = std::int64_t{S::tile_rows + band.rows - 1} * band.tile_pitch;
    const std::int64_t stages = 8 * 8 * stage_pitch<T>;
    return static_cast<std::size_t>(std::int64_t{band.rows} * band.weights_pitch +
                                    std::max(tile, stages)) *
           sizeof(T);
  }

  TilePlan<T> plan_;
  unsigned blocks_;
  Shape window_;
  DeviceBuffer<T> weights_;
  Band band_;
};

/// Chooses compile-time sizes: a tile of 16 or 32 rows for large outputs, of 4 rows if large tiles
/// would be too few blocks for the device.
template <class T, int K>
std::unique_ptr<CudaFilter<T>> fixed_square(const Correlation<T>& correlation) {
  using Large = FixedWindow<T, K, K, 4, K <= 5 ? 4 : 8, 1>;
  using Small = FixedWindow<T, K, K, 1, 4, 1>;
  constexpr std::int64_t enough_blocks = 2 * 132;  // two for each multiprocessor of an H200
  if (correlation.output.cells() < enough_blocks * Large::tile_rows * Large::tile_columns)
    return std::make_unique<Small>(correlation);
  return std::make_unique<Large>(correlation);
}

}  // namespace

template <class T>
std::unique_ptr<CudaFilter<T>> make_direct_filter(const Correlation<T>& correlation) {
  const Shape window = correlation.window;
  const bool has_zeros = std::ranges::count(correlation.weights, T(0)) > 0;
  if (window == Shape{3, 3}) return fixed_square<T, 3>(correlation);
  if (window == Shape{5, 5}) return fixed_square<T, 5>(correlation);
  if (window == Shape{7, 7} && !has_zeros) return fixed_square<T, 7>(correlation);
  if (window == Shape{13, 13} && !has_zeros) return fixed_square<T, 13>(correlation);
  if (window == Shape{1, 3}) return std::make_unique<FixedWindow<T, 1, 3, 1, 1, 8>>(correlation);
  if (window == Shape{1, 5}) return std::make_unique<FixedWindow<T, 1, 5, 1, 1, 8>>(correlation);
  if (window.rows == 1) return std::make_unique<AnyWindow<T, 1, 1>>(correlation);
  return std::make_unique<AnyWindow<T, 8, 4>>(correlation);
}
LAPL_FOR_FLOATS(make_direct_filter);

}  // namespace lapl
