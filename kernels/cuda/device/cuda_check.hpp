// Error checks of CUDA calls: LAPL_CUDA throws, LAPL_CUDA_NO_THROW is for destructors.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "kernels/error.hpp"

namespace lapl {

/// If `error` is not success, throws DeviceError with file, line, call and CUDA's own text.
inline void check_cuda(cudaError_t error, const char* call, std::string_view file, int line) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // clears the error; else the next launch would report it
  throw DeviceError(std::string(file.substr(file.rfind('/') + 1)) + ":" + std::to_string(line) +
                    ": " + call + ": " + cudaGetErrorString(error) + " (" +
                    cudaGetErrorName(error) + ")");
}

/// Prints an error to stderr instead of throwing it.
inline void report_cuda(cudaError_t error, const char* call) noexcept {
  if (error == cudaSuccess || error == cudaErrorCudartUnloading) return;
  std::fprintf(stderr, "lapl: %s: %s\n", call, cudaGetErrorString(error));
}

}  // namespace lapl

#define LAPL_CUDA(call) ::lapl::check_cuda((call), #call, __FILE__, __LINE__)
#define LAPL_CUDA_NO_THROW(call) ::lapl::report_cuda((call), #call)
