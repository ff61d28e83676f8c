// Loops over indices and cells on a GPU: a kernel for each, or in one block.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cuda/device/cuda_check.hpp"

namespace lapl {

inline constexpr int threads_of_block = 128;

/// Calls use(index) for each index below `count`.
template <class Use>
__global__ void __launch_bounds__(threads_of_block)
    use_indices(std::int64_t count, const __grid_constant__ Use use) {
  const std::int64_t step = std::int64_t{gridDim.x} * threads_of_block;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads_of_block + threadIdx.x; i < count;
       i += step)
    use(i);
}
template <class Use>
void for_indices_on(cudaStream_t stream, std::int64_t count, const Use& use) {
  if (count == 0) return;
  const auto blocks = std::min<std::int64_t>((count - 1) / threads_of_block + 1, 1 << 20);
  use_indices<<<static_cast<unsigned>(blocks), threads_of_block, 0, stream>>>(count, use);
  LAPL_CUDA(cudaGetLastError());
}

/// Calls use(row, column) for each of so many rows and columns.
template <class Use>
__global__ void __launch_bounds__(threads_of_block)
    use_cells(std::int64_t rows, std::int64_t columns, const __grid_constant__ Use use) {
  const std::int64_t column = std::int64_t{blockIdx.x} * threads_of_block + threadIdx.x;
  if (column >= columns) return;
  for (std::int64_t row = blockIdx.y; row < rows; row += gridDim.y) use(row, column);
}
template <class Use>
void for_cells_on(cudaStream_t stream, std::int64_t rows, std::int64_t columns, const Use& use) {
  if (rows == 0 || columns == 0) return;
  const dim3 blocks(static_cast<unsigned>((columns - 1) / threads_of_block + 1),
                    static_cast<unsigned>(std::min<std::int64_t>(rows, 32768)));
  use_cells<<<blocks, threads_of_block, 0, stream>>>(rows, columns, use);
  LAPL_CUDA(cudaGetLastError());
}

}  // namespace lapl
