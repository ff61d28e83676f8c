#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/ranks/line_shares.hpp"

namespace lapl {

class DeviceRanks;

/// Moves values in device memory between slabs and lines: by NCCL, or through host memory if the
/// problem has no devices. Throws DeviceError if NCCL or the device fails.
class DeviceLines : public LineShares {
 public:
  template <class T>
  explicit DeviceLines(const Problem<T>& problem)
      : LineShares(problem), ranks_(problem.ranks), devices_(problem.devices) {
    if (is_divided()) allocate();
  }

  /// The values of the slab that belong to `lines`: these themselves if there is only one rank.
  double* slab(double* lines) const { return is_divided() ? slab_.data() : lines; }

  /// Enqueues the exchange in `stream`; through host memory, waits for what is there before.
  void to_lines(double* lines, cudaStream_t stream) const;
  void to_slab(double* lines, cudaStream_t stream) const;

 private:
  void allocate();
  void exchange_devices(double* lines, bool to_lines, cudaStream_t stream) const;
  // Copies between the slab and messages, which hold the lines of one rank after the other.
  void copy_packed(bool from_slab, cudaStream_t stream) const;

  Ranks* ranks_;
  std::shared_ptr<DeviceRanks> devices_;
  DeviceBuffer<double> slab_, packed_;
  PinnedBuffer<double> host_packed_, host_lines_;
};

}  // namespace lapl
