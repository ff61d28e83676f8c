#include "app/view/plot/limits.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/fields/percentile.hpp"

namespace lapl {
namespace {

// Limits stay below this, so that their distance is finite, too.
constexpr double largest_limit = 8e307;
constexpr double smallest_range = 1e-300;
constexpr double rounding = 1e-13;

}  // namespace

Limits percentile_limits(std::span<const double> values, double low, double high) {
  std::vector<double> finite;
  finite.reserve(values.size());
  for (const double value : values)
    if (std::isfinite(value)) finite.push_back(value);
  if (finite.empty()) return {1, 0};
  return {percentile_value(finite, low, 1), percentile_value(finite, high, 1)};
}

Limits widened(Limits limits) {
  if (limits.low > limits.high) return {0, 1};
  limits.low = std::clamp(limits.low, -largest_limit, largest_limit);
  limits.high = std::clamp(limits.high, -largest_limit, largest_limit);
  const double magnitude = std::max(std::abs(limits.low), std::abs(limits.high));
  if (limits.high - limits.low >= std::max(smallest_range, magnitude * rounding)) return limits;
  if (magnitude < smallest_range) return {0, 1};
  const double middle = limits.low / 2 + limits.high / 2;
  return {std::max(middle - magnitude / 2, -largest_limit),
          std::min(middle + magnitude / 2, largest_limit)};
}

Limits centred(Limits limits) {
  if (limits.low > limits.high) return {-1, 1};
  const double magnitude =
      std::min(std::max(std::abs(limits.low), std::abs(limits.high)), largest_limit);
  if (magnitude < smallest_range) return {-1, 1};
  return {-magnitude, magnitude};
}

Limits logs(Limits limits) { return {std::log10(limits.low), std::log10(limits.high)}; }

Limits united(Limits a, Limits b) {
  if (a.low > a.high) return b;
  if (b.low > b.high) return a;
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

}  // namespace lapl
