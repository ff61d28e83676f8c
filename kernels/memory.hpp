// Memory that a backend takes, known before it is made.
#pragma once

#include <string>

#include "kernels/grid.hpp"

namespace lapl {

/// In bytes.
struct Memory {
  double host = 0;
  double device = 0;
};

/// How many arrays of the grid's shape a run has.
struct ArrayCount {
  std::size_t fields = 1;   ///< of the state
  std::size_t derived = 1;  ///< results that are handed out beside the state
  std::size_t others = 0;   ///< coefficient fields, and what stages make for later ones
};

/// What the backend "cpu" or "cuda" takes for a grid of values of `value_size` bytes: two buffers
/// of the state to step and a copy of it to hand out, and the other arrays.
Memory memory_needed(const std::string& backend, Shape shape, std::size_t value_size,
                     const ArrayCount& arrays);

/// What is available now; 0 where that is not known, and for a device that is not there.
Memory memory_available(const std::string& backend);

}  // namespace lapl
