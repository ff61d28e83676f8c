// Skips a test case without a device; every test case in this folder calls it first.
#pragma once

#include <cstdlib>
#include <iostream>
#include <string>

#include "kernels/backend.hpp"

namespace lapl::test {

/// Without a usable CUDA device, prints the reason and ends the program with the exit code that
/// ctest shows as skipped; ctest runs each test case in a process of its own.
inline void need_cuda() {
  const std::string reason = cuda_unavailable();
  if (reason.empty()) return;
  std::cout << "skipped: " << reason << std::endl;
  std::exit(77);
}

}  // namespace lapl::test
