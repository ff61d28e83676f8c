// NumPy's default random numbers, bit-identical: SeedSequence and PCG64 (XSL-RR 128/64) of O'Neill,
// "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for Random Number
// Generation", HMC-CS-2014-0905. The generator can skip ahead, so threads draw noise in parallel.
#pragma once

#include <cstdint>

#include "kernels/platform.hpp"

namespace lapl {

using Uint128 = unsigned __int128;

/// PCG64: a 128-bit linear congruential generator with a permuted 64-bit output.
struct Pcg64 {
  Uint128 state;
  Uint128 increment;

  static LAPL_HOST_DEVICE Uint128 multiplier() {
    return (Uint128{0x2360ED051FC65DA4u} << 64) | 0x4385DF649FCCF645u;
  }

  LAPL_HOST_DEVICE std::uint64_t next() {
    state = state * multiplier() + increment;
    const std::uint64_t folded =
        static_cast<std::uint64_t>(state >> 64) ^ static_cast<std::uint64_t>(state);
    const unsigned rotation = static_cast<unsigned>(state >> 122);
    return (folded >> rotation) | (folded << ((64 - rotation) & 63));
  }

  /// Skips `count` outputs in log2(count) steps (Brown, "Random Number Generation with Arbitrary
  /// Strides", Trans. Am. Nucl. Soc. 71, 1994).
  LAPL_HOST_DEVICE void advance(std::uint64_t count) {
    Uint128 factor = multiplier(), offset = increment;
    Uint128 total_factor = 1, total_offset = 0;
    for (; count != 0; count >>= 1) {
      if (count & 1) {
        total_factor *= factor;
        total_offset = total_offset * factor + offset;
      }
      offset *= factor + 1;
      factor *= factor;
    }
    state = total_factor * state + total_offset;
  }
};

/// The generator in the state of numpy.random.default_rng(seed) before its first draw.
Pcg64 numpy_generator(std::uint64_t seed);

/// The float32 number in [0, 1) that NumPy's uniform distribution derives from 32 random bits.
LAPL_HOST_DEVICE float uniform_float32(std::uint32_t bits) {
  return static_cast<float>(bits >> 8) * 0x1p-24f;
}

/// Calls store(index, value) for the numbers with indices first to first + count - 1 of
/// default_rng(seed).random(dtype=float32). Each 64-bit output gives two numbers, low half first.
/// `first` must be even.
template <class Store>
LAPL_HOST_DEVICE void draw_noise(Pcg64 generator, std::int64_t first, std::int64_t count,
                                 Store store) {
  generator.advance(static_cast<std::uint64_t>(first) / 2);
  for (std::int64_t index = first; index < first + count; index += 2) {
    const std::uint64_t bits = generator.next();
    store(index, uniform_float32(static_cast<std::uint32_t>(bits)));
    if (index + 1 < first + count)
      store(index + 1, uniform_float32(static_cast<std::uint32_t>(bits >> 32)));
  }
}

}  // namespace lapl
