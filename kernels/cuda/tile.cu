// Engine "tile": one step a launch, each block one tile of the grid.
//
//        left ghost   <---- 32 lanes x 16 bytes of columns ---->   right ghost
//                      ................................. row above   in shared memory
//   warp 0        |    |  rows_a_warp rows in registers |    |
//                 side |--------------------------------| side
//   warp 1        |    |                                |    |
//                 .    |--------------------------------|    .
//                      ................................. row below   in shared memory
//
// A lane owns neighbouring columns, one 16-byte vector (4 float, 2 double), and keeps the rows of
// its warp in registers; all of them are loaded before the first is used. Left and right
// neighbours come from the lanes beside it by shuffle; lanes 0 and 31 load the columns beside the
// tile. Rows above and below a warp's own pass through shared memory: each warp leaves its first
// and last row there, and the first and last warp the rows around the tile. Boundaries are the
// ghost values of the faces, made while loading, so the arithmetic has no branch.
//
// A warp has 8 rows of float or 4 of double: a tile is 64 x 128 or 32 x 64 cells. Per block and
// step: one barrier; 9216 bytes of shared memory; from device memory one read of each cell and, for
// the halo, 1/8 more (one 32-byte sector in 16 on either side) and two rows more; one write.
// Registers (nvcc 13, sm_90): 63 float, 58 double, no spills; 64 let four blocks share a
// multiprocessor, and then 2000 x 2000 float cells are 512 tiles, all resident at once on an H200.
#include <limits>
#include <memory>
#include <type_traits>

#include "kernels/cuda/cuda_check.hpp"
#include "kernels/cuda/engine.hpp"
#include "kernels/diffusion.hpp"

namespace lapl {
namespace {

constexpr int lanes = 32;
constexpr unsigned all_lanes = 0xffffffffu;
constexpr int warps_a_block = 8;

// The columns of one lane in one row.
template <class T>
struct alignas(16) Cells {
  static constexpr int count = 16 / sizeof(T);
  T value[count];
};

template <class T>
constexpr int rows_a_warp = 32 / sizeof(T);
template <class T>
constexpr int tile_rows = warps_a_block* rows_a_warp<T>;
template <class T>
constexpr int tile_columns = lanes* Cells<T>::count;

// What does not change from step to step.
template <template <class> class Stage, class T>
struct TileStep {
  FieldLayout layout;
  Faces<T> faces;
  Extensions extensions;  // where the kernel is not the general one
  Stage<T> stage;
  unsigned tiles_across;
};

template <class T>
__device__ __forceinline__ Cells<T> load(const T* cells) {
  return *reinterpret_cast<const Cells<T>*>(cells);
}
// By intrinsics, for the compiler splits a plain store of four values here.
__device__ __forceinline__ void store(float* cells, const Cells<float>& from) {
  __stwb(reinterpret_cast<float4*>(cells),
         make_float4(from.value[0], from.value[1], from.value[2], from.value[3]));
}
__device__ __forceinline__ void store(double* cells, const Cells<double>& from) {
  __stwb(reinterpret_cast<double2*>(cells), make_double2(from.value[0], from.value[1]));
}

__device__ __forceinline__ bool is_zero(AxisExtension axis, std::int64_t index,
                                        const AxisSource& source) {
  return source.ghost && (index < 0 ? axis.first : axis.last) == Extension::odd;
}
template <class T>
__device__ __forceinline__ void make_ghosts(const Face<T>& face, Cells<T>& cells) {
#pragma unroll
  for (int j = 0; j < Cells<T>::count; ++j) cells.value[j] = face.ghost(cells.value[j]);
}
// The row that stands at `row`, -1 to the number of rows; ghost columns are not filled in.
template <bool general, template <class> class Stage, class T>
__device__ __forceinline__ Cells<T> load_halo(const T* from, const TileStep<Stage, T>& step,
                                              std::int64_t row, std::int64_t readable_column) {
  const AxisSource source = source_at(step.faces.rows, row, step.layout.rows);
  const T* const nearest = from + source.index * step.layout.pitch + readable_column;
  if constexpr (!general)
    return is_zero(step.extensions.rows, row, source) ? Cells<T>{} : load(nearest);
  Cells<T> cells = load(nearest);
  if (source.ghost) make_ghosts(step.faces.rows.at(row), cells);
  return cells;
}

// `general`: faces may have any law, else they are held at 0, even or neighbours.
template <bool general, template <class> class Stage, class T>
__global__ void __launch_bounds__(lanes* warps_a_block, 4)
    step_tile(const T* __restrict__ from, T* __restrict__ to, TileStep<Stage, T> step) {
  constexpr int count = Cells<T>::count, rows = rows_a_warp<T>;
  const auto& [grid_rows, columns, pitch] = step.layout;
  __shared__ Cells<T> last_rows[warps_a_block + 1][lanes];   // of the warp before; [0]: above
  __shared__ Cells<T> first_rows[warps_a_block + 1][lanes];  // of the warp; last: below the tile
  const int lane = threadIdx.x, warp = threadIdx.y;
  const unsigned tile_row = blockIdx.x / step.tiles_across;
  const unsigned tile_column = blockIdx.x - tile_row * step.tiles_across;
  const std::int64_t row = std::int64_t{tile_row} * tile_rows<T> + warp * rows;
  const std::int64_t first_column = std::int64_t{tile_column} * tile_columns<T>;
  const std::int64_t tile_end = first_column + tile_columns<T>;
  const std::int64_t column = first_column + lane * count;

  // Lanes past the end read the last vector of the row again, and nothing uses it. Rows past the
  // end stand for the ghost row.
  const std::int64_t readable_column = min(column, pitch - count);
  const int rows_left = static_cast<int>(min(grid_rows - row, std::int64_t{rows}));
  const AxisSource bottom = source_at(step.faces.rows, grid_rows, grid_rows);
  const T* const bottom_start = from + bottom.index * pitch;
  // The column beside the tile, or the ghost column where the grid ends inside the tile.
  const std::int64_t side_column = lane == 0 ? column - 1 : min(tile_end, columns);
  const AxisSource beside = source_at(step.faces.columns, side_column, columns);
  const bool loads_side = (lane == 0 || lane == lanes - 1) &&
                          (general || !is_zero(step.extensions.columns, side_column, beside));

  Cells<T> cells[rows];
  T side[rows];
  const T* start = from + row * pitch;
#pragma unroll
  for (int i = 0; i < rows; ++i, start += pitch) {
    const T* const source = i < rows_left ? start : bottom_start;
    cells[i] = load(source + readable_column);
    side[i] = loads_side ? source[beside.index] : T(0);
  }
  if (warp == 0) last_rows[0][lane] = load_halo<general>(from, step, row - 1, readable_column);
  if (warp == warps_a_block - 1)
    first_rows[warps_a_block][lane] =
        load_halo<general>(from, step, min(row + rows, grid_rows), readable_column);

  if constexpr (general) {
    if (bottom.ghost && rows_left < rows)
#pragma unroll
      for (int i = 0; i < rows; ++i)
        if (i >= rows_left) make_ghosts(step.faces.rows.last, cells[i]);
    if (loads_side && beside.ghost)
#pragma unroll
      for (int i = 0; i < rows; ++i) side[i] = step.faces.columns.at(side_column).ghost(side[i]);
  } else if (is_zero(step.extensions.rows, grid_rows, bottom) && rows_left < rows) {
#pragma unroll
    for (int i = 0; i < rows; ++i)
      if (i >= rows_left) cells[i] = {};
  }
  if (tile_end > columns)
#pragma unroll
    for (int i = 0; i < rows; ++i) {
      const T ghost = __shfl_sync(all_lanes, side[i], lanes - 1);
#pragma unroll
      for (int j = 0; j < count; ++j)
        if (column + j == columns) cells[i].value[j] = ghost;
    }

  first_rows[warp][lane] = cells[0];
  last_rows[warp + 1][lane] = cells[rows - 1];
  __syncthreads();
  const Cells<T> above = last_rows[warp][lane];
  const Cells<T> below = first_rows[warp + 1][lane];

  T* target = to + row * pitch + column;
#pragma unroll
  for (int i = 0; i < rows; ++i, target += pitch) {
    const Cells<T>& centre = cells[i];
    const Cells<T>& up = i == 0 ? above : cells[i == 0 ? 0 : i - 1];
    const Cells<T>& down = i == rows - 1 ? below : cells[i == rows - 1 ? i : i + 1];
    T left = __shfl_up_sync(all_lanes, centre.value[count - 1], 1);
    T right = __shfl_down_sync(all_lanes, centre.value[0], 1);
    if (lane == 0) left = side[i];
    if (lane == lanes - 1) right = side[i];
    Cells<T> result;
#pragma unroll
    for (int j = 0; j < count; ++j) {
      result.value[j] =
          step.stage(j == 0 ? left : centre.value[j == 0 ? 0 : j - 1],
                     j == count - 1 ? right : centre.value[j == count - 1 ? j : j + 1], up.value[j],
                     down.value[j], centre.value[j]);
    }
    if (i < rows_left && column < columns) store(target, result);
  }
}

struct DestroyGraph {
  void operator()(cudaGraph_t graph) const noexcept { LAPL_CUDA_NO_THROW(cudaGraphDestroy(graph)); }
  void operator()(cudaGraphExec_t graph) const noexcept {
    LAPL_CUDA_NO_THROW(cudaGraphExecDestroy(graph));
  }
};
using Graph = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, DestroyGraph>;
using RunnableGraph = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, DestroyGraph>;

template <template <class> class Stage, class T>
class TileEngine final : public CudaEngine<T> {
 public:
  TileEngine(const Problem<T>& problem, const Stage<T>& stage, const DoubleBuffer<T>& buffers,
             cudaStream_t stream)
      : first_(buffers.current),
        kernel_(extensions_of(problem.faces.front()) ? step_tile<false, Stage, T>
                                                     : step_tile<true, Stage, T>) {
    const FieldLayout layout = field_layout<T>(problem.shape);
    const std::int64_t across = (layout.columns - 1) / tile_columns<T> + 1;
    const std::int64_t down = (layout.rows - 1) / tile_rows<T> + 1;
    if (down > std::numeric_limits<int>::max() / across)
      throw EngineUnsuitable(
          "the grid has more tiles than the 2147483647 that one launch can take");
    step_ = {layout, problem.faces.front(),
             extensions_of(problem.faces.front()).value_or(Extensions{}), stage,
             static_cast<unsigned>(across)};
    tiles_ = static_cast<unsigned>(across * down);
    capture(buffers, stream);
  }

  void advance(DoubleBuffer<T>& buffers, std::int64_t, std::int64_t steps,
               cudaStream_t stream) override {
    if (steps > 0 && buffers.current != first_) launch(buffers, stream), --steps;
    for (; steps >= graph_steps; steps -= graph_steps)
      LAPL_CUDA(cudaGraphLaunch(graph_.get(), stream));
    for (; steps > 0; --steps) launch(buffers, stream);
  }

 private:
  // Even, so that a graph ends in the buffer that it starts from.
  static constexpr std::int64_t graph_steps = 64;

  void launch(DoubleBuffer<T>& buffers, cudaStream_t stream) const {
    kernel_<<<tiles_, dim3(lanes, warps_a_block), 0, stream>>>(buffers.current, buffers.next,
                                                               step_);
    LAPL_CUDA(cudaGetLastError());
    buffers.swap();
  }

  // Records graph_steps launches that start from first_; nothing runs yet. Asking for the kernel's
  // attributes loads its code, which must not first happen while launches are recorded.
  void capture(DoubleBuffer<T> buffers, cudaStream_t stream) {
    cudaFuncAttributes attributes{};
    LAPL_CUDA(cudaFuncGetAttributes(&attributes, kernel_));
    LAPL_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (std::int64_t i = 0; i < graph_steps; ++i) launch(buffers, stream);
    cudaGraph_t captured = nullptr;
    LAPL_CUDA(cudaStreamEndCapture(stream, &captured));
    const Graph graph(captured);
    cudaGraphExec_t runnable = nullptr;
    LAPL_CUDA(cudaGraphInstantiate(&runnable, graph.get(), 0));
    graph_.reset(runnable);
    LAPL_CUDA(cudaGraphUpload(graph_.get(), stream));
  }

  T* first_;  // the buffer that the graph reads first
  void (*kernel_)(const T*, T*, TileStep<Stage, T>);
  TileStep<Stage, T> step_;
  unsigned tiles_ = 0;
  RunnableGraph graph_;
};

}  // namespace

template <class T>
std::unique_ptr<CudaEngine<T>> make_tile_engine(const Problem<T>& problem,
                                                const DoubleBuffer<T>& buffers,
                                                cudaStream_t stream) {
  return std::make_unique<TileEngine<DiffusionStage, T>>(problem, compiled_stage(problem), buffers,
                                                         stream);
}
template std::unique_ptr<CudaEngine<float>> make_tile_engine(const Problem<float>&,
                                                             const DoubleBuffer<float>&,
                                                             cudaStream_t);
template std::unique_ptr<CudaEngine<double>> make_tile_engine(const Problem<double>&,
                                                              const DoubleBuffer<double>&,
                                                              cudaStream_t);

}  // namespace lapl
