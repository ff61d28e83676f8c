// compute.backend: auto.
#pragma once

#include <string>

#include "solver/run_config.hpp"

namespace lapl {

struct BackendChoice {
  std::string backend;  ///< "cpu" or "cuda"
  std::string reason;   ///< for people
};

/// The backend that the config names, or for auto the GPU where one can be used, else the CPU.
BackendChoice choose_backend(const RunConfig& config);

}  // namespace lapl
