// Facts about the device, and whether a grid fits on it.
#pragma once

#include <string>

#include "kernels/ceilings.hpp"

namespace lapl {

/// The device that calls of this thread use.
int current_device();

/// As choose_device.
void use_cuda_device(int index);

/// Its model, for example "NVIDIA H200". Throws DeviceError.
std::string device_name();

/// For example "driver 13.0, runtime 13.0": the newest CUDA that the driver runs, and ours.
std::string cuda_versions();

/// Throws DeviceError, with bytes needed and available, where `bytes` are not free on the device.
/// `what` needs them, for example "the grid of 48 x 64 cells".
void require_device_memory(const std::string& what, double bytes);

/// Bytes that are free on the device.
double free_device_memory();

/// For values of so many bytes. The copy, from device memory to device memory, is measured; the
/// arithmetic is multiprocessors x lanes x highest clock / `arithmetic`, the instructions a cell.
Ceilings device_ceilings(std::size_t value_bytes, int arithmetic);

}  // namespace lapl
