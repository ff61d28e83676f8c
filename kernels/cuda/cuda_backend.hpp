// The backend on an NVIDIA GPU: the field in device memory, stepped by an engine of kernels/cuda.
// No CUDA header is needed to include this one.
#pragma once

#include <memory>
#include <string>

#include "kernels/backend.hpp"

namespace lapl {

/// As make_backend, for engines of CUDA; `engine` is a name or "auto".
template <class T>
std::unique_ptr<Backend<T>> make_cuda_backend(const std::string& engine, const Problem<T>& problem);

/// Why no CUDA device can be used; empty where one can.
std::string cuda_unavailable_reason();

}  // namespace lapl
