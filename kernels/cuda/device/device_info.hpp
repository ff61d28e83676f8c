#pragma once

#include <string>

#include "kernels/ceilings.hpp"

namespace lapl {

/// The CUDA device of the calling thread.
int current_device();

/// Makes device `index`, modulo the number of devices, the current one; does nothing without a
/// device.
void use_cuda_device(int index);

/// The model of the current device, for example "NVIDIA H200". Throws DeviceError.
std::string device_name();

/// Versions of CUDA, for example "driver 13.0, runtime 13.0": the newest that the driver supports
/// and the one of the build.
std::string cuda_versions();

/// Throws DeviceError, with the bytes needed and free, if `bytes` do not fit on the device. `what`
/// is named in the message, for example "the grid of 48 x 64 cells".
void require_device_memory(const std::string& what, double bytes);

double free_device_memory();

/// The highest speeds that this device allows, for values of `value_bytes` bytes and `arithmetic`
/// instructions per cell. A copy on the device measures the memory bandwidth; the arithmetic rate
/// is multiprocessors * lanes * highest clock / `arithmetic`.
Ceilings device_ceilings(std::size_t value_bytes, int arithmetic);

}  // namespace lapl
