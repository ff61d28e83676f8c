// Two buffers for a Jacobi step: an engine reads `current` and writes `next`, then swaps them.
#pragma once

#include <utility>

namespace lapl {

/// Not owned; rows * columns values each, on the host or on a device.
template <class T>
struct DoubleBuffer {
  T* current = nullptr;
  T* next = nullptr;
  void swap() { std::swap(current, next); }
};

}  // namespace lapl
