// The backend on the CPU: a state in host memory, stepped by an engine of kernels/cpu.
#pragma once

#include <memory>
#include <string>

#include "kernels/backend.hpp"

namespace lapl {

std::string processor_name();

/// Like make_backend, for CPU engines.
template <class T>
std::unique_ptr<Backend<T>> make_cpu_backend(const std::string& engine, const Problem<T>& problem,
                                             int threads);

}  // namespace lapl
