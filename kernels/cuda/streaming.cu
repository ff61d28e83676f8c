// Engine "streaming": for grids larger than the chip; many steps a launch, rows streamed through
// registers.
//
//   column   x0          x0 + halo                 x0 + width - halo     width = 32 lanes
//            | redundant | kept: what the strip writes | redundant |     of 32 bytes
//   rows in  =======================================================
//      |     warp 0: time levels 0 to 5, three rows of each in registers
//      v     ------- its rows, 6 steps on, through shared memory -----
//            warp 1: time levels 6 to 11
//   rows out             ===============================                 12 steps later
//
// A block owns a strip of the grid and walks down it: two warps of 6 levels, so 12 steps a launch;
// a lane has 8 neighbouring columns of float or 4 of double. Left and right neighbours come by
// shuffle; rows above and below are in registers. In each row step level k turns its rows up,
// centre and down into one row of level k + 1, which takes the place of the row that k + 1 needs no
// more. Levels go from last to first, so each uses what the one before made a row step ago and none
// waits for another. Three row steps are one turn: then each row is in its old place again, and no
// register is copied. Strips overlap by twice the halo, and the pieces of a strip that blocks share
// out by as many rows; both are computed twice.
//
// Boundaries: the grid is extended (odd, even or periodic, docs/numerics.md), which a step
// keeps exact, so the inner loop has none. Extended columns are laid down in the "apron" before a
// launch; extended rows are read where they mirror. Grids narrower than the halo are extended as
// often as it takes.
//
// Registers (nvcc 13, sm_90): 199 float, 192 double, no spills; eight warps share a multiprocessor.
// Shared memory a block: 41472 bytes. Barriers a turn: two, which the warps may pass some turns
// apart. Device
// memory: a cell is read and written once a launch (1.1 times read, for the halo). A float row step
// of a warp takes 267 instructions, 240 of them arithmetic: issuing them is what limits float.
// Nine rows ahead are on their way from device memory to shared memory (cp.async).
#include <algorithm>
#include <cstdint>
#include <memory>

#include "kernels/cuda/cuda_check.hpp"
#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/device_info.hpp"
#include "kernels/cuda/engine.hpp"
#include "kernels/cuda/streaming_loader.cuh"
#include "kernels/stages/diffusion.hpp"

namespace lapl {
namespace streaming {
namespace {

// Barriers between a warp and the next one of the pipeline, by number.
__device__ __forceinline__ void wait_at(int barrier) {
  asm volatile("barrier.sync %0, 64;" ::"r"(barrier) : "memory");
}
__device__ __forceinline__ void arrive_at(int barrier) {
  asm volatile("barrier.arrive %0, 64;" ::"r"(barrier) : "memory");
}

// Takes one warp through a segment: its levels of the pipeline, and what the first and the last
// warp do besides. `shortened`: levels from pass.steps on pass their rows on unchanged.
template <template <class> class Stage, class T, bool shortened>
__device__ __forceinline__ void run_stage(const T* from, T* to, const Pass<Stage, T>& pass,
                                          const Segment& segment, Stages<T>& shared) {
  constexpr int columns = columns_of_lane<T>, count = Cells<T>::count;
  const unsigned lane = threadIdx.x;
  const int stage = warps<T> == 1 ? 0 : __shfl_sync(all_lanes, threadIdx.y, 0);
  const bool first = stage == 0, last = stage == warps<T> - 1;
  const int turns = static_cast<int>(
      (segment.last_row - segment.first_row + depth<T> + lag<T> + turn_rows - 1) / turn_rows);
  const int active = shortened ? pass.steps - stage * levels<T> : levels<T>;

  T rows[levels<T>][turn_rows][columns];
#pragma unroll
  for (int k = 0; k < levels<T>; ++k)
#pragma unroll
    for (int i = 0; i < turn_rows; ++i)
#pragma unroll
      for (int j = 0; j < columns; ++j) rows[k][i][j] = T(0);

  Loader<Stage, T> loader(from, pass, segment, shared);
  if (first)
    for (int turn = 0; turn < turns_ahead; ++turn) loader.start(turn);

  // What the last stage writes: chunk `lane` of each 32 of the row.
  const int written_rows = static_cast<int>(segment.last_row - segment.first_row);
  unsigned keeps = 0;
#pragma unroll
  for (int c = 0; c < chunks<T>; ++c) {
    const int place = static_cast<int>(c * lanes + lane) * count;
    if (place >= halo<T> && place < width<T> - halo<T> &&
        segment.first_column + place < pass.layout.columns)
      keeps |= 1u << c;
  }
  unsigned staged = (lane % chunks<T> * chunk_pitch<T> + lane / chunks<T>)*16;
  // Or the compiler would work them out again in each turn.
  asm volatile("" : "+r"(keeps), "+r"(staged));
  T* target = to + ((segment.first_row - depth<T> - lag<T>)*pass.layout.pitch +
                    segment.first_column + lane * count);
  const int full_behind = 1 + (stage - 1) * ring<T> * 2, full_ahead = 1 + stage * ring<T> * 2;

#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    const int slot = turn % (turns_ahead + 1), link = turn % ring<T>;
    if (first) {
      loader.start(turn + turns_ahead);
      loader.finish(turn);
    } else {
      wait_at(full_behind + link * 2);
    }
    if (!last && turn >= ring<T>) wait_at(full_ahead + link * 2 + 1);
    const auto& incoming = first ? shared.loaded[slot] : shared.handed[stage - 1][link];
    auto& outgoing = shared.handed[stage][link];
#pragma unroll
    for (int i = 0; i < turn_rows; ++i) {
      constexpr int n = turn_rows;
#pragma unroll
      for (int c = 0; c < chunks<T>; ++c) {
        const Cells<T> cells = incoming[i][c][lane];
#pragma unroll
        for (int j = 0; j < count; ++j) rows[0][(i + 2) % n][c * count + j] = cells.value[j];
      }
      T result[columns];
#pragma unroll
      for (int at = 0; at < levels<T>; ++at) {
        const int k = levels<T> - 1 - at;
        const T* up = rows[k][i];
        const T* centre = rows[k][(i + 1) % n];
        const T* down = rows[k][(i + 2) % n];
        const T left = __shfl_up_sync(all_lanes, centre[columns - 1], 1);
        const T right = __shfl_down_sync(all_lanes, centre[0], 1);
#pragma unroll
        for (int j = 0; j < columns; ++j) {
          T value = pass.stage(j == 0 ? left : centre[j == 0 ? 0 : j - 1],
                               j == columns - 1 ? right : centre[j == columns - 1 ? j : j + 1],
                               up[j], down[j], centre[j]);
          if (shortened && k >= active) value = centre[j];
          if (k == levels<T> - 1)
            result[j] = value;
          else
            rows[k + 1 < levels<T> ? k + 1 : 0][i][j] = value;
        }
      }
#pragma unroll
      for (int c = 0; c < chunks<T>; ++c) {
        Cells<T> cells;
#pragma unroll
        for (int j = 0; j < count; ++j) cells.value[j] = result[c * count + j];
        outgoing[i][c][lane] = cells;
      }
    }
    if (!first && turn + ring<T> < turns) arrive_at(full_behind + link * 2 + 1);
    if (!last) {
      arrive_at(full_ahead + link * 2);
      continue;
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < turn_rows; ++i) {
      const int row = turn * turn_rows + i - (depth<T> + lag<T>);
      const bool writes = row >= 0 && row < written_rows;
#pragma unroll
      for (int c = 0; c < chunks<T>; ++c)
        if (writes && (keeps >> c & 1) != 0)
          *reinterpret_cast<Cells<T>*>(target + c * lanes * count) =
              *reinterpret_cast<const Cells<T>*>(reinterpret_cast<const char*>(&outgoing[i]) +
                                                 staged + c * (lanes / chunks<T>)*16);
      target += pass.layout.pitch;
    }
  }
}

// The work is one line: strip after strip, each with a start-up cost worth start_rows rows before
// its rows. Every block takes an equal piece of it, and so the end of one strip and the start of
// the next where a piece spans both.
template <class T>
constexpr int start_rows = depth<T> + lag<T>;

template <template <class> class Stage, class T, bool shortened>
__global__ void __launch_bounds__(lanes* warps<T>, resident_blocks<T>)
    stream_strips(const T* __restrict__ from, T* __restrict__ to, const Pass<Stage, T> pass) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto& stages = *reinterpret_cast<Stages<T>*>(memory);
  const std::int64_t strip_length = pass.layout.rows + start_rows<T>;
  const std::int64_t length = pass.strips * strip_length;
  const std::int64_t piece = (length + gridDim.x - 1) / gridDim.x;
  const std::int64_t end = min(length, (blockIdx.x + 1) * piece);
  for (std::int64_t place = blockIdx.x * piece; place < end;) {
    const std::int64_t strip = place / strip_length, strip_start = strip * strip_length;
    const std::int64_t stop = min(end, strip_start + strip_length);
    const Segment segment{strip * kept_columns<T> - halo<T>,
                          max(place - strip_start - start_rows<T>, std::int64_t{0}),
                          stop - strip_start - start_rows<T>};
    if (segment.last_row > segment.first_row) {
      run_stage<Stage, T, shortened>(from, to, pass, segment, stages);
      __syncthreads();
    }
    place = stop;
  }
}

template <template <class> class Stage, class T>
class StreamingEngine final : public CudaEngine<T> {
  using Kernel = void(const T*, T*, Pass<Stage, T>);

 public:
  StreamingEngine(const Problem<T>& problem, const Stage<T>& stage) {
    const auto extensions = extensions_of(problem);
    if (!extensions)
      throw EngineUnsuitable("engine streaming: a face is neither held at 0 nor insulated");
    const FieldLayout layout = field_layout<T>(problem.shape);
    apron_ = device_buffer<T>(layout.rows * apron_pitch<T>);
    const std::int64_t strips = (layout.columns - 1) / kept_columns<T> + 1;
    pass_ = {layout, *extensions, stage, strips, apron_.data(), depth<T>};
    for (Kernel* kernel : {stream_strips<Stage, T, false>, stream_strips<Stage, T, true>})
      LAPL_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     sizeof(Stages<T>)));
    int of_processor = 0, processors = 0;
    LAPL_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &of_processor, stream_strips<Stage, T, false>, lanes * warps<T>, sizeof(Stages<T>)));
    LAPL_CUDA(
        cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, current_device()));
    // All at once on the device, and none without a row.
    blocks_ = static_cast<unsigned>(std::min(pass_.strips * pass_.layout.rows,
                                             std::int64_t{processors} * std::max(of_processor, 1)));
  }

  void advance(DoubleBuffer<T>& buffers, std::int64_t, std::int64_t steps,
               cudaStream_t stream) override {
    for (; steps >= depth<T>; steps -= depth<T>)
      launch(stream_strips<Stage, T, false>, buffers, depth<T>, stream);
    if (steps > 0) launch(stream_strips<Stage, T, true>, buffers, static_cast<int>(steps), stream);
  }

 private:
  void launch(Kernel* kernel, DoubleBuffer<T>& buffers, int steps, cudaStream_t stream) {
    constexpr int threads = 256;
    pass_.steps = steps;
    fill_apron<<<static_cast<unsigned>((apron_.size() - 1) / threads + 1), threads, 0, stream>>>(
        static_cast<const T*>(buffers.current), pass_);
    LAPL_CUDA(cudaGetLastError());
    kernel<<<blocks_, dim3(lanes, warps<T>), sizeof(Stages<T>), stream>>>(buffers.current,
                                                                          buffers.next, pass_);
    LAPL_CUDA(cudaGetLastError());
    buffers.swap();
  }

  Pass<Stage, T> pass_;
  DeviceBuffer<T> apron_;
  unsigned blocks_ = 0;  // of a launch
};

}  // namespace
}  // namespace streaming

template <class T>
int streaming_depth() {
  return streaming::depth<T>;
}
template int streaming_depth<float>();
template int streaming_depth<double>();

template <class T>
std::unique_ptr<CudaEngine<T>> make_streaming_engine(const Problem<T>& problem,
                                                     const DoubleBuffer<T>&, cudaStream_t) {
  return std::make_unique<streaming::StreamingEngine<DiffusionStage, T>>(problem,
                                                                         compiled_stage(problem));
}
template std::unique_ptr<CudaEngine<float>> make_streaming_engine(const Problem<float>&,
                                                                  const DoubleBuffer<float>&,
                                                                  cudaStream_t);
template std::unique_ptr<CudaEngine<double>> make_streaming_engine(const Problem<double>&,
                                                                   const DoubleBuffer<double>&,
                                                                   cudaStream_t);

}  // namespace lapl
