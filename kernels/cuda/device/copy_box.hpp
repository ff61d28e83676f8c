#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "kernels/cuda/device/cuda_check.hpp"

namespace lapl {

/// The position of a box: its first cell (plane, row, column) in one field of an array.
template <class T>
struct BoxIn {
  T* field = nullptr;
  std::int64_t pitch = 0;  ///< values from one row to the next
  std::int64_t rows = 1;   ///< rows from one plane to the next
  std::array<std::int64_t, 3> first = {};

  T* begin() const { return field + (first[0] * rows + first[1]) * pitch + first[2]; }
  /// True if a box of `count` planes, rows and columns is contiguous in memory.
  bool is_one_piece(const std::array<std::int64_t, 3>& count) const {
    return (count[0] * count[1] == 1 || count[2] == pitch) && (count[0] == 1 || count[1] == rows);
  }
};

/// Enqueues the copy of `count` planes, rows and columns. If the host memory is not page-locked,
/// returns after the copy.
template <class T>
void copy_box(const BoxIn<T>& from, const BoxIn<T>& to, const std::array<std::int64_t, 3>& count,
              cudaMemcpyKind kind, cudaStream_t stream) {
  const auto bytes = static_cast<std::size_t>(count[2]) * sizeof(T);
  const auto rows = static_cast<std::size_t>(count[1]), planes = static_cast<std::size_t>(count[0]);
  // Contiguous boxes are copied as one block, others by cudaMemcpy3D. That limits the pitch
  // (cudaDeviceProp::memPitch), so boxes with longer rows are copied row by row.
  constexpr std::int64_t most_pitch = std::numeric_limits<int>::max();
  if (from.is_one_piece(count) && to.is_one_piece(count)) {
    LAPL_CUDA(cudaMemcpyAsync(to.begin(), from.begin(), planes * rows * bytes, kind, stream));
    return;
  }
  if (std::max(from.pitch, to.pitch) > most_pitch / static_cast<std::int64_t>(sizeof(T))) {
    for (std::int64_t plane = 0; plane < count[0]; ++plane)
      for (std::int64_t row = 0; row < count[1]; ++row) {
        const auto in_row = [&](const BoxIn<T>& in) {
          return in.begin() + (plane * in.rows + row) * in.pitch;
        };
        LAPL_CUDA(cudaMemcpyAsync(in_row(to), in_row(from), bytes, kind, stream));
      }
    return;
  }
  const auto pitched = [](const BoxIn<T>& in) {
    const auto pitch = static_cast<std::size_t>(in.pitch) * sizeof(T);
    return make_cudaPitchedPtr(in.begin(), pitch, pitch, static_cast<std::size_t>(in.rows));
  };
  cudaMemcpy3DParms copy{};
  copy.srcPtr = pitched(from);
  copy.dstPtr = pitched(to);
  copy.extent = make_cudaExtent(bytes, rows, planes);
  copy.kind = kind;
  LAPL_CUDA(cudaMemcpy3DAsync(&copy, stream));
}

}  // namespace lapl
