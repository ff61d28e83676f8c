#include "kernels/cuda/device_info.hpp"

#include <fmt/format.h>

#include "kernels/cuda/cuda_backend.hpp"
#include "kernels/cuda/cuda_check.hpp"
#include "kernels/cuda/observe.hpp"

namespace lapl {
namespace {

std::string version_text(int version) {
  return version == 0 ? "none" : fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace

std::string device_name() {
  cudaDeviceProp properties{};
  LAPL_CUDA(cudaGetDeviceProperties(&properties, device_number));
  return properties.name;
}

std::string cuda_versions() {
  int driver = 0, runtime = 0;
  LAPL_CUDA(cudaDriverGetVersion(&driver));
  LAPL_CUDA(cudaRuntimeGetVersion(&runtime));
  return fmt::format("driver {}, runtime {}", version_text(driver), version_text(runtime));
}

void require_device_memory(const std::string& what, double bytes) {
  std::size_t available = 0, total = 0;
  LAPL_CUDA(cudaMemGetInfo(&available, &total));
  if (bytes > static_cast<double>(available))
    throw DeviceError(fmt::format("{} needs {:.0f} bytes on the device ({}), {} are available",
                                  what, bytes, device_name(), available));
}

std::string cuda_unavailable_reason() {
  int count = 0;
  cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count == 0) error = cudaErrorNoDevice;
  if (error != cudaSuccess) {
    cudaGetLastError();
    return fmt::format("no CUDA device was found ({}): {}", cuda_versions(),
                       cudaGetErrorString(error));
  }
  error = probe_device_code();
  if (error == cudaSuccess) return {};
  cudaGetLastError();
  return fmt::format("this build cannot run on the device ({}; {}): {}", device_name(),
                     cuda_versions(), cudaGetErrorString(error));
}

}  // namespace lapl
