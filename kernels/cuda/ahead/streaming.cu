// Engine "streaming" for diffusion on grids larger than the chip: many steps per launch, rows
// streamed through registers.
//
//   column   x0          x0 + halo                 x0 + width - halo     width = 32 lanes
//            | redundant | kept: what the strip writes | redundant |     of 32 bytes
//   rows in  =======================================================
//      |     warp 0: time levels 0 to 5, three rows of each in registers
//      v     ------- its rows, 6 steps on, through shared memory -----
//            warp 1: time levels 6 to 11
//   rows out             ===============================                 12 steps later
//
// The pipeline is that of kernels/cuda/run_time/stream.cuh, with diffusion as its only stage: two
// warps of 6 levels, so 12 steps a launch. A lane has 8 neighbouring columns of float or 4 of
// double. The last warp's rows go through shared memory too, so that neighbouring lanes store
// neighbouring 16 bytes.
//
// Boundaries: the grid is extended (odd, even or periodic, docs/numerics.md). A step keeps the
// extension exact, so the inner loop needs no boundary. Extended columns are written to an array of
// their own (the "apron") before a launch; extended rows are read from the rows that they mirror.
// Grids narrower than the halo are extended repeatedly. Steps that do not fill a launch are
// computed by a shortened pass, whose last levels pass rows on unchanged.
//
// Registers (nvcc 13, sm_90): 192 for float, 188 for double, no spills (195 and 188 in a shortened
// pass); eight warps share a multiprocessor. Shared memory: 41472 bytes per block. Barriers: two
// per turn (three rows), which the warps may pass some turns apart. Device memory: a cell is read
// and written once per launch (read 1.1 times with the halo). A row step of a warp takes 270
// instructions for float, 240 of them arithmetic; the rate at which they are issued limits the
// speed for float. Nine rows at a time are being copied from device to shared memory (cp.async).
#include <algorithm>
#include <cstdint>
#include <memory>

#include "kernels/cuda/cuda_engine.hpp"
#include "kernels/cuda/device/cuda_check.hpp"
#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/cuda/device/device_info.hpp"
#include "kernels/cuda/device/field_layout.hpp"
#include "kernels/cuda/run_time/stream.cuh"
#include "kernels/for_floats.hpp"
#include "kernels/grid/face.hpp"
#include "kernels/stages/diffusion.hpp"

namespace lapl {

// Diffusion as a level of the pipeline, and the extended grid that it reads.
template <class T_>
struct DiffusionLevel {
  using T = T_;
  struct Stage {
    static constexpr int targets = 1;
    static constexpr bool divides = false;
    template <class At>
    static __device__ __forceinline__ void make(const At& at, const T* arguments, T* results,
                                                ExactDivision) {
      results[0] = DiffusionStage<T>{arguments[0]}(
          at.template value<0, 0, 0, -1>(), at.template value<0, 0, 0, 1>(),
          at.template value<0, 0, -1, 0>(), at.template value<0, 0, 1, 0>(),
          at.template value<0, 0, 0, 0>());
    }
  };
  static constexpr int in = 1, out = 1;
  static __device__ constexpr int array_slot(int) { return 0; }
  static __device__ constexpr int slot_array(int) { return 0; }
  static __device__ constexpr int made(int) { return 0; }
  static __device__ constexpr bool reads(int, int row, int column) {
    return row == 1 || column == 1;
  }
};

template <class T>
struct ExtendedGrid : StreamGrid<T, GridIndex> {
  Extensions extensions;
  DiffusionStage<T> stage;
  T* apron;
  int steps;  // number of steps of the pass
};

// The fastest sizes as measured. With more than two warps, each warp would wait for a chain of
// others. In a shortened plan, levels from grid.steps on pass their rows on unchanged.
template <class T_, bool is_shortened>
struct DiffusionPlan {
  using T = T_;
  using Grid = ExtendedGrid<T>;
  static constexpr StreamSizes sizes{.value_bytes = sizeof(T),
                                     .slots = 1,
                                     .chunks = 2,
                                     .levels = 6,
                                     .warps = 2,
                                     .lagged = true,
                                     .staged = true};
  static constexpr int fields = 1, stages = 1, arrays = 1, arguments = 1;
  // An extended grid behaves like a periodic one: its levels impose no condition at a face.
  static constexpr bool in_time = false, finds_error = false, wraps_rows = true,
                        wraps_columns = true, mirrors_rows = false, shortened = is_shortened;
  static constexpr int beyond = 0;
  static constexpr bool varies_columns = false;
  static constexpr int tables = 0;
  static __device__ constexpr bool table_of_columns(int) { return false; }
  template <int>
  using Level = DiffusionLevel<T>;
  static __device__ constexpr int first_argument(int) { return 0; }
  static __device__ constexpr GhostKind ghost_kind(int, int) { return GhostKind::any; }
};

// The layout of the array of extended columns, one row per grid row: columns -halo to -1; then
// columns right() to right() + halo + count - 1, where right() is the number of columns, rounded
// down to whole 16 bytes.
template <class T>
struct Apron {
  static constexpr int count = Cells<T>::count, halo = DiffusionPlan<T, false>::sizes.halo();
  static constexpr int pitch = 2 * halo + count;
  static __device__ __forceinline__ GridIndex right(GridIndex columns) {
    return columns / count * count;
  }
};
template <class T>
__global__ void fill_apron(const T* __restrict__ from,
                           const __grid_constant__ ExtendedGrid<T> grid) {
  using Apron = lapl::Apron<T>;
  const GridIndex index = GridIndex{blockIdx.x} * blockDim.x + threadIdx.x;
  const GridIndex row = index / Apron::pitch;
  if (row >= grid.rows) return;
  const int place = static_cast<int>(index - row * Apron::pitch);
  const GridIndex column =
      (place < Apron::halo ? 0 : Apron::right(grid.columns)) + place - Apron::halo;
  const auto source = extended(grid.extensions.columns, column, grid.columns);
  const T value = source.ghost ? T(0) : from[row * grid.pitch + source.index];
  grid.apron[index] = source.negated ? T(0) - value : value;
}

// Turns mirrored rows into rows of the odd extension: negates them and sets the ghost row to 0.
template <class P>
__device__ __noinline__ void extend_oddly(RowInMemory<P>* rows, AxisExtension axis,
                                          GridIndex grid_rows, GridIndex row) {
  using T = typename P::T;
#pragma unroll 1
  for (int i = 0; i < StreamSizes::turn_rows; ++i) {
    const auto source = extended(axis, row + i, grid_rows);
    if (!source.ghost && !source.negated) continue;
#pragma unroll
    for (int c = 0; c < P::sizes.chunks; ++c) {
      Cells<T> cells = rows[i].cells[0][c][threadIdx.x];
#pragma unroll
      for (int j = 0; j < Cells<T>::count; ++j)
        cells.value[j] = source.ghost ? T(0) : T(0) - cells.value[j];
      rows[i].cells[0][c][threadIdx.x] = cells;
    }
  }
}

// Copies rows of the extended grid to shared memory, through the L1 cache: on an H200 bypassing it,
// as other loaders do, took 6% longer.
template <class T, bool shortened>
struct Loader<DiffusionPlan<T, shortened>> {
  using P = DiffusionPlan<T, shortened>;
  using Apron = lapl::Apron<T>;
  static constexpr int chunks = P::sizes.chunks, turn_rows = StreamSizes::turn_rows;
  static constexpr int ahead = StreamSizes::ahead, lanes = StreamSizes::lanes;
  static constexpr unsigned row_bytes = sizeof(RowInMemory<P>);

  GridIndex row, end;  // the first row; one past the last needed row
  // the first turn (of three rows) with only needed rows of the grid; the number of such turns
  int first_inside, inside;
  const T* next[chunks];  // this lane's 16 bytes of the next row, before rows are extended
  GridIndex pitch[chunks];
  unsigned target;  // address in shared memory for the rows

  __device__ Loader(const T* from, const Pass<P>& pass, const Segment<P>& segment,
                    Shared<P>& shared)
      : row(segment.first_row - P::sizes.depth()),
        end(segment.last_row + P::sizes.depth()),
        first_inside(row < 0 ? static_cast<int>((turn_rows - 1 - row) / turn_rows) : 0),
        inside(static_cast<int>((min(pass.grid.rows, end) - row) / turn_rows) - first_inside),
        target(shared_address(
            &shared.loaded[0][0].cells[0][threadIdx.x % chunks][threadIdx.x / chunks])) {
    const GridIndex columns = pass.grid.columns, right = Apron::right(columns);
#pragma unroll
    for (int c = 0; c < chunks; ++c) {
      const GridIndex column =
          segment.first_column + (c * lanes + static_cast<int>(threadIdx.x)) * Apron::count;
      const bool in_grid = column >= 0 && column + Apron::count <= columns;
      const GridIndex beyond = column < 0 ? column : min(column - right, GridIndex{Apron::halo});
      pitch[c] = in_grid ? pass.grid.pitch : GridIndex{Apron::pitch};
      next[c] = (in_grid ? from + column : pass.grid.apron + Apron::halo + beyond) + row * pitch[c];
    }
  }
  __device__ __forceinline__ bool is_inside(int turn) const {
    return turn >= first_inside && turn - first_inside < inside;
  }
  __device__ __forceinline__ GridIndex turn_row(int turn) const {
    return row + GridIndex{turn} * turn_rows;
  }
  __device__ __forceinline__ void start(int turn, const Pass<P>& pass) {
    const unsigned to = target + turn % (ahead + 1) * (turn_rows * row_bytes);
    if (is_inside(turn)) {
#pragma unroll
      for (int i = 0; i < turn_rows; ++i) copy_row(to + i * row_bytes, 0, true);
    } else {
#pragma unroll 1
      for (int i = 0; i < turn_rows; ++i) {
        const GridIndex at = turn_row(turn) + i;
        const GridIndex source = extended(pass.grid.extensions.rows, at, pass.grid.rows).index;
        copy_row(to + i * row_bytes, source - at, at < end);
      }
    }
    end_copy_group();
  }
  __device__ __forceinline__ void copy_row(unsigned to, GridIndex rows_on, bool needed) {
#pragma unroll
    for (int c = 0; c < chunks; ++c) {
      if (needed)
        asm volatile(
            "cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to + c * (lanes / chunks * 16)),
            "l"(next[c] + rows_on * pitch[c])
            : "memory");
      next[c] += pitch[c];
    }
  }
  __device__ __forceinline__ void finish(int turn, const Pass<P>& pass, Shared<P>& shared) {
    wait_but_for<ahead>();
    __syncwarp();
    const AxisExtension axis = pass.grid.extensions.rows;
    if (!is_inside(turn) && (axis.first == Extension::odd || axis.last == Extension::odd))
      extend_oddly<P>(shared.loaded[turn % (ahead + 1)], axis, pass.grid.rows, turn_row(turn));
  }
};

namespace {

template <class P>
__global__ void __launch_bounds__(StreamSizes::lanes* P::sizes.warps, 8 / P::sizes.warps)
    stream_strips(const __grid_constant__ typename P::Grid grid,
                  const typename P::T* __restrict__ from, typename P::T* __restrict__ to) {
  constexpr GridIndex field[] = {0};
  stream<P>(from, to, {grid, field, &grid.stage.coefficient, nullptr, nullptr});
}

template <class T>
class StreamingEngine final : public Engine<T> {
  template <bool shortened>
  static constexpr auto kernel = stream_strips<DiffusionPlan<T, shortened>>;
  static constexpr StreamSizes sizes = DiffusionPlan<T, false>::sizes;

 public:
  StreamingEngine(const Problem<T>& problem, cudaStream_t stream) : stream_(stream) {
    grid_.stage = plane_diffusion_stage(problem);
    const auto extensions = as_extensions(problem);
    if (!extensions)
      throw EngineUnsuitable("engine streaming: a face is neither held at 0 nor insulated");
    grid_.extensions = *extensions;
    const FieldLayout layout = field_layout<T>(problem.shape);
    grid_.rows = layout.rows;
    grid_.columns = layout.columns;
    grid_.pitch = layout.pitch;
    grid_.strips = (layout.columns - 1) / sizes.kept() + 1;
    apron_ = device_buffer<T>(layout.rows * Apron<T>::pitch);
    grid_.apron = apron_.data();
    for (const auto of : {kernel<false>, kernel<true>})
      LAPL_CUDA(cudaFuncSetAttribute(of, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     sizes.shared_bytes()));
    int of_processor = 0, processors = 0;
    LAPL_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &of_processor, kernel<false>, sizes.lanes * sizes.warps, sizes.shared_bytes()));
    LAPL_CUDA(
        cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, current_device()));
    // As many blocks as can run at the same time, but not more than all strips have rows.
    blocks_ = static_cast<unsigned>(std::min<GridIndex>(
        grid_.strips * grid_.rows, GridIndex{processors} * std::max(of_processor, 1)));
  }

  void advance(DoubleBuffer<T>& buffers, std::int64_t, std::int64_t steps) override {
    for (; steps >= sizes.depth(); steps -= sizes.depth()) launch(kernel<false>, buffers);
    grid_.steps = static_cast<int>(steps);
    if (steps > 0) launch(kernel<true>, buffers);
  }

 private:
  template <class Kernel>
  void launch(Kernel* of, DoubleBuffer<T>& buffers) {
    constexpr int threads = 256;
    fill_apron<<<static_cast<unsigned>((apron_.size() - 1) / threads + 1), threads, 0, stream_>>>(
        static_cast<const T*>(buffers.current), grid_);
    LAPL_CUDA(cudaGetLastError());
    of<<<blocks_, dim3(sizes.lanes, sizes.warps), sizes.shared_bytes(), stream_>>>(
        grid_, buffers.current, buffers.next);
    LAPL_CUDA(cudaGetLastError());
    buffers.swap();
  }

  cudaStream_t stream_;
  ExtendedGrid<T> grid_{};
  DeviceBuffer<T> apron_;
  unsigned blocks_ = 0;
};

}  // namespace

template <class T>
int streaming_depth() {
  return DiffusionPlan<T, false>::sizes.depth();
}
LAPL_FOR_FLOATS(streaming_depth);

template <class T>
std::unique_ptr<Engine<T>> make_streaming_engine(const Problem<T>& problem, cudaStream_t stream) {
  return std::make_unique<StreamingEngine<T>>(problem, stream);
}
LAPL_FOR_FLOATS(make_streaming_engine);

}  // namespace lapl
