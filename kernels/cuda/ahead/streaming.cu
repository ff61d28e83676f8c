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
// extension exact, so the inner loop needs no boundary. Extended columns are written to the "apron"
// before a launch; extended rows are read from the rows that they mirror. Grids narrower than the
// halo are extended repeatedly. A shortened pass takes remaining steps: its last levels pass rows
// on.
//
// Registers (nvcc 13, sm_90): 192 for float, 188 for double, no spills (195 and 188 in a shortened
// pass); eight warps share a multiprocessor. Shared memory: 41472 bytes per block. Barriers: two
// per turn (three rows), which the warps may pass some turns apart. Device memory: a cell is read
// and written once per launch (read 1.1 times with the halo). A row step of a warp takes 270
// instructions for float, 240 of them arithmetic; their issue rate limits float. Nine rows at a
// time are being copied from device to shared memory (cp.async).
#include <algorithm>
#include <cstdint>
#include <memory>

#include "kernels/cuda/ahead/streaming_plan.cuh"
#include "kernels/cuda/cuda_engine.hpp"
#include "kernels/cuda/device/cuda_check.hpp"
#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/cuda/device/device_info.hpp"
#include "kernels/cuda/device/field_layout.hpp"

namespace lapl {
namespace {

template <class P>
__global__ void __launch_bounds__(StreamSizes::lanes* P::sizes.warps, 8 / P::sizes.warps)
    stream_strips(const __grid_constant__ typename P::Grid grid,
                  const typename P::T* __restrict__ from, typename P::T* __restrict__ to) {
  constexpr GridIndex field[] = {0};
  stream<P>(from, to, {grid, field, &grid.stage.coefficient, nullptr});
}

template <class T>
class StreamingEngine final : public CudaEngine<T> {
  template <bool shortened>
  static constexpr auto kernel = stream_strips<DiffusionPlan<T, shortened>>;
  static constexpr StreamSizes sizes = DiffusionPlan<T, false>::sizes;

 public:
  explicit StreamingEngine(const Problem<T>& problem) {
    grid_.stage = compiled_stage(problem);
    const auto extensions = extensions_of(problem);
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
    // As many blocks as can run at the same time, but not more than rows.
    blocks_ = static_cast<unsigned>(std::min<GridIndex>(
        grid_.strips * grid_.rows, GridIndex{processors} * std::max(of_processor, 1)));
  }

  void advance(DoubleBuffer<T>& buffers, std::int64_t, std::int64_t steps,
               cudaStream_t stream) override {
    for (; steps >= sizes.depth(); steps -= sizes.depth()) launch(kernel<false>, buffers, stream);
    grid_.steps = static_cast<int>(steps);
    if (steps > 0) launch(kernel<true>, buffers, stream);
  }

 private:
  template <class Kernel>
  void launch(Kernel* of, DoubleBuffer<T>& buffers, cudaStream_t stream) {
    constexpr int threads = 256;
    fill_apron<<<static_cast<unsigned>((apron_.size() - 1) / threads + 1), threads, 0, stream>>>(
        static_cast<const T*>(buffers.current), grid_);
    LAPL_CUDA(cudaGetLastError());
    of<<<blocks_, dim3(sizes.lanes, sizes.warps), sizes.shared_bytes(), stream>>>(
        grid_, buffers.current, buffers.next);
    LAPL_CUDA(cudaGetLastError());
    buffers.swap();
  }

  ExtendedGrid<T> grid_{};
  DeviceBuffer<T> apron_;
  unsigned blocks_ = 0;
};

}  // namespace

template <class T>
int streaming_depth() {
  return DiffusionPlan<T, false>::sizes.depth();
}
template int streaming_depth<float>();
template int streaming_depth<double>();

template <class T>
std::unique_ptr<CudaEngine<T>> make_streaming_engine(const Problem<T>& problem,
                                                     const DoubleBuffer<T>&, cudaStream_t) {
  return std::make_unique<StreamingEngine<T>>(problem);
}
template std::unique_ptr<CudaEngine<float>> make_streaming_engine(const Problem<float>&,
                                                                  const DoubleBuffer<float>&,
                                                                  cudaStream_t);
template std::unique_ptr<CudaEngine<double>> make_streaming_engine(const Problem<double>&,
                                                                   const DoubleBuffer<double>&,
                                                                   cudaStream_t);

}  // namespace lapl
