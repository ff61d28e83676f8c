// Damages files in the ways of disks, networks and careless programs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <random>
#include <string>
#include <utility>

namespace lapl::test {

using Random = std::mt19937_64;

/// A run of two formula fields in folder `out`, whose files have all optional content.
inline constexpr const char* two_fields_config =
    "grid: {shape: [8, 9]}\nfields: [u, v]\ntime: {step: 1, steps: 60}\n"
    "equation: {kind: formula, u: 0.1 * laplacian(u) - u * v^2, v: 0.1 * laplacian(v) + u * v^2}\n"
    "initial: {u: {kind: uniform}, v: {kind: formula, formula: 0.1 * random}}\n"
    "output: {directory: out, every: 20, fields: [u, v, s], derived: {s: gradient_squared(u)},\n"
    "         integrals: {r: u * v}, probes: {every: 7, at: {middle: [4, 4]}}}\n"
    "checkpoint: {every: 20}\ncompute: {engine: interpreted}\n";

/// A run on a grid with a mask.
inline constexpr const char* mask_config =
    "grid: {shape: [8, 9], mask: {formula: '(x - 4)^2 + (y - 1)^2 > 3'}}\n"
    "equation: {kind: formula, field: 0.1 * laplacian(field) - field^3}\n"
    "boundary: {rows: periodic, columns: insulated, mask: {value: 0.5 + 0.1 * sin(t)}}\n"
    "initial: {kind: formula, formula: random}\ntime: {step: 1, steps: 60}\n"
    "output: {directory: out, every: 20}\ncheckpoint: {every: 20}\n"
    "compute: {engine: interpreted}\n";

/// A run of steps that choose their size and their stages.
inline constexpr const char* by_error_config =
    "grid: {shape: [8, 9]}\nequation: {kind: formula, field: 0.2 * laplacian(field) - field^3}\n"
    "time: {scheme: rkl2, tolerance: 0.001, step: auto, steps: 60}\n"
    "output: {directory: out, every: 20}\ncheckpoint: {every: 20}\n";

/// A random number from 0 to `end` - 1.
inline std::size_t below(std::size_t end, Random& random) {
  return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
}

/// A random number from `least` to `most`.
inline std::int64_t between(std::int64_t least, std::int64_t most, Random& random) {
  return least +
         static_cast<std::int64_t>(below(static_cast<std::size_t>(most - least + 1), random));
}

/// A random element.
template <class T>
T pick(std::initializer_list<T> from, Random& random) {
  return from.begin()[below(from.size(), random)];
}

/// A number that programs often handle wrongly.
inline double odd_number(Random& random) {
  using Limits = std::numeric_limits<double>;
  return pick<double>({Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), Limits::max(),
                       Limits::denorm_min(), 0, -0., -1, 1, 2, 0.2, 20, 40, 1e9, 0x1p62},
                      random);
}

/// A random offset in a file of `size` bytes, often in a critical region: superblock, first object
/// headers, tail of the HDF5 image, seal.
inline std::size_t place(std::size_t size, Random& random) {
  const std::size_t superblock = std::min<std::size_t>(size, 96);
  const std::size_t headers = std::min<std::size_t>(size, 2048);
  const std::size_t tail = std::min<std::size_t>(size, 1064),
                    seal = std::min<std::size_t>(size, 40);
  switch (below(8, random)) {
    case 0: return below(superblock, random);
    case 1: return below(headers, random);
    case 2: return size - tail + below(tail, random);
    case 3: return size - seal + below(seal, random);
    default: return below(size, random);
  }
}

/// Damages `bytes` (at least one) once and returns a description. The result may equal the input,
/// for example if zeros are zeroed.
inline std::string damage(std::string& bytes, Random& random) {
  const std::size_t start = place(bytes.size(), random);
  const std::size_t length =
      std::min(bytes.size() - start, std::size_t{1} << below(13, random));  // 1 to 4096
  const auto at = [&](std::size_t offset) {
    return bytes.begin() + static_cast<std::ptrdiff_t>(offset);
  };
  const std::string where = std::to_string(length) + " bytes at " + std::to_string(start);
  switch (below(12, random)) {
    default:
      bytes[start] = static_cast<char>(bytes[start] ^ (1 << below(8, random)));
      return "flipped a bit of byte " + std::to_string(start);
    case 4:
      bytes[start] = static_cast<char>(below(256, random));
      return "changed byte " + std::to_string(start);
    case 5: bytes.resize(start); return "cut to " + std::to_string(start) + " bytes";
    case 6: std::fill(at(start), at(start + length), '\0'); return "zeroed " + where;
    case 7: std::fill(at(start), at(start + length), '\xFF'); return "0xFF in " + where;
    case 8:
      std::generate(at(start), at(start + length),
                    [&] { return static_cast<char>(below(256, random)); });
      return "noise in " + where;
    case 9: {
      const std::size_t other = below(bytes.size() - length + 1, random);
      std::swap_ranges(at(start), at(start + std::min(length, bytes.size() - other)), at(other));
      return "swapped " + where + " with those at " + std::to_string(other);
    }
    case 10: bytes.insert(start, bytes.substr(start, length)); return "doubled " + where;
    case 11:
      if (below(2, random) == 0) {
        bytes.erase(start, length);
        return "dropped " + where;
      }
      bytes += bytes.substr(start, length);
      return "appended " + where;
  }
}

}  // namespace lapl::test
