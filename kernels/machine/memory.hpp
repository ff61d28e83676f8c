// Memory that a backend takes, known before it is made.
#pragma once

#include <string>
#include <vector>

#include "kernels/derived.hpp"

namespace lapl {

/// In bytes.
struct Memory {
  double host = 0;
  double device = 0;
};

/// The memory that backend "cpu" or "cuda" takes for a problem and what is derived from its states.
/// The values of coefficients are not read. Arrays on a GPU have padded rows.
template <class T>
Memory memory_needed(const std::string& backend, const Problem<T>& problem,
                     const std::vector<DerivedPlan<T>>& derived = {});

/// Bytes of transforms that engine spectral takes at a time on a GPU; an L2 cache has 50 MB.
inline constexpr std::int64_t spectral_batch_bytes = 32 << 20;

/// What engine spectral takes beside: modes, and of a source its modes, itself and what it is
/// computed in; on a GPU also a batch of lines, and as much for cuFFT.
Memory spectral_memory(const std::string& backend, Shape shape, bool source);

/// What is available now; 0 where that is not known, and for a device that is not there.
Memory memory_available(const std::string& backend);

}  // namespace lapl
