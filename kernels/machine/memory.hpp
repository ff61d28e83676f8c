// Memory that a backend takes, known before it is made.
#pragma once

#include <string>

#include "kernels/grid/grid.hpp"

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

/// Bytes of transforms that engine spectral takes at a time on a GPU; an L2 cache has 50 MB.
inline constexpr std::int64_t spectral_batch_bytes = 32 << 20;

/// What engine spectral takes beside: modes, and of a source its modes, itself and what it is
/// computed in; on a GPU also a batch of lines, and as much for cuFFT.
Memory spectral_memory(const std::string& backend, Shape shape, bool source);

/// What is available now; 0 where that is not known, and for a device that is not there.
Memory memory_available(const std::string& backend);

}  // namespace lapl
