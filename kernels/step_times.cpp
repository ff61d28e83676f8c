#include <bit>
#include <cmath>

#include "kernels/problem.hpp"

namespace lapl {
namespace {

// The double nearest to (offset + count * unit) / parts.
double nearest_ratio(std::int64_t offset, std::int64_t count, std::int64_t unit, double parts) {
  __extension__ using Wide = unsigned __int128;
  __extension__ using Signed = __int128;
  const Signed sum = offset + static_cast<Signed>(count) * unit;
  if (sum == 0) return 0;
  const Wide product = static_cast<Wide>(sum < 0 ? -sum : sum);
  int twos = 0;
  const auto divisor = static_cast<std::uint64_t>(std::ldexp(std::frexp(parts, &twos), 53));
  const auto high = static_cast<std::uint64_t>(product >> 64);
  const int shift = high != 0 ? std::countl_zero(high)
                              : 64 + std::countl_zero(static_cast<std::uint64_t>(product));
  // More than 64 bits of the quotient; the last one is set if the division leaves a remainder.
  const Wide dividend = product << shift;
  const Wide quotient = dividend / divisor | static_cast<Wide>(dividend % divisor != 0);
  const double size = std::ldexp(static_cast<double>(quotient), 53 - twos - shift);
  return sum < 0 ? -size : size;
}

}  // namespace

double StepTimes::time(std::int64_t steps, double part) const {
  const std::int64_t count = steps - start_step;
  if (unit == 0) return start + (static_cast<double>(count) + part) * step;
  if (part == std::floor(part))
    return nearest_ratio(offset, count + static_cast<std::int64_t>(part), unit, parts);
  return start + (static_cast<double>(count) + part) * static_cast<double>(unit) / parts;
}

}  // namespace lapl
