// float16 for storage: conversions to and from float, with the same bits on host and device.
#pragma once

#include <bit>
#include <cstdint>
#ifdef __CUDACC__
#include <cuda_fp16.h>
#endif

#include "kernels/platform.hpp"

namespace lapl {

/// IEEE binary16, only for storage; sums are float.
struct Half {
  std::uint16_t bits = 0;
};

/// The same number in the type of the arithmetic: float for float and Half, double for double.
LAPL_HOST_DEVICE float as_number(float value) { return value; }
LAPL_HOST_DEVICE double as_number(double value) { return value; }
LAPL_HOST_DEVICE float as_number(Half value) {
#ifdef __CUDA_ARCH__
  return __half2float(__ushort_as_half(value.bits));
#else
  const std::uint32_t sign = (value.bits & 0x8000u) << 16, rest = value.bits & 0x7fffu;
  if (rest >= 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
  // The exponent biases differ by 112; the product is exact, also for subnormal numbers.
  return std::bit_cast<float>(
      sign | std::bit_cast<std::uint32_t>(std::bit_cast<float>(rest << 13) * 0x1p112f));
#endif
}

template <class Storage>
using Number = decltype(as_number(Storage()));

template <class Storage>
LAPL_HOST_DEVICE Storage stored_as(Number<Storage> value) {
  return value;
}

/// Rounds to nearest, ties to even; infinite for magnitudes from 65520 on.
template <>
LAPL_HOST_DEVICE Half stored_as<Half>(float value) {
#ifdef __CUDA_ARCH__
  return {__half_as_ushort(__float2half_rn(value))};
#else
  const std::uint32_t sign = std::bit_cast<std::uint32_t>(value) >> 16 & 0x8000u;
  const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(value) & 0x7fffffffu;
  std::uint32_t half = 0;
  if (magnitude > 0x7f800000u) {
    half = 0x7e00u;
  } else if (magnitude >= 0x477ff000u) {
    half = 0x7c00u;
  } else if (magnitude >= 0x38800000u) {
    half = (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u)) >> 13;
  } else {
    // Near 1/2 the last place of float is 2^-24, like that of half's subnormal numbers, so this sum
    // rounds to half.
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
  }
  return {static_cast<std::uint16_t>(sign | half)};
#endif
}

}  // namespace lapl
