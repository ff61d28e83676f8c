// The values of outputs as they are stored: rounded, in another precision, and compressed as HDF5's
// filters shuffle and deflate do it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/hdf5/field_values.hpp"

namespace lapl {

/// The values, rounded to `kept_bits` explicit bits of the significand and then in this precision.
/// Rounds as netCDF's quantize mode BitRound, half away from zero. NaN and infinities stay. Throws
/// IoError that names the field if a finite value would become infinite.
FieldValues as_stored(FieldView values, Precision precision, std::optional<int> kept_bits,
                      const std::string& field);

/// The most bytes to which `bytes` bytes are packed.
constexpr std::uint64_t most_packed(std::uint64_t bytes) { return bytes + bytes / 512 + 64; }

/// Values of a chunk, followed by zeros, as HDF5's filters would store them.
struct Unpacked {
  std::size_t value_size = 0;                          ///< 1, 4 or 8
  std::vector<std::span<const std::byte>> parts = {};  ///< one after the other
  std::uint64_t zeros = 0;
};
/// Packs all chunks at a level of deflate, on at most four threads.
std::vector<std::vector<std::byte>> pack(std::span<const Unpacked> chunks, int level);

}  // namespace lapl
