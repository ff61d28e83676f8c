// Rows of the elementary functions as compiled for each instruction set (elementary_loops.cpp).
#pragma once

namespace lapl::test {

template <class T>
struct ElementaryLoops {
  using Row = void (*)(const T* from, T* to, long long count);
  Row exponential, logarithm, sine, cosine, tangent, hyperbolic_tangent;
  void (*power)(const T* base, const T* exponent, T* to, long long count);
};

}  // namespace lapl::test
