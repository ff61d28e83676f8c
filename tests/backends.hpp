// The backends that work on this machine, for tests that compare them.
#pragma once

#include <string>
#include <vector>

#include "kernels/backend.hpp"

namespace lapl::test {

inline std::vector<std::string> backends() {
  return cuda_unavailable().empty() ? std::vector<std::string>{"cpu", "cuda"}
                                    : std::vector<std::string>{"cpu"};
}

}  // namespace lapl::test
