// The two buffers of a Jacobi step: an engine reads `current`, writes `next`, and swaps them.
#pragma once

#include <utility>

namespace lapl {

/// Two buffers of the size of the state, on the host or on a device; not owned.
template <class T>
struct DoubleBuffer {
  T* current = nullptr;
  T* next = nullptr;
  void swap() { std::swap(current, next); }
};

}  // namespace lapl
