// compute.backend: auto.
#pragma once

#include <string>

namespace lapl {

struct BackendChoice {
  std::string backend;  ///< "cpu" or "cuda"
  std::string reason;   ///< for people
};

/// The backend that is named; for auto that of the engine, where one is named, else the GPU where
/// one can be used, else the CPU.
BackendChoice choose_backend(const std::string& backend, const std::string& engine = "auto");

}  // namespace lapl
