// What ranks send each other from device to device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "kernels/ranks/ranks.hpp"

namespace lapl {

class DeviceRanks {
 public:
  virtual ~DeviceRanks() = default;

  struct Message {
    int peer = 0;
    void* values = nullptr;  ///< in the memory of the current device
    std::size_t bytes = 0;
  };
  /// Enqueues all of these. What comes from a peer comes in the order in which it sends it.
  virtual void exchange(const std::vector<Message>& sent, const std::vector<Message>& received,
                        cudaStream_t stream) = 0;
};

/// Where why_no_device_ranks (device_halo.hpp) is empty: of the first `count` ranks; called by all,
/// null on the others. Throws DeviceError where NCCL fails.
std::unique_ptr<DeviceRanks> make_device_ranks(Ranks& ranks, int count);

}  // namespace lapl
