// Where the field of a backend lies, for functions that read or make it there.
#pragma once

#include <cstdint>

#include "kernels/grid.hpp"

namespace lapl {

/// Not owned. The state of a backend until its next step.
template <class T>
struct Block {
  enum class Place : std::uint8_t { host, device };  ///< the CUDA device that is current

  Place place = Place::host;
  Shape shape;
  std::int64_t pitch = 0;  ///< values from one row to the next
  T* values = nullptr;
  void* stream = nullptr;  ///< device: the cudaStream_t in which it is stepped
};

}  // namespace lapl
