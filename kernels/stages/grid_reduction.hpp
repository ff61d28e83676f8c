// Reductions over the grid: means, sums and extremes of an array. Sums do not depend on the order,
// so that neither threads nor ranks nor devices change a bit: each value is rounded towards 0 to a
// multiple of 2^(e - 62), where 2^e is above all magnitudes, and these integers are added.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/fields/digest.hpp"

namespace lapl {

/// A reduction of an array over the cells of the grid, over those where `mask` is not 0, or over
/// one cell alone.
struct GridReduction {
  enum class Kind : std::uint8_t { mean, sum, maximum, minimum };
  Kind kind = Kind::mean;
  int array = 0;
  int index = 0;           ///< of the result in Problem::reduced
  int mask = -1;           ///< index of an array; -1: all cells
  double factor = 1;       ///< on a sum, such as the volume of a cell
  std::int64_t cell = -1;  ///< index in the grid of the only cell that counts; -1: all
};

/// An integer that is ordered as the numbers are; NaNs lie beyond the infinities.
LAPL_HOST_DEVICE std::uint64_t ordered_bits(double value) {
  const std::uint64_t bits = as_bits(value), sign = std::uint64_t{1} << 63;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

struct GridExtremes {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
  bool has_nan = false;

  /// -0 lies before 0, as in every engine's reductions, so that no order of pieces matters.
  void add(const GridExtremes& other) {
    if (ordered_bits(other.least) < ordered_bits(least)) least = other.least;
    if (ordered_bits(other.most) > ordered_bits(most)) most = other.most;
    has_nan = has_nan || other.has_nan;
  }
};
/// The extremes with these ordered_bits.
GridExtremes extremes_with(std::uint64_t least, std::uint64_t most);

/// Two powers of two whose product turns a value below 2^exponent into units of 2^(exponent - 62).
/// The product itself may be too large for float64.
inline std::array<double, 2> units_of_values(int exponent) {
  const int shift = 62 - exponent, first = shift > 1000 ? 1000 : shift;
  return {std::ldexp(1.0, first), std::ldexp(1.0, shift - first)};
}

/// A sum over fewer than 2^31 cells; GridSum adds such sums. Each value, an integer of units, is
/// split into high * 2^32 + low with low from 0 to 2^32 - 1, and the two parts are added
/// separately.
struct PartialSum {
  std::int64_t high = 0, low = 0, cells = 0;
};

struct GridSum {
  __extension__ using Units = __int128;
  Units units = 0;
  std::int64_t cells = 0;

  /// The sum with these four parts of 32 bits, lowest first, and this number of cells. The parts
  /// may be sums of parts over ranks or threads, which do not overflow 64 bits.
  static GridSum of_parts(const std::array<std::uint64_t, 5>& parts) {
    __extension__ unsigned __int128 units = 0;
    for (std::size_t i = 4; i-- > 0;) units = (units << 32) + parts[i];
    return {static_cast<Units>(units), static_cast<std::int64_t>(parts[4])};
  }
  std::array<std::uint64_t, 5> parts() const {
    std::array<std::uint64_t, 5> of_sum{};
    for (std::size_t i = 0; i < 4; ++i) of_sum[i] = static_cast<std::uint32_t>(units >> 32 * i);
    of_sum[4] = static_cast<std::uint64_t>(cells);
    return of_sum;
  }

  void add(const PartialSum& part) {
    units += static_cast<Units>(part.high) * (std::int64_t{1} << 32) + part.low;
    cells += part.cells;
  }
};

}  // namespace lapl
