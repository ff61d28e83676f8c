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

/// Bytes that are free on the device.
double free_device_memory();

/// Measured bytes a second, read and written, of a copy from device memory to device memory.
double copy_bandwidth();

/// Cell updates a second that the arithmetic allows at five instructions a cell, for values of so
/// many bytes: multiprocessors x lanes x highest clock / 5.
double arithmetic_rate(std::size_t value_bytes);

}  // namespace lapl
