// Padded arrays in device memory, and sums over their cells in the order of sum_over_cells.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/cuda/solve/device_loops.cuh"
#include "kernels/solve/stencil_matrix.hpp"

namespace lapl {

/// The sum of each piece of a row, as sum_over_cells has it: a thread for each lane of a piece.
template <class Term>
__global__ void __launch_bounds__(threads_of_block)
    sum_pieces(const PaddedGrid grid, const __grid_constant__ Term term, double* sums) {
  const std::int64_t columns = grid.size[2], across = (columns - 1) / cells_of_piece + 1;
  const std::int64_t thread = std::int64_t{blockIdx.x} * threads_of_block + threadIdx.x;
  const std::int64_t piece = thread / lanes_of_piece, lane = thread % lanes_of_piece;
  double sum = 0;
  if (piece < grid.rows() * across) {
    const std::int64_t first = piece % across * cells_of_piece;
    const std::int64_t at = grid.row_place(piece / across) + first;
    const std::int64_t rest = columns - first;
    const std::int64_t count = rest < cells_of_piece ? rest : cells_of_piece;
    for (std::int64_t i = lane; i < count; i += lanes_of_piece) sum += term(at + i);
  }
  double of_piece = 0;
  for (int other = 0; other < lanes_of_piece; ++other)
    of_piece += __shfl_sync(0xffffffff, sum, other, lanes_of_piece);
  if (piece < grid.rows() * across && lane == 0) sums[piece] = of_piece;
}
/// Adds the sums of pieces, one after the other.
static __global__ void __launch_bounds__(256)
    add_pieces(const double* sums, std::int64_t count, double* result) {
  __shared__ double loaded[2048];
  double sum = 0;
  for (std::int64_t first = 0; first < count; first += 2048) {
    for (std::int64_t i = threadIdx.x; i < 2048 && first + i < count; i += 256)
      loaded[i] = sums[first + i];
    __syncthreads();
    if (threadIdx.x == 0)
      for (std::int64_t i = 0; i < 2048 && first + i < count; ++i) sum += loaded[i];
    __syncthreads();
  }
  if (threadIdx.x == 0) *result = sum;
}

/// The memory of vectors, which serves again: an allocation would wait for the device.
struct VectorMemory {
  std::int64_t values = 0;
  cudaStream_t stream = nullptr;
  std::vector<DeviceBuffer<double>> unused;

  DeviceBuffer<double> lend() {
    if (unused.empty()) return device_buffer<double>(values);
    DeviceBuffer<double> lent = std::move(unused.back());
    unused.pop_back();
    return lent;
  }
};

/// A padded array in device memory.
class DeviceVector {
 public:
  explicit DeviceVector(VectorMemory& memory) : memory_(&memory), buffer_(memory.lend()) {}
  DeviceVector(const DeviceVector& other) : DeviceVector(*other.memory_) { *this = other; }
  DeviceVector(DeviceVector&& other) noexcept = default;
  ~DeviceVector() {
    if (buffer_.data() != nullptr) memory_->unused.push_back(std::move(buffer_));
  }
  DeviceVector& operator=(const DeviceVector& other) {
    LAPL_CUDA(cudaMemcpyAsync(data(), other.data(), bytes(), cudaMemcpyDeviceToDevice, stream()));
    return *this;
  }
  DeviceVector& operator=(DeviceVector&& other) = delete;

  void clear() { LAPL_CUDA(cudaMemsetAsync(data(), 0, bytes(), stream())); }
  double* data() const { return buffer_.data(); }
  std::int64_t size() const { return memory_->values; }
  cudaStream_t stream() const { return memory_->stream; }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(size()) * sizeof(double); }

  VectorMemory* memory_;
  DeviceBuffer<double> buffer_;
};

/// As the functions of these names in krylov.hpp.
inline void add(DeviceVector& x, double factor, const DeviceVector& y, int) {
  double* const to = x.data();
  const double* const from = y.data();
  for_indices_on(x.stream(), x.size(),
                 [=] __device__(std::int64_t i) { to[i] += factor * from[i]; });
}
inline void scale_and_add(DeviceVector& x, double factor, const DeviceVector& y, int) {
  double* const to = x.data();
  const double* const from = y.data();
  for_indices_on(x.stream(), x.size(),
                 [=] __device__(std::int64_t i) { to[i] = from[i] + factor * to[i]; });
}

}  // namespace lapl
