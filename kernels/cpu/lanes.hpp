// Vector registers, and the layout of rows for them. Only for files that are compiled once for each
// instruction set: the linker must not merge their functions, hence the anonymous namespace.
//
// Layout of a row in scratch memory ("lifted": Henretty et al., "Data Layout Transformation for
// Stencil Computations on Short-Vector SIMD Architectures", CC 2011). Lane j of the vectors holds
// the j-th of `lanes` equal pieces of the row, each `length` cells long:
//
//   vector  0       1        2    ...  length - 1
//   lane 0: x0      x0+1     x0+2      x0+length-1
//   lane 1: x0+len  x0+len+1 ...       x0+2*length-1      The left and right neighbours of a vector
//    ...                                                  are the vectors next to it: no shifts.
//
// A step of diffusion, four rows at once, then costs five arithmetic instructions, 1.5 aligned
// loads and one store per vector.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/stages/arithmetic.hpp"
#if defined(__AVX512F__) || defined(__FMA__)
#include <immintrin.h>
#endif

#define LAPL_INLINE inline __attribute__((always_inline))

namespace lapl {
namespace {

#if defined(__AVX512F__)
constexpr std::int64_t vector_bytes = 64;
constexpr int rows_at_once = 4;  // rows of a tile; fits 32 registers
#elif defined(__AVX__)
constexpr std::int64_t vector_bytes = 32;
constexpr int rows_at_once = 2;  // fits 16 registers
#else
constexpr std::int64_t vector_bytes = 16;
constexpr int rows_at_once = 2;
#endif

// Explicit for float and double, because GCC drops vector attributes of types that depend on
// template parameters.
template <class T>
struct Native;
template <>
struct Native<float> {
  typedef float Aligned __attribute__((vector_size(vector_bytes), may_alias));
  typedef float Unaligned __attribute__((vector_size(vector_bytes), may_alias, aligned(4)));
};
template <>
struct Native<double> {
  typedef double Aligned __attribute__((vector_size(vector_bytes), may_alias));
  typedef double Unaligned __attribute__((vector_size(vector_bytes), may_alias, aligned(8)));
};

/// A vector register with the operations that kernels/stages/diffusion.hpp needs.
template <class T>
struct Lanes {
  static constexpr int count = vector_bytes / sizeof(T);
  using Vector = typename Native<T>::Aligned;
  using Unaligned = typename Native<T>::Unaligned;

  Vector value;

  Lanes() = default;
  LAPL_INLINE Lanes(Vector vector) : value(vector) {}
  LAPL_INLINE explicit Lanes(T number) : value(number - Vector{}) {}
  LAPL_INLINE static Lanes load(const T* from) { return *reinterpret_cast<const Vector*>(from); }
  LAPL_INLINE void store(T* to) const { *reinterpret_cast<Vector*>(to) = value; }
  LAPL_INLINE static Lanes load_unaligned(const T* from) {
    return Vector(*reinterpret_cast<const Unaligned*>(from));
  }
  LAPL_INLINE void store_unaligned(T* to) const { *reinterpret_cast<Unaligned*>(to) = value; }
  /// Stores to an aligned address, bypassing the caches if the processor can.
  LAPL_INLINE void stream(T* to) const {
#if defined(__AVX512F__)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), reinterpret_cast<__m512i>(value));
#elif defined(__AVX__)
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to), reinterpret_cast<__m256i>(value));
#else
    store(to);
#endif
  }
  friend LAPL_INLINE Lanes operator+(Lanes a, Lanes b) { return a.value + b.value; }
};

template <class T>
LAPL_INLINE Lanes<T> fused_multiply_add(Lanes<T> a, Lanes<T> b, Lanes<T> c) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4)
    return _mm512_fmadd_ps(a.value, b.value, c.value);
  else
    return _mm512_fmadd_pd(a.value, b.value, c.value);
#elif defined(__FMA__)
  if constexpr (sizeof(T) == 4)
    return _mm256_fmadd_ps(a.value, b.value, c.value);
  else
    return _mm256_fmadd_pd(a.value, b.value, c.value);
#else
  for (int lane = 0; lane < Lanes<T>::count; ++lane)
    c.value[lane] = lapl::fused_multiply_add(a.value[lane], b.value[lane], c.value[lane]);
  return c;
#endif
}

/// Rotates the lanes: lane j of the result is lane j + Shift of `a`.
template <int Shift, class T, int... J>
LAPL_INLINE Lanes<T> rotated(Lanes<T> a, std::integer_sequence<int, J...>) {
  constexpr int n = Lanes<T>::count;
  return __builtin_shufflevector(a.value, a.value, (J + n + Shift) % n...);
}
template <int Shift, class T>
LAPL_INLINE Lanes<T> rotated(Lanes<T> a) {
  return rotated<Shift>(a, std::make_integer_sequence<int, Lanes<T>::count>());
}

/// One stage of a transposition: swaps the off-diagonal blocks of Size lanes.
template <int Size, class T, int... J>
LAPL_INLINE void exchange(Lanes<T>& a, Lanes<T>& b, std::integer_sequence<int, J...>) {
  constexpr int n = Lanes<T>::count;
  const Lanes<T> upper =
      __builtin_shufflevector(a.value, b.value, (J & Size ? n + J - Size : J)...);
  b = __builtin_shufflevector(a.value, b.value, (J & Size ? n + J : J + Size)...);
  a = upper;
}

/// Transposes a square of `count` vectors by swapping ever larger blocks (Eklundh 1972).
template <int Size = 1, class T>
LAPL_INLINE void transpose(Lanes<T>* square) {
  constexpr int n = Lanes<T>::count;
  if constexpr (Size < n) {
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i)
      if ((i & Size) == 0)
        exchange<Size>(square[i], square[i + Size], std::make_integer_sequence<int, n>());
    transpose<2 * Size>(square);
  }
}

/// Converts a row from row-major order to the layout above; reads up to Lanes<T>::count values
/// beyond the end of `from`.
template <class T>
void lift_row(const T* from, T* row, std::int64_t length) {
  constexpr int n = Lanes<T>::count;
  for (std::int64_t first = 0; first < length; first += n) {
    Lanes<T> square[n];
#pragma GCC unroll 16
    for (int j = 0; j < n; ++j) square[j] = Lanes<T>::load_unaligned(from + j * length + first);
    transpose(square);
    const std::int64_t vectors = std::min<std::int64_t>(n, length - first);
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i)
      if (i < vectors) square[i].store(row + (first + i) * n);
  }
}

/// Converts a row back to row-major order. The last square comes first: it writes up to
/// Lanes<T>::count values beyond each of the row's pieces, which the other squares then overwrite.
template <class T>
void lower_row(const T* row, T* to, std::int64_t length) {
  constexpr int n = Lanes<T>::count;
  for (std::int64_t first = (length - 1) / n * n; first >= 0; first -= n) {
    Lanes<T> square[n];
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i)
      square[i] = Lanes<T>::load(row + std::min<std::int64_t>(first + i, length - 1) * n);
    transpose(square);
#pragma GCC unroll 16
    for (int j = 0; j < n; ++j) square[j].store_unaligned(to + j * length + first);
  }
}

/// Copies part of a row. The empty asm statement keeps GCC from calling memmove: starting its "rep
/// movsb" takes longer than copying a short row.
template <class T>
LAPL_INLINE void copy(const T* from, T* to, std::int64_t count) {
  constexpr int n = Lanes<T>::count;
  std::int64_t i = 0;
  for (; i + n <= count; i += n) {
    Lanes<T>::load_unaligned(from + i).store_unaligned(to + i);
    asm volatile("");
  }
  for (; i < count; ++i) {
    to[i] = from[i];
    asm volatile("");
  }
}

}  // namespace
}  // namespace lapl
