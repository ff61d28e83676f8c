// The state digest: two fields with the same digest have the same bits in the same cells, except
// with a probability of 2^-64.
//
//   digest = sum over cells of mix(index, bits of the value)   modulo 2^64
//
// The order of a sum's terms does not matter, so tiles, threads and devices add in any order.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "kernels/platform.hpp"

namespace lapl {

LAPL_HOST_DEVICE std::uint64_t as_bits(float value) {
  std::uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
LAPL_HOST_DEVICE std::uint64_t as_bits(double value) {
  std::uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// The SplitMix64 finaliser (Steele, Lea, Flood, OOPSLA 2014).
LAPL_HOST_DEVICE std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

template <class T>
LAPL_HOST_DEVICE std::uint64_t digest_term(std::uint64_t index, T value) {
  return mixed((index + 1) * 0x9E3779B97F4A7C15u + as_bits(value));
}

/// The state digest of a field in host memory, or the part of it from index `first` on.
template <class T>
std::uint64_t field_digest(std::span<const T> field, std::uint64_t first = 0) {
  std::uint64_t digest = 0;
  for (std::size_t i = 0; i < field.size(); ++i) digest += digest_term(first + i, field[i]);
  return digest;
}

}  // namespace lapl
