#include <bit>
#include <cmath>

#include "kernels/problem.hpp"

namespace lapl {
namespace {

// The double nearest to count * unit / parts.
double multiple_of_ratio(std::int64_t count, std::int64_t unit, double parts) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(count) * static_cast<Wide>(unit);
  if (product == 0) return 0;
  int twos = 0;
  const auto divisor = static_cast<std::uint64_t>(std::ldexp(std::frexp(parts, &twos), 53));
  const auto high = static_cast<std::uint64_t>(product >> 64);
  const int shift = high != 0 ? std::countl_zero(high)
                              : 64 + std::countl_zero(static_cast<std::uint64_t>(product));
  // More than 64 bits of the quotient; the last one is set if the division leaves a remainder.
  const Wide dividend = product << shift;
  const Wide quotient = dividend / divisor | static_cast<Wide>(dividend % divisor != 0);
  return std::ldexp(static_cast<double>(quotient), 53 - twos - shift);
}

}  // namespace

double StepTimes::time(std::int64_t steps, double part) const {
  const std::int64_t count = steps - start_step;
  if (unit == 0) return start + (static_cast<double>(count) + part) * step;
  const double within = static_cast<double>(count) + part;
  return start + (part == std::floor(part)
                      ? multiple_of_ratio(count + static_cast<std::int64_t>(part), unit, parts)
                      : within * static_cast<double>(unit) / parts);
}

}  // namespace lapl
