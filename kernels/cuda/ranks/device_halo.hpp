// Halos of blocks in device memory.
#pragma once

#include <memory>

#include "kernels/ranks/halo.hpp"

namespace lapl {

/// Why the current devices of ranks cannot talk, so that halos go through host memory; empty where
/// they can. Called by all.
std::string why_no_device_ranks(Ranks& ranks);

/// As make_halo, for a block on the current device: by NCCL, or through host memory and Ranks.
/// Throws DeviceError where NCCL or the device fails.
template <class T>
std::unique_ptr<Halo<T>> make_device_halo(Ranks& ranks, const Decomposition& by, int fields,
                                          const std::string& through_host);

}  // namespace lapl
