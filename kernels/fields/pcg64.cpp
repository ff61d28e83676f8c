#include "kernels/fields/pcg64.hpp"

#include <array>

namespace lapl {
namespace {

// NumPy's SeedSequence: hashes the 32-bit words of the seed into a pool of four words, mixes it,
// and draws words from it (O'Neill, "Developing a seed_seq Alternative", 2015).
class SeedSequence {
 public:
  explicit SeedSequence(std::uint64_t seed) {
    const std::array<std::uint32_t, 4> words = {static_cast<std::uint32_t>(seed),
                                                static_cast<std::uint32_t>(seed >> 32), 0, 0};
    std::uint32_t constant = 0x43b0d7e5;
    for (std::size_t i = 0; i < 4; ++i) pool_[i] = hash(words[i], constant);
    for (std::size_t source = 0; source < 4; ++source)
      for (std::size_t target = 0; target < 4; ++target)
        if (source != target) pool_[target] = mix(pool_[target], hash(pool_[source], constant));
  }

  std::array<std::uint64_t, 4> draw() const {
    std::uint32_t constant = 0x8b51f9dd;
    std::array<std::uint64_t, 4> drawn{};
    for (std::size_t i = 0; i < 8; ++i) {
      std::uint32_t value = pool_[i % 4] ^ constant;
      constant *= 0x58f38ded;
      value *= constant;
      value ^= value >> 16;
      drawn[i / 2] |= std::uint64_t{value} << (32 * (i % 2));
    }
    return drawn;
  }

 private:
  static std::uint32_t hash(std::uint32_t value, std::uint32_t& constant) {
    value ^= constant;
    constant *= 0x931e8875;
    value *= constant;
    return value ^ (value >> 16);
  }

  static std::uint32_t mix(std::uint32_t x, std::uint32_t y) {
    const std::uint32_t mixed = 0xca01f9dd * x - 0x4973f715 * y;
    return mixed ^ (mixed >> 16);
  }

  std::array<std::uint32_t, 4> pool_{};
};

}  // namespace

Pcg64 numpy_generator(std::uint64_t seed) {
  const std::array<std::uint64_t, 4> drawn = SeedSequence(seed).draw();
  const Uint128 start = (Uint128{drawn[0]} << 64) | drawn[1];
  const Uint128 stream = (Uint128{drawn[2]} << 64) | drawn[3];
  Pcg64 generator{.state = 0, .increment = (stream << 1) | 1};
  generator.next();
  generator.state += start;
  generator.next();
  return generator;
}

}  // namespace lapl
