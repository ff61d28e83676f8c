// Estimates of the memory that a backend will need.
#pragma once

#include <string>
#include <vector>

#include "kernels/derived.hpp"

namespace lapl {

/// Numbers of bytes.
struct Memory {
  double host = 0;
  double device = 0;
};

/// The memory that backend "cpu" or "cuda" needs for a problem and its derived outputs, padding of
/// rows on a GPU included. Does not read the values of coefficients.
template <class T>
Memory memory_needed(const std::string& backend, const Problem<T>& problem,
                     const std::vector<DerivedOutput<T>>& derived = {});

/// The bytes of the lines that engine spectral transforms together on a GPU; they fit an L2 cache
/// of 50 MB.
inline constexpr std::int64_t spectral_batch_bytes = 32 << 20;

/// The memory that engine spectral needs besides memory_needed: for the modes; with a source also
/// for its modes, values and workspace; on a GPU also for a batch of lines, and as much again for
/// cuFFT.
Memory spectral_memory(const std::string& backend, Shape shape, bool source);

/// The same for schemes etdrk2 and etdrk4: for modes, their factors, and the engine of the rates.
Memory exponential_memory(const std::string& backend, const ExponentialRates& rates, Shape shape);

/// The memory available now, in bytes; 0 if it is not known or there is no device.
Memory memory_available(const std::string& backend);

}  // namespace lapl
