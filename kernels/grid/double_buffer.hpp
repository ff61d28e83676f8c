// The two buffers of a Jacobi step: an engine reads `current`, writes `next`, and swaps them.
#pragma once

#include <utility>

namespace lapl {

/// Not owned; both of the size of the state, on the host or on a device.
template <class T>
struct DoubleBuffer {
  T* current = nullptr;
  T* next = nullptr;
  void swap() { std::swap(current, next); }
};

}  // namespace lapl
