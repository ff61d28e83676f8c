#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/ranks/line_shares.hpp"

namespace lapl {

class DeviceRanks;

/// The memory of LineExchange (kernels/spectral/line_exchange.hpp) on a device. Messages go by
/// NCCL, or through host memory if the problem has no devices. Throws DeviceError if NCCL or the
/// device fails.
class DeviceMessages {
 public:
  template <class T>
  DeviceMessages(const Problem<T>& problem, cudaStream_t stream)
      : ranks_(problem.ranks), devices_(problem.devices), stream_(stream) {}

  void allocate(std::int64_t cells, std::int64_t modes);
  double* slab() const { return slab_.data(); }
  /// Enqueues the copy.
  void copy(std::int64_t slab, std::int64_t pitch, std::int64_t packed, std::int64_t rows,
            std::int64_t columns, bool to_packed) const;
  /// Enqueues the exchange; through host memory, waits for what is there before.
  void exchange(const LineShares& shares, double* lines, bool to_lines) const;

 private:
  void exchange_devices(const LineShares& shares, double* lines, bool to_lines) const;

  Ranks* ranks_;
  std::shared_ptr<DeviceRanks> devices_;
  cudaStream_t stream_;
  DeviceBuffer<double> slab_, packed_;
  PinnedBuffer<double> host_packed_, host_lines_;
};

}  // namespace lapl
