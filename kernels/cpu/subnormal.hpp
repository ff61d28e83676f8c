// Subnormal numbers at normal speed. On many processors an instruction with a subnormal operand or
// result takes some 150 clock cycles, and a spreading field has an edge of such numbers. Flushing
// them to zero would change bits. A tile that has them is therefore computed on values multiplied
// by a power of two,
//
//   float   2^64   unit = 2^-85   least_normal = 2^23 units
//   double  2^512  unit = 2^-562  least_normal = 2^52 units
//
// where unit is the smallest subnormal number and least_normal the smallest normal one, both
// scaled. No scaled value is subnormal, and the bits are those without the scale (p = 24 or 53
// bits, RN = rounding to nearest, ties to even):
//
// (1) The sum s of four neighbours, and s - 4 * centre. Operands are multiples of a unit, so the
//     exact value is, too. Below 2^p units it is representable with and without the scale; above,
//     both ways round it to the same p bits. Zeros have the same signs.
// (2) The last operation, e = c * difference + centre, v = RN(e). If |e| >= least_normal, both ways
//     round to p bits. Below, the unscaled result is rounded to whole units instead. If e is
//     rounded up to least_normal, it is within 1/4 unit of it, and both give least_normal. So only
//     |v| < least_normal needs more; v has the sign of e, even if e is rounded to zero.
// (3) Then, with anchor = least_normal with the sign of v, anchor + e lies between 2^(p-1) and 2^p
//     units, where all floating-point numbers are whole units; the anchor is even. Hence
//       fma(c, difference, centre + anchor) - anchor = e rounded to whole units, ties to even,
//     in one rounding if centre + anchor is exact, that is whole and at most 2^p units, as it is
//     for |centre| <= least_normal.
// (4) For other centres, (v + anchor) - anchor rounds twice. Halves of units are representable and
//     rounding is monotone, so v lies on the same side of each half as e, or on it. The result may
//     be wrong only if v is exactly a half; such vectors are computed unscaled by one fma.
//
// Only for files that are compiled once for each instruction set, like lanes.hpp.
#pragma once

#include <cstdint>
#include <limits>

#include "kernels/cpu/lanes.hpp"
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace lapl {
namespace {

template <class T>
struct ScaledFormat;
template <>
struct ScaledFormat<float> {
  using Word = std::uint32_t;
  typedef Word Words __attribute__((vector_size(vector_bytes), may_alias));
  static constexpr Word fraction_bits = 23, power = 64;
  static constexpr float scale = 0x1p64f;
};
template <>
struct ScaledFormat<double> {
  using Word = std::uint64_t;
  typedef Word Words __attribute__((vector_size(vector_bytes), may_alias));
  static constexpr Word fraction_bits = 52, power = 512;
  static constexpr double scale = 0x1p512;
};

/// Constants and conversions of values times `scale`, as vectors and as their bits.
template <class T>
struct Scaled : ScaledFormat<T> {
  using Format = ScaledFormat<T>;
  using Word = typename Format::Word;
  using Words = typename Format::Words;
  using Vector = typename Lanes<T>::Vector;

  static constexpr T least_normal = std::numeric_limits<T>::min() * Format::scale;
  static constexpr T half_unit = std::numeric_limits<T>::denorm_min() * Format::scale / 2;
  /// The greatest unscaled value for which no sum of eight scaled values overflows.
  static constexpr T greatest = std::numeric_limits<T>::max() / Format::scale / 64;

  static constexpr Word magnitude_bits = ~Word(0) >> 1;
  static constexpr Word power_bits = Format::power << Format::fraction_bits;
  static constexpr Word least_normal_bits = power_bits + (Word(1) << Format::fraction_bits);

  LAPL_INLINE static Words words(Vector vector) { return reinterpret_cast<Words&>(vector); }
  LAPL_INLINE static Vector vector(Words words) { return reinterpret_cast<Vector&>(words); }
  LAPL_INLINE static Words magnitude(Vector vector) { return words(vector) & magnitude_bits; }
  LAPL_INLINE static Words sign(Vector vector) { return words(vector) & ~magnitude_bits; }
};

template <class Words>
LAPL_INLINE bool any(Words mask) {
#if defined(__AVX512F__)
  return _mm512_test_epi32_mask(reinterpret_cast<__m512i&>(mask),
                                reinterpret_cast<__m512i&>(mask)) != 0;
#elif defined(__AVX__)
  return !_mm256_testz_si256(reinterpret_cast<__m256i&>(mask), reinterpret_cast<__m256i&>(mask));
#else
  bool found = false;
  for (std::size_t lane = 0; lane < sizeof(Words) / sizeof(mask[0]); ++lane)
    found |= mask[lane] != 0;
  return found;
#endif
}

/// The smaller magnitude in each lane.
template <class T>
LAPL_INLINE Lanes<T> least_magnitude(Lanes<T> a, Lanes<T> b) {
#if defined(__AVX512DQ__)
  constexpr int of_magnitudes = 0b1010;
  if constexpr (sizeof(T) == 4)
    return _mm512_range_ps(a.value, b.value, of_magnitudes);
  else
    return _mm512_range_pd(a.value, b.value, of_magnitudes);
#else
  using S = Scaled<T>;
  const auto first = S::vector(S::magnitude(a.value)), second = S::vector(S::magnitude(b.value));
  return first < second ? first : second;
#endif
}

template <class T>
LAPL_INLINE bool any_less(Lanes<T> a, Lanes<T> b) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4)
    return _mm512_cmp_ps_mask(a.value, b.value, _CMP_LT_OQ) != 0;
  else
    return _mm512_cmp_pd_mask(a.value, b.value, _CMP_LT_OQ) != 0;
#else
  return any(a.value < b.value);
#endif
}

/// True if an updated value may need rounded_as_unscaled; zeros also give true.
template <int R, class T>
LAPL_INLINE bool any_small(const Lanes<T>* updated) {
  Lanes<T> least = least_magnitude(updated[0], updated[R - 1]);
#pragma GCC unroll 8
  for (int r = 1; r < R - 1; ++r) least = least_magnitude(least, updated[r]);
  return any_less(least, Lanes<T>(Scaled<T>::least_normal));
}

/// Rounds `updated` = coefficient * difference + centre, of scaled values, as it would be rounded
/// without the scale. Sets `met` if that result is subnormal, or is zero only by rounding.
template <class T>
LAPL_INLINE Lanes<T> rounded_as_unscaled(Lanes<T> updated, Lanes<T> centre, Lanes<T> difference,
                                         Lanes<T> coefficient, bool& met) {
  using S = Scaled<T>;
  using Words = typename S::Words;
  using Vector = typename S::Vector;
  constexpr auto limit = S::least_normal_bits;
  const Words magnitude = S::magnitude(updated.value), sign = S::sign(updated.value);
  const Words small = Words(magnitude - 1 < limit - 1);  // small but not zero
  if (!any(small)) return updated;
  met = true;
  const Vector anchor = S::vector(sign | limit);
  const Words far = small & Words(S::magnitude(centre.value) > limit);
  Lanes<T> anchored =
      fused_multiply_add<T>(coefficient, difference, Lanes<T>(centre.value + anchor));
  if (any(far)) {
    const Vector twice_rounded = updated.value + anchor;
    const Vector error = updated.value - (twice_rounded - anchor);
    if (any(far & Words(S::vector(S::magnitude(error)) == S::half_unit))) {
      constexpr T down = 1 / S::scale;
      return fused_multiply_add<T>(coefficient, Lanes<T>(difference.value * down),
                                   Lanes<T>(centre.value * down))
                 .value *
             S::scale;
    }
    anchored = far ? twice_rounded : anchored.value;
  }
  const Vector rounded = S::vector(S::words(anchored.value - anchor) | sign);
  return small ? rounded : updated.value;
}

/// Scales `count` values, a multiple of the lane count. Returns false if a value is not a number or
/// is too large to scale; the values are then unspecified.
template <class T>
bool scale_up(T* values, std::int64_t count) {
  using S = Scaled<T>;
  using Words = typename S::Words;
  constexpr auto least = typename S::Word(1) << S::fraction_bits;
  const Words greatest = S::words(Lanes<T>(S::greatest).value);
  Words too_great = {};
  for (std::int64_t i = 0; i < count; i += Lanes<T>::count) {
    const auto value = Lanes<T>::load(values + i).value;
    Words magnitude = S::magnitude(value);
    too_great |= Words(magnitude > greatest);
    magnitude = magnitude > greatest ? greatest : magnitude;
    // the bits of a subnormal number count its units
    const auto of_subnormal = S::vector(magnitude | S::least_normal_bits) - S::least_normal;
    const Words scaled = magnitude < least ? S::words(of_subnormal) : magnitude + S::power_bits;
    Lanes<T>(S::vector(scaled | S::sign(value))).store(values + i);
  }
  return !any(too_great);
}

template <class T>
void scale_down(T* values, std::int64_t count) {
  using S = Scaled<T>;
  using Words = typename S::Words;
  for (std::int64_t i = 0; i < count; i += Lanes<T>::count) {
    const auto value = Lanes<T>::load(values + i).value;
    const Words magnitude = S::magnitude(value);
    const Words subnormal = S::words(S::vector(magnitude) + S::least_normal) - S::least_normal_bits;
    const Words unscaled = magnitude < S::least_normal_bits ? subnormal : magnitude - S::power_bits;
    Lanes<T>(S::vector(unscaled | S::sign(value))).store(values + i);
  }
}

/// True if this thread has met subnormal numbers since forget_subnormals. x86 records "denormal
/// operand" and "underflow"; on other processors the result is always false.
LAPL_INLINE bool met_subnormals() {
#if defined(__SSE2__)
  return (_mm_getcsr() & (_MM_EXCEPT_DENORM | _MM_EXCEPT_UNDERFLOW)) != 0;
#else
  return false;
#endif
}
LAPL_INLINE void forget_subnormals() {
#if defined(__SSE2__)
  _mm_setcsr(_mm_getcsr() & ~static_cast<unsigned>(_MM_EXCEPT_DENORM | _MM_EXCEPT_UNDERFLOW));
#endif
}

}  // namespace
}  // namespace lapl
