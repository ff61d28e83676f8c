// Messages between ranks, from device memory to device memory.
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
    void* values = nullptr;  ///< in memory of the current device
    std::size_t bytes = 0;
  };
  /// Enqueues all these messages in `stream`. Messages from one peer arrive in the order in which
  /// that peer sends them.
  virtual void exchange(const std::vector<Message>& sent, const std::vector<Message>& received,
                        cudaStream_t stream) = 0;
};

/// Connects the devices of the first `count` ranks; returns null on the others. All ranks must call
/// it, and only if why_no_device_ranks() (device_halo.hpp) is empty. Throws DeviceError if NCCL
/// fails.
std::unique_ptr<DeviceRanks> make_device_ranks(Ranks& ranks, int count);

}  // namespace lapl
