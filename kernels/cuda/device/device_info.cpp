#include "kernels/cuda/device/device_info.hpp"

#include <fmt/format.h>

#include "kernels/cuda/cuda_backend.hpp"
#include "kernels/cuda/device/cuda_check.hpp"
#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/cuda/device/step_timer.hpp"
#include "kernels/cuda/observe.hpp"
#include "kernels/machine/size_text.hpp"

namespace lapl {
namespace {

std::string version_text(int version) {
  return version == 0 ? "none" : fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

// Bytes per second, read plus written, of a copy from device memory to device memory.
double copy_bandwidth() {
  constexpr std::int64_t size = std::int64_t{1} << 30;
  const auto from = device_buffer<char>(size), to = device_buffer<char>(size);
  const Stream stream;
  StepTimer timer;
  constexpr int copies = 20;
  for (int i = -2; i < copies; ++i) {
    if (i == 0) {
      LAPL_CUDA(cudaStreamSynchronize(stream));
      timer.start(stream);
    }
    LAPL_CUDA(cudaMemcpyAsync(to.data(), from.data(), size, cudaMemcpyDeviceToDevice, stream));
  }
  timer.stop(stream);
  return 2.0 * size * copies / timer.seconds();
}

double arithmetic_rate(std::size_t value_bytes, int arithmetic) {
  int processors = 0, kilohertz = 0, major = 0, minor = 0;
  LAPL_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, current_device()));
  LAPL_CUDA(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, current_device()));
  LAPL_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, current_device()));
  LAPL_CUDA(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, current_device()));
  // The numbers of lanes per multiprocessor are from the CUDA C++ Programming Guide, throughput of
  // arithmetic instructions. Compute capabilities 6.0, 7.0, 8.0, 9.0 and 10.0 compute doubles at
  // half the rate of floats; others at 1/32 or less.
  const bool half_rate_doubles = minor == 0;
  const int float_lanes = major == 8 && minor == 0 ? 64 : 128;
  const int double_lanes = half_rate_doubles ? (major == 8 ? 32 : 64) : 2;
  const int lanes = value_bytes == sizeof(float) ? float_lanes : double_lanes;
  return 1e3 * kilohertz * processors * lanes / arithmetic;
}

}  // namespace

int current_device() {
  int device = 0;
  LAPL_CUDA(cudaGetDevice(&device));
  return device;
}

void use_cuda_device(int index) {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0)
    LAPL_CUDA(cudaSetDevice(index % count));
  else
    cudaGetLastError();  // clears the error; cuda_unavailable_reason() reports it
}

std::string device_name() {
  cudaDeviceProp properties{};
  LAPL_CUDA(cudaGetDeviceProperties(&properties, current_device()));
  return properties.name;
}

std::string cuda_versions() {
  int driver = 0, runtime = 0;
  LAPL_CUDA(cudaDriverGetVersion(&driver));
  LAPL_CUDA(cudaRuntimeGetVersion(&runtime));
  return fmt::format("driver {}, runtime {}", version_text(driver), version_text(runtime));
}

Ceilings device_ceilings(std::size_t value_bytes, int arithmetic) {
  return {.copy_bytes_per_second = copy_bandwidth(),
          .updates_per_second = arithmetic_rate(value_bytes, arithmetic)};
}

double free_device_memory() {
  std::size_t available = 0, total = 0;
  LAPL_CUDA(cudaMemGetInfo(&available, &total));
  return static_cast<double>(available);
}

void require_device_memory(const std::string& what, double bytes) {
  const double available = free_device_memory();
  if (bytes > available)
    throw DeviceError("{} needs {} on the device ({}), {} are available", what, size_text(bytes),
                      device_name(), size_text(available));
}

bool finds_cuda_driver() {
  int driver = 0;
  return cudaDriverGetVersion(&driver) == cudaSuccess && driver != 0;
}

std::string cuda_unavailable_reason() {
  int count = 0;
  cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count == 0) error = cudaErrorNoDevice;
  if (error != cudaSuccess) {
    cudaGetLastError();
    if (!finds_cuda_driver()) return "no NVIDIA driver";
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
