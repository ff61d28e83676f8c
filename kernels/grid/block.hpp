#pragma once

#include <cstdint>

#include "kernels/grid/grid.hpp"

namespace lapl {

/// A view of a backend's state, in host or device memory, through which ranks exchange halos and
/// Python code reads and writes. It owns nothing and is valid until the next step.
template <class T>
struct Block {
  Shape shape;
  std::int64_t pitch = 0;  ///< values from one row to the next
  T* values = nullptr;
  void* stream = nullptr;  ///< the cudaStream_t in which a device steps the block; null on the host
  int device = 0;          ///< the number of that device; 0 on the host
};

}  // namespace lapl
