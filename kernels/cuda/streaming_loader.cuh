// How the engine "streaming" gets its rows: sizes of the pipeline, the extended grid, and the
// copies from device to shared memory. Drawing and reasons: kernels/cuda/streaming.cu.
#pragma once

#include <cstdint>

#include "kernels/cuda/field_layout.hpp"
#include "kernels/cuda/run_time/copy_groups.cuh"
#include "kernels/grid/face.hpp"

namespace lapl::streaming {

constexpr int lanes = 32;
constexpr unsigned all_lanes = 0xffffffffu;
constexpr int turn_rows = 3;    // rows that a warp takes at a time
constexpr int turns_ahead = 3;  // turns whose rows are on their way from device memory

// The sizes that measured best. Two warps to a block: more would hand rows on in a chain.
template <class T>
struct Plan {
  static constexpr int warps = 2;   // pipeline stages: the warps of a block
  static constexpr int levels = 6;  // steps that a warp takes
  static constexpr int chunks = 2;  // of 16 bytes: the columns of a lane
  static constexpr int ring = 4;    // turns that a warp may be ahead of the next
};
template <class T>
constexpr int warps = Plan<T>::warps;
template <class T>
constexpr int levels = Plan<T>::levels;
template <class T>
constexpr int chunks = Plan<T>::chunks;
template <class T>
constexpr int ring = Plan<T>::ring;
template <class T>
constexpr int resident_blocks = 8 / warps<T>;
template <class T>
constexpr int depth = warps<T>* levels<T>;  // steps of a pass
template <class T>
constexpr int lag = warps<T>*(2 * levels<T> - 1);  // row steps from a row's arrival until it leaves

static_assert(1 + 2 * (warps<float> - 1) * ring<float> <= 16, "a block has 16 barriers");
static_assert(1 + 2 * (warps<double> - 1) * ring<double> <= 16, "a block has 16 barriers");

// 16 bytes of a row: what one load, store or copy moves.
template <class T>
struct alignas(16) Cells {
  static constexpr int count = 16 / sizeof(T);
  T value[count];
};

template <class T>
constexpr int columns_of_lane = chunks<T>* Cells<T>::count;
template <class T>
constexpr int width = lanes* columns_of_lane<T>;
template <class T>
constexpr int halo = depth<T>;
static_assert(halo<float> % Cells<float>::count == 0 && halo<double> % Cells<double>::count == 0);
template <class T>
constexpr int kept_columns = width<T> - 2 * halo<T>;

// A row in shared memory: first the lanes' first chunks, then their second ones and so on, with
// gaps that let both orders of access (by lane, by column) pass without bank conflicts.
template <class T>
constexpr int chunk_pitch = lanes + 8 / chunks<T>;
template <class T>
using Row = Cells<T>[chunks<T>][chunk_pitch<T>];

template <class T>
struct Stages {
  Row<T> loaded[turns_ahead + 1][turn_rows];
  Row<T> handed[warps<T>][ring<T>][turn_rows];  // by each warp; the last one's go to device memory
};

// What the launches of one engine have in common, and the number of steps.
template <template <class> class Stage, class T>
struct Pass {
  FieldLayout layout;
  Extensions extensions;
  Stage<T> stage;
  std::int64_t strips;
  T* apron;
  int steps;  // 1 to depth
};

__device__ __forceinline__ void copy_async(unsigned shared, const void* global) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global) : "memory");
}

// The part of a strip that a block streams through at a time.
struct Segment {
  std::int64_t first_column;         // of lane 0, halo included
  std::int64_t first_row, last_row;  // written rows
};

// The extended columns beside the grid, for every row of the grid: those from -halo to -1, then
// those from the last 16 bytes that are not all inside the grid to halo columns past them.
template <class T>
constexpr int apron_pitch = 2 * halo<T> + Cells<T>::count;
template <class T>
__device__ __forceinline__ std::int64_t apron_right(std::int64_t columns) {
  return columns / Cells<T>::count * Cells<T>::count;
}

template <template <class> class Stage, class T>
__global__ void fill_apron(const T* __restrict__ from, const Pass<Stage, T> pass) {
  const std::int64_t index = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t row = index / apron_pitch<T>;
  if (row >= pass.layout.rows) return;
  const int place = static_cast<int>(index - row * apron_pitch<T>);
  const std::int64_t column =
      (place < halo<T> ? 0 : apron_right<T>(pass.layout.columns)) + place - halo<T>;
  const auto source = extended(pass.extensions.columns, column, pass.layout.columns);
  const T value = source.ghost ? T(0) : from[row * pass.layout.pitch + source.index];
  pass.apron[index] = source.negated ? T(0) - value : value;
}

// Makes mirrored rows those of the odd extension: negated, and the ghost row 0.
template <class T>
__device__ __noinline__ void extend_oddly(Row<T>* rows, AxisExtension axis, std::int64_t grid_rows,
                                          std::int64_t row, std::int64_t end) {
#pragma unroll 1
  for (int i = 0; i < turn_rows && row + i < end; ++i) {
    const auto source = extended(axis, row + i, grid_rows);
    if (!source.ghost && !source.negated) continue;
#pragma unroll
    for (int c = 0; c < chunks<T>; ++c) {
      Cells<T> cells = rows[i][c][threadIdx.x];
#pragma unroll
      for (int j = 0; j < Cells<T>::count; ++j)
        cells.value[j] = source.ghost ? T(0) : T(0) - cells.value[j];
      rows[i][c][threadIdx.x] = cells;
    }
  }
}

// Brings rows of the extended grid into shared memory, each lane its own columns.
template <template <class> class Stage, class T>
class Loader {
 public:
  __device__ Loader(const T* from, const Pass<Stage, T>& pass, const Segment& segment,
                    Stages<T>& shared)
      : pass_(pass),
        shared_(shared),
        loaded_(
            static_cast<unsigned>(__cvta_generic_to_shared(&shared.loaded[0][0][0][threadIdx.x]))),
        row_(segment.first_row - depth<T>),
        end_(segment.last_row + depth<T>),
        first_inside_(row_ < 0 ? static_cast<int>((turn_rows - 1 - row_) / turn_rows) : 0),
        inside_(static_cast<int>((min(pass.layout.rows, end_) - row_) / turn_rows) -
                first_inside_) {
    const std::int64_t columns = pass.layout.columns;
    const std::int64_t right = apron_right<T>(columns);
#pragma unroll
    for (int c = 0; c < chunks<T>; ++c) {
      const std::int64_t column =
          segment.first_column + threadIdx.x * columns_of_lane<T> + c * Cells<T>::count;
      const bool inside = column >= 0 && column + Cells<T>::count <= columns;
      const std::int64_t place =
          column < 0 ? column + halo<T> : halo<T> + min(column - right, std::int64_t{halo<T>});
      base_[c] = inside ? from + column : pass.apron + place;
      stride_[c] = inside ? pass.layout.pitch : std::int64_t{apron_pitch<T>};
      next_[c] = base_[c] + row_ * stride_[c];
    }
  }

  // Starts copying the rows of a turn; to be called for each turn in order.
  __device__ __forceinline__ void start(int turn) {
    const unsigned target = loaded_ + turn % (turns_ahead + 1) * sizeof(shared_.loaded[0]);
    if (is_inside(turn)) {
#pragma unroll
      for (int i = 0; i < turn_rows; ++i)
#pragma unroll
        for (int c = 0; c < chunks<T>; ++c) {
          copy_async(target + place_of(i, c), next_[c]);
          next_[c] += stride_[c];
        }
    } else {
#pragma unroll 1
      for (int i = 0; i < turn_rows; ++i) {
        const std::int64_t row = row_ + std::int64_t{turn} * turn_rows + i;
        const std::int64_t source = extended(pass_.extensions.rows, row, pass_.layout.rows).index;
#pragma unroll
        for (int c = 0; c < chunks<T>; ++c) {
          if (row < end_) copy_async(target + place_of(i, c), base_[c] + source * stride_[c]);
          next_[c] += stride_[c];
        }
      }
    }
    end_copy_group();
  }

  // Waits for the rows of a turn, and puts in what the copy cannot.
  __device__ __forceinline__ void finish(int turn) {
    wait_but_for<turns_ahead>();
    if (!is_inside(turn) && (pass_.extensions.rows.first == Extension::odd ||
                             pass_.extensions.rows.last == Extension::odd))
      extend_oddly<T>(shared_.loaded[turn % (turns_ahead + 1)], pass_.extensions.rows,
                      pass_.layout.rows, row_ + std::int64_t{turn} * turn_rows, end_);
  }

 private:
  __device__ __forceinline__ bool is_inside(int turn) const {
    return turn >= first_inside_ && turn - first_inside_ < inside_;
  }
  __device__ __forceinline__ static unsigned place_of(int row, int chunk) {
    return row * sizeof(Row<T>) + chunk * (sizeof(Row<T>) / chunks<T>);
  }

  const Pass<Stage, T>& pass_;
  Stages<T>& shared_;
  unsigned loaded_;
  std::int64_t row_, end_;
  int first_inside_, inside_;
  const T* base_[chunks<T>];
  const T* next_[chunks<T>];
  std::int64_t stride_[chunks<T>];
};

}  // namespace lapl::streaming
