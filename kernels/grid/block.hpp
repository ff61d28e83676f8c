// Where the field of a backend lies, in host memory or on a device: for halos.
#pragma once

#include <cstdint>

#include "kernels/grid/grid.hpp"

namespace lapl {

/// Not owned. The state of a backend until its next step.
template <class T>
struct Block {
  Shape shape;
  std::int64_t pitch = 0;  ///< values from one row to the next
  T* values = nullptr;
  void* stream = nullptr;  ///< device: the cudaStream_t in which it is stepped
};

}  // namespace lapl
