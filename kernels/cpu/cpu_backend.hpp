// The backend on the CPU: the field in host memory, stepped by an engine of kernels/cpu.
#pragma once

#include <memory>
#include <string>

#include "kernels/backend.hpp"

namespace lapl {

/// Model of the processor.
std::string processor_name();

/// As make_backend, for engines of the CPU.
template <class T>
std::unique_ptr<Backend<T>> make_cpu_backend(const std::string& engine, const Problem<T>& problem,
                                             int threads);

}  // namespace lapl
