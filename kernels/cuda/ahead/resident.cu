// Engine "resident": one launch for many steps; the grid stays in the registers of the chip.
//
//   <- 8 -><---- up to 112 columns ----><- 8 ->
//   +------+---------------------------+------+
//   |      |    8 rows of halo         |      |   A tile is one block of 16 warps, alone on its
//   |      +---------------------------+      |   multiprocessor. A warp holds 3 to 19 whole rows
//   | halo |  warp 0                   | halo |   of the tile and its halo in registers; some
//   |      |- - - - - - - - - - - - - -|      |   variants hold 8 or 10 more in shared memory. A
//   |      |  warp 1 ...               |      |   lane holds 4 columns of them. Rows of the halo
//   |      +---------------------------+      |   belong to the first and the last warps.
//   |      |    8 rows of halo         |      |
//   +------+---------------------------+------+
//
// A step has one barrier of the block. A warp reads the rows above and below its own from shared
// memory, steps its first and last row, writes them for its neighbours (2 x 512 bytes per warp,
// 1024 for double, read once each; two buffers in turn), and then steps the rows between in place.
// Left and right neighbours come from other lanes by shuffle. The __syncwarp() after each row keeps
// the compiler from interleaving rows, which costs moves and spills.
//
// Every 8 steps the halos are used up and the tiles exchange them. Each warp writes its part of the
// tile's rim, 8 cells deep, to an image of its registers in device memory (in practice the L2
// cache), raises its flag, waits for the flags of the warps whose cells it needs, and reads. There
// is no barrier of the grid. Flags count publications and are never reset. Two images in turn are
// enough: a tile publishes for the third time only after its neighbours have published the second
// time, and so, by their barriers, after all their warps have read the first image.
//
// Boundaries: halo cells outside the grid come from its odd, even or periodic extension
// (kernels/grid/face.hpp), so steps have no branch. Columns beyond a face held at 0 are kept at 0
// by a stage whose coefficient is 0.
//
// All blocks must run at the same time, which a cooperative launch ensures or refuses. Waiting is
// bounded, so that a bug ends in a launch error and not in a hang.
//
// Registers (nvcc 13, sm_90): 128 with 512 threads. Spilled bytes per thread: none up to 14 rows
// per warp of float and 6 of double, 20 with 19 rows of float, 184 with 9 rows of double, 360 with
// 10 more in shared memory.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/ahead/resident_step.cuh"
#include "kernels/cuda/cuda_engine.hpp"
#include "kernels/cuda/device/cuda_check.hpp"
#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/cuda/device/device_info.hpp"
#include "kernels/for_floats.hpp"

namespace lapl {
namespace {

// A compiled kernel, for a number of rows per warp.
template <template <class> class Stage, class T>
struct Variant {
  int rows;
  std::int64_t shared_bytes;
  void (*kernel)(Resident<Stage, T>);
};
template <template <class> class Stage, class T, int register_rows, int shared_rows = 0>
Variant<Stage, T> variant() {
  return {register_rows + shared_rows, sizeof(Shared<T, register_rows, shared_rows>),
          step_resident<Stage, T, register_rows, shared_rows>};
}
// Ordered from the fastest step to the slowest.
template <template <class> class Stage, class T>
std::vector<Variant<Stage, T>> variants() {
  if constexpr (sizeof(T) == 4)
    return {variant<Stage, T, 3>(),  variant<Stage, T, 6>(),  variant<Stage, T, 10>(),
            variant<Stage, T, 14>(), variant<Stage, T, 19>(), variant<Stage, T, 19, 8>()};
  else
    return {variant<Stage, T, 3>(), variant<Stage, T, 6>(), variant<Stage, T, 9>(),
            variant<Stage, T, 9, 10>()};
}

int device_attribute(cudaDeviceAttr attribute) {
  int value = 0;
  LAPL_CUDA(cudaDeviceGetAttribute(&value, attribute, current_device()));
  return value;
}

template <template <class> class Stage, class T>
struct Tiling {
  Variant<Stage, T> variant;
  int across = 0, down = 0;
};

// The fastest variant whose tiles cover the grid, at most one on each multiprocessor. Throws
// EngineUnsuitable if there is none.
template <template <class> class Stage, class T>
Tiling<Stage, T> make_tiling(Shape shape) {
  if (device_attribute(cudaDevAttrCooperativeLaunch) == 0)
    throw EngineUnsuitable(
        "engine resident: the device cannot launch blocks that wait for each other");
  const std::int64_t units = (shape.columns - 1) / width + 1;
  const std::int64_t across = (units - 1) / most_units + 1;
  const std::int64_t processors = device_attribute(cudaDevAttrMultiProcessorCount);
  const std::int64_t most_shared = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  std::int64_t most_rows = 0;
  for (const Variant<Stage, T>& variant : variants<Stage, T>()) {
    if (variant.shared_bytes > most_shared) continue;
    const std::int64_t tile_rows = warps * variant.rows - 2 * depth;
    const std::int64_t down = (shape.rows - 1) / tile_rows + 1;
    most_rows = std::max(most_rows, processors / across * tile_rows);
    if (down > processors / across) continue;
    LAPL_CUDA(cudaFuncSetAttribute(variant.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(variant.shared_bytes)));
    int blocks = 0;
    LAPL_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, variant.kernel, warps * lanes, static_cast<std::size_t>(variant.shared_bytes)));
    if (blocks < 1) continue;
    return {variant, static_cast<int>(across), static_cast<int>(down)};
  }
  throw EngineUnsuitable(
      "engine resident: the grid of " + std::to_string(shape.rows) + " x " +
      std::to_string(shape.columns) + " cells does not fit on the " + std::to_string(processors) +
      " multiprocessors of the device, which hold " +
      (across > processors ? std::to_string(processors * most_units * width) + " columns"
                           : std::to_string(most_rows) + " rows of that many columns"));
}

template <template <class> class Stage, class T>
class ResidentEngine final : public Engine<T> {
 public:
  ResidentEngine(const Problem<T>& problem, const Stage<T>& stage, cudaStream_t stream)
      : stream_(stream), plan_(make_tiling<Stage, T>(problem.shape)) {
    const auto extensions = as_extensions(problem);
    if (!extensions)
      throw EngineUnsuitable("engine resident: a face is neither held at 0 nor insulated");
    if (problem.faces.front().columns.first != problem.faces.front().columns.last &&
        problem.shape.columns < depth + width)  // else columns mirrored twice would change sign
      throw EngineUnsuitable("engine resident: few columns between faces of two kinds");
    const std::int64_t all_warps = std::int64_t{plan_.across} * plan_.down * warps;
    edges_ = device_buffer<T>(2 * all_warps * plan_.variant.rows * row_size);
    flags_ = device_buffer<unsigned>(all_warps);
    LAPL_CUDA(cudaMemsetAsync(flags_.data(), 0, static_cast<std::size_t>(all_warps) * 4, stream));
    const FieldLayout layout = field_layout<T>(problem.shape);
    grid_.edges = edges_.data();
    grid_.flags = flags_.data();
    grid_.rows = static_cast<int>(layout.rows);
    grid_.columns = static_cast<int>(layout.columns);
    grid_.pitch = static_cast<int>(layout.pitch);
    grid_.extensions = *extensions;
    grid_.stage = stage;
    grid_.tiles_across = plan_.across;
    grid_.tiles_down = plan_.down;
    grid_.units = (grid_.columns - 1) / width + 1;
  }

  void advance(DoubleBuffer<T>& buffers, std::int64_t, std::int64_t steps) override {
    constexpr std::int64_t most_steps = 1 << 20;  // so that a launch takes at most two seconds
    for (; steps > 0; steps -= std::min(steps, most_steps)) {
      const int now = static_cast<int>(std::min(steps, most_steps));
      grid_.from = buffers.current;
      grid_.to = buffers.next;
      grid_.epochs = (now - 1) / depth + 1;
      grid_.first_steps = now - (grid_.epochs - 1) * depth;
      void* arguments[] = {&grid_};
      LAPL_CUDA(cudaLaunchCooperativeKernel(
          reinterpret_cast<const void*>(plan_.variant.kernel),
          dim3(static_cast<unsigned>(plan_.across * plan_.down)), dim3(warps * lanes), arguments,
          static_cast<std::size_t>(plan_.variant.shared_bytes), stream_));
      grid_.published += static_cast<unsigned>(grid_.epochs - 1);
      buffers.swap();
    }
  }

 private:
  cudaStream_t stream_;
  Tiling<Stage, T> plan_;
  DeviceBuffer<T> edges_;
  DeviceBuffer<unsigned> flags_;
  Resident<Stage, T> grid_{};
};

}  // namespace

template <class T>
std::unique_ptr<Engine<T>> make_resident_engine(const Problem<T>& problem, cudaStream_t stream) {
  return std::make_unique<ResidentEngine<DiffusionStage, T>>(
      problem, plane_diffusion_stage(problem), stream);
}
LAPL_FOR_FLOATS(make_resident_engine);

}  // namespace lapl
