// A Multigrid in device memory.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/solve/device_cycle.cuh"

namespace lapl {

// A block updates a row, half of its nodes after the other half. It goes through the row in pieces,
// so that a piece is in the cache when its second half is updated: this half follows by one node,
// whose neighbour beyond the piece comes first. Beyond periodic edges of an even length, the second
// half reads new values of the first.
inline constexpr int threads_of_row = 128, nodes_of_piece = 2 * threads_of_row;
static __global__ void __launch_bounds__(threads_of_row)
    update_row(const __grid_constant__ DeviceLevel level, std::int64_t plane, std::int64_t row,
               std::int64_t rows, bool forwards) {
  const PaddedGrid& grid = level.grid;
  const std::int64_t columns = grid.size[2], second = 2 * std::int64_t{threadIdx.x};
  const std::int64_t at =
      grid.place({plane + 2 * (blockIdx.x / rows), row + 2 * (blockIdx.x % rows), 0});
  const auto update = [&](std::int64_t column) {
    if (column >= 0 && column < columns) level.update(at + column);
  };
  const bool is_beside_itself = grid.periodic[2] && columns % 2 == 0;
  if (forwards) {
    for (std::int64_t piece = 0; piece <= columns; piece += nodes_of_piece) {
      update(piece + second);
      if (is_beside_itself && piece + second == 0) level.x[at + columns] = level.x[at];
      __syncthreads();
      update(piece + second - 1);
    }
  } else {
    for (std::int64_t piece = (columns - 1) / nodes_of_piece * nodes_of_piece; piece >= 0;
         piece -= nodes_of_piece) {
      update(piece + second + 1);
      if (is_beside_itself && piece + second + 2 == columns)
        level.x[at - 1] = level.x[at + columns - 1];
      __syncthreads();
      update(piece + second + 2);
    }
    __syncthreads();
    if (threadIdx.x == 0) update(0);
  }
  if (!grid.periodic[2]) return;
  __syncthreads();
  if (threadIdx.x == 0) grid.wrap_row(level.x + at);
}

// Levels that are solved in one block have at most so many cells, and are at most so many.
inline constexpr std::int64_t cells_of_block = 4096;
inline constexpr int levels_of_block = 12;
static __global__ void __launch_bounds__(1024)
    cycle_in_block(DeviceLevels levels, int first, bool from_zero) {
  constexpr int words = sizeof(DeviceLevel) / sizeof(std::int64_t);
  __shared__ std::int64_t shared[levels_of_block * words];
  const auto* const from = reinterpret_cast<const std::int64_t*>(levels.at + first);
  levels.count -= first;
  for (int i = static_cast<int>(threadIdx.x); i < levels.count * words;
       i += static_cast<int>(blockDim.x))
    shared[i] = from[i];
  levels.at = reinterpret_cast<const DeviceLevel*>(shared);
  __syncthreads();
  cycle_parts(BlockParts{}, levels, 0, from_zero);
}

/// Parts of a cycle as kernels.
struct LaunchParts {
  cudaStream_t stream;
  DeviceLevels on_device;  ///< whose levels are in device memory

  template <class Use>
  void cells(std::int64_t rows, std::int64_t columns, const Use& use) const {
    for_cells_on(stream, rows, columns, use);
  }
  void update_rows(const DeviceLevel& level, std::int64_t plane, std::int64_t row,
                   std::int64_t planes, std::int64_t rows, bool forwards) const {
    update_row<<<static_cast<unsigned>(planes * rows), threads_of_row, 0, stream>>>(
        level, plane, row, rows, forwards);
    LAPL_CUDA(cudaGetLastError());
  }
  static GivenLevel given(const DeviceLevel& level) { return {level}; }
  static bool takes_rest(const DeviceLevel& level) { return level.grid.cells() <= cells_of_block; }
  void rest(int first, bool from_zero) const {
    cycle_in_block<<<1, 1024, 0, stream>>>(on_device, first, from_zero);
    LAPL_CUDA(cudaGetLastError());
  }
};

class DeviceMultigrid {
 public:
  DeviceMultigrid(const Multigrid& of, cudaStream_t stream) : stream_(stream) {
    for (const Multigrid::Level& level : of.levels()) {
      DeviceLevel& made = levels_.emplace_back();
      made.grid = level.matrix.grid;
      made.halved = level.halved;
      for_offsets(level, [&](int offset) {
        made.terms.moves[made.terms.count] = level.matrix.move(offset);
        made.terms.entries[made.terms.count++] = keep(made.grid.values);
        if (offset == stencil_center) made.diagonal = made.terms.entries[made.terms.count - 1];
      });
      made.inverse = keep(made.grid.values);
      for (std::size_t set = 0; set < Multigrid::sides; ++set)
        if (!level.weights[set].empty()) made.weights[set] = keep(made.grid.values);
      for (double** const values : {&made.x, &made.b, &made.r}) {
        *values = keep(made.grid.values);
        LAPL_CUDA(cudaMemsetAsync(*values, 0, made.grid.values * sizeof(double), stream));
      }
    }
    const std::int64_t count = std::ssize(levels_);
    in_memory_ = device_buffer<DeviceLevel>(count);
    LAPL_CUDA(cudaMemcpyAsync(in_memory_.data(), levels_.data(), count * sizeof levels_[0],
                              cudaMemcpyHostToDevice, stream));
    host_ = {levels_.data(), static_cast<int>(count), of.jumps(),
             keep(std::ssize(of.coarsest_inverse()))};
    load(of);
  }
  /// Takes the numbers of another Multigrid. Returns false if it has other levels or offsets.
  bool update(const Multigrid& of) {
    bool fits = of.jumps() == host_.jumps && of.levels().size() == levels_.size();
    for (std::size_t i = 0; fits && i < levels_.size(); ++i) {
      const Multigrid::Level& level = of.levels()[i];
      int count = 0;
      for_offsets(level, [&](int offset) {
        fits = fits && count < levels_[i].terms.count &&
               levels_[i].terms.moves[count] == level.matrix.move(offset);
        ++count;
      });
      fits = fits && count == levels_[i].terms.count && level.halved == levels_[i].halved &&
             level.matrix.grid.size == levels_[i].grid.size;
    }
    if (fits) load(of);
    return fits;
  }
  DeviceMultigrid(const DeviceMultigrid&) = delete;
  DeviceMultigrid& operator=(const DeviceMultigrid&) = delete;
  ~DeviceMultigrid() {
    if (graph_ != nullptr) LAPL_CUDA_NO_THROW(cudaGraphExecDestroy(graph_));
  }

  const PaddedGrid& grid() const { return levels_.front().grid; }
  GivenLevel finest() const { return {levels_.front()}; }
  const double* diagonal() const { return levels_.front().diagonal; }

  /// z = M^-1 r, for padded arrays. The kernels of a cycle are many and short, so they are recorded
  /// once.
  void precondition(const double* r, double* z) {
    const std::size_t bytes = static_cast<std::size_t>(grid().values) * sizeof(double);
    LAPL_CUDA(cudaMemcpyAsync(levels_[0].b, r, bytes, cudaMemcpyDeviceToDevice, stream_));
    if (graph_ == nullptr) record();
    LAPL_CUDA(cudaGraphLaunch(graph_, stream_));
    LAPL_CUDA(cudaMemcpyAsync(z, levels_[0].x, bytes, cudaMemcpyDeviceToDevice, stream_));
  }

 private:
  template <class Use>
  static void for_offsets(const Multigrid::Level& level, const Use& use) {
    for (int offset = 0; offset < stencil_offsets; ++offset)
      if (level.matrix.has(offset)) use(offset);
  }
  double* keep(std::int64_t values) {
    return kept_.emplace_back(device_buffer<double>(values)).data();
  }
  void copy(const std::vector<double>& from, const double* to) {
    LAPL_CUDA(cudaMemcpyAsync(const_cast<double*>(to), from.data(), from.size() * sizeof(double),
                              cudaMemcpyHostToDevice, stream_));
  }
  void load(const Multigrid& of) {
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      const Multigrid::Level& level = of.levels()[i];
      int term = 0;
      for_offsets(level, [&](int offset) {
        copy(level.matrix.at(offset), levels_[i].terms.entries[term++]);
      });
      copy(level.inverse, levels_[i].inverse);
      for (std::size_t set = 0; set < Multigrid::sides; ++set)
        if (!level.weights[set].empty()) copy(level.weights[set], levels_[i].weights[set]);
    }
    copy(of.coarsest_inverse(), host_.coarsest_inverse);
    LAPL_CUDA(cudaStreamSynchronize(stream_));  // the host's may go
  }

  void record() {
    DeviceLevels on_device = host_;
    on_device.at = in_memory_.data();
    const Stream to;
    cudaGraph_t made = nullptr;
    LAPL_CUDA(cudaStreamBeginCapture(to, cudaStreamCaptureModeThreadLocal));
    cycle_parts(LaunchParts{to, on_device}, host_, 0, true);
    LAPL_CUDA(cudaStreamEndCapture(to, &made));
    LAPL_CUDA(cudaGraphInstantiate(&graph_, made, 0));
    LAPL_CUDA(cudaGraphDestroy(made));
  }

  cudaStream_t stream_;
  std::vector<DeviceBuffer<double>> kept_;
  std::vector<DeviceLevel> levels_;
  DeviceBuffer<DeviceLevel> in_memory_;
  DeviceLevels host_{};
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace lapl
