// The elementary functions of rows of numbers, in loops that compilers vectorise; the bits are
// those of kernels/elementary/elementary.hpp. `to` may be a row of arguments itself, but not
// overlap it otherwise. In the anonymous namespace, since files that include this may be compiled
// once for each instruction set.
#pragma once

#include "kernels/elementary/elementary.hpp"

namespace lapl {
namespace {

template <class T>
void exponential_row(const T* from, T* to, long long count) {
#pragma omp simd
  for (long long i = 0; i < count; ++i) to[i] = exponential(from[i]);
}
template <class T>
void logarithm_row(const T* from, T* to, long long count) {
#pragma omp simd
  for (long long i = 0; i < count; ++i) to[i] = logarithm(from[i]);
}
template <class T>
void hyperbolic_tangent_row(const T* from, T* to, long long count) {
#pragma omp simd
  for (long long i = 0; i < count; ++i) to[i] = hyperbolic_tangent(from[i]);
}
template <class T>
void power_row(const T* base, const T* exponent, T* to, long long count) {
#pragma omp simd
  for (long long i = 0; i < count; ++i) to[i] = power(base[i], exponent[i]);
}

/// Sine, cosine or tangent, a piece at a time: pieces with a huge angle go number by number.
template <class Function, class T>
void circular_row(const T* from, T* to, long long count) {
  constexpr long long piece = 256;
  for (long long first = 0; first < count; first += piece) {
    const long long end = count - first < piece ? count : first + piece;
    elementary::Bits<T> huge = 0;
#pragma omp simd reduction(| : huge)
    for (long long i = first; i < end; ++i) huge |= elementary::is_short_angle(from[i]) ? 0 : 1;
    if (huge == 0) {
#pragma omp simd
      for (long long i = first; i < end; ++i) to[i] = elementary::of_short_angle<Function>(from[i]);
    } else {
      for (long long i = first; i < end; ++i) to[i] = elementary::of_angle<Function>(from[i]);
    }
  }
}
template <class T>
void sine_row(const T* from, T* to, long long count) {
  circular_row<elementary::Sine>(from, to, count);
}
template <class T>
void cosine_row(const T* from, T* to, long long count) {
  circular_row<elementary::Cosine>(from, to, count);
}
template <class T>
void tangent_row(const T* from, T* to, long long count) {
  circular_row<elementary::Tangent>(from, to, count);
}

}  // namespace
}  // namespace lapl
