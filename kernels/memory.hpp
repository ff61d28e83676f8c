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

/// What the backend "cpu" or "cuda" takes for a grid of values of `value_size` bytes: two buffers
/// to step, and `copies` fields to hand out: the field, and where they are wanted its Laplacian and
/// its filters' results.
Memory memory_needed(const std::string& backend, Shape shape, std::size_t value_size,
                     std::size_t copies);

/// What is available now; 0 where that is not known, and for a device that is not there.
Memory memory_available(const std::string& backend);

}  // namespace lapl
