#include "kernels/filters/filter.hpp"

#include <cmath>
#include <limits>

#include "kernels/for_floats.hpp"

namespace lapl {

template <class T>
std::optional<SeparableWeights<T>> separate(const Correlation<T>& correlation) {
  const std::int64_t rows = correlation.window.rows, columns = correlation.window.columns;
  const auto weight = [&](std::int64_t a, std::int64_t b) {
    return correlation.weights[a * columns + b];
  };
  std::int64_t pivot = 0;
  for (std::int64_t i = 0; i < rows * columns; ++i)
    if (std::abs(weight(0, i)) > std::abs(weight(0, pivot))) pivot = i;
  const Cell at = cell_at(correlation.window, pivot);
  const double largest = static_cast<double>(weight(at.row, at.column));

  SeparableWeights<T> factors{std::vector<T>(rows), std::vector<T>(columns)};
  if (largest == 0) return factors;
  for (std::int64_t a = 0; a < rows; ++a) factors.rows[a] = weight(a, at.column);
  for (std::int64_t b = 0; b < columns; ++b)
    factors.columns[b] = static_cast<T>(static_cast<double>(weight(at.row, b)) / largest);

  const double tolerance = 4 * std::numeric_limits<T>::epsilon() * std::abs(largest);
  for (std::int64_t a = 0; a < rows; ++a)
    for (std::int64_t b = 0; b < columns; ++b) {
      const T row = factors.rows[a];
      const T column = factors.columns[b];
      const double product = static_cast<double>(row) * static_cast<double>(column);
      const bool touches = row != 0 && column != 0;
      if (touches != (weight(a, b) != 0)) return std::nullopt;
      // Not "error > tolerance", which would be false if the error is NaN.
      if (!(std::abs(static_cast<double>(weight(a, b)) - product) <= tolerance))
        return std::nullopt;
    }
  return factors;
}
LAPL_FOR_FLOATS(separate);

}  // namespace lapl
