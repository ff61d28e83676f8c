// Facts about the device, and whether a grid fits on it.
#pragma once

#include <cstdint>
#include <string>

namespace lapl {

/// The device that every call uses: the first one that CUDA_VISIBLE_DEVICES leaves.
inline constexpr int device_number = 0;

/// Its model, for example "NVIDIA H200". Throws DeviceError.
std::string device_name();

/// For example "driver 13.0, runtime 13.0": the newest CUDA that the driver runs, and ours.
std::string cuda_versions();

/// Throws DeviceError, with bytes needed and available, where `bytes` are not free on the device.
/// `what` needs them, for example "the grid of 48 x 64 cells".
void require_device_memory(const std::string& what, double bytes);

}  // namespace lapl
