// Halos of blocks in device memory.
#pragma once

#include <memory>

#include "kernels/ranks/halo.hpp"

namespace lapl {

/// As make_halo, for a block on the current device: through NCCL, or through host memory and
/// Ranks::exchange where NCCL was not compiled in or several ranks share a device. Throws
/// DeviceError where NCCL or the device fails.
template <class T>
std::unique_ptr<Halo<T>> make_device_halo(Ranks& ranks, const Decomposition& by, int fields);

}  // namespace lapl
