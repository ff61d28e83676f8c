// Every test case of this folder starts by asking for a device.
#pragma once

#include <cstdlib>
#include <iostream>
#include <string>

#include "kernels/backend.hpp"

namespace lapl::test {

/// Where no CUDA device can be used: says why and ends the program with the exit code that ctest
/// shows as skipped. ctest runs each test case by itself.
inline void need_cuda() {
  const std::string reason = cuda_unavailable();
  if (reason.empty()) return;
  std::cout << "skipped: " << reason << std::endl;
  std::exit(77);
}

}  // namespace lapl::test
