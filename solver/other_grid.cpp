#include "solver/other_grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kernels/fields/host_vector.hpp"

namespace lapl {
namespace {

// A value of the new grid: the sum of weights times neighbouring values.
struct Sum {
  std::vector<std::int64_t> at;
  std::vector<double> weights;
  double share = 0;  // of interpolation: the distance from the neighbour before, in cells
};

// The cell that has the value at `index`, which may lie beyond the ends of an axis of n cells.
std::int64_t cell_beyond(std::int64_t index, std::int64_t n, bool periodic) {
  const std::int64_t period = periodic ? n : 2 * n, within = (index % period + period) % period;
  return within < n ? within : 2 * n - 1 - within;
}

// The average over cell j of m, from n > m cells. Lengths are in units of 1/(n m) of the axis.
Sum average(std::int64_t j, std::int64_t m, std::int64_t n) {
  Sum sum;
  for (std::int64_t i = j * n / m; i * m < (j + 1) * n; ++i) {
    sum.at.push_back(i);
    const std::int64_t overlap = std::min((i + 1) * m, (j + 1) * n) - std::max(i * m, j * n);
    sum.weights.push_back(static_cast<double>(overlap) / static_cast<double>(n));
  }
  return sum;
}

// The value at the middle of cell j of m, from n < m cells.
Sum interpolated(std::int64_t j, std::int64_t m, std::int64_t n, Interpolation interpolation,
                 bool periodic) {
  // The position is twice / (2 m) cells after the middle of the first one.
  const std::int64_t twice = (2 * j + 1) * n - m;
  const std::int64_t before = twice >= 0 ? twice / (2 * m) : -1;
  const double t = static_cast<double>(twice - before * 2 * m) / static_cast<double>(2 * m);
  Sum sum{{}, {1 - t, t}, t};
  std::int64_t first = before;
  if (interpolation == Interpolation::cubic) {  // Lagrange's, of the nodes -1, 0, 1 and 2
    sum.weights = {-t * (t - 1) * (t - 2) / 6, (t + 1) * (t - 1) * (t - 2) / 2,
                   -(t + 1) * t * (t - 2) / 2, (t + 1) * t * (t - 1) / 6};
    --first;
  }
  for (std::int64_t i = 0; i < std::ssize(sum.weights); ++i)
    sum.at.push_back(cell_beyond(first + i, n, periodic));
  return sum;
}

// The sum over the neighbours that are finite. Weights of cubic interpolation may be below 0, so
// without one of its neighbours it becomes linear.
double without_missing(const Sum& sum, const double* values, std::int64_t stride) {
  const bool cubic = sum.weights.size() == 4 && sum.share != 0;
  double total = 0, weights = 0;
  for (std::size_t i = 0; i < sum.at.size(); ++i) {
    const double weight = !cubic ? sum.weights[i] : i == 1 ? 1 - sum.share : i == 2 ? sum.share : 0;
    const double value = values[sum.at[i] * stride];
    if (weight == 0 || !std::isfinite(value)) continue;
    total += weight * value;
    weights += weight;
  }
  return weights > 0 ? total / weights : std::numeric_limits<double>::quiet_NaN();
}

double value_of_sum(const Sum& sum, const double* values, std::int64_t stride) {
  double total = 0;
  for (std::size_t i = 0; i < sum.at.size(); ++i)
    total += sum.weights[i] * values[sum.at[i] * stride];
  return std::isfinite(total) ? total : without_missing(sum, values, stride);
}

}  // namespace

std::vector<double> on_other_grid(std::vector<double> values, Shape from, Shape to,
                                  Interpolation interpolation, const Boundaries& boundaries) {
  std::array extents = by_axis(from);
  const std::array wanted = by_axis(to);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t n = extents[axis], m = wanted[axis];
    if (n == m) continue;
    std::vector<Sum> sums;
    for (std::int64_t j = 0; j < m; ++j)
      sums.push_back(m < n ? average(j, m, n)
                           : interpolated(j, m, n, interpolation,
                                          by_axis(boundaries)[axis] == Boundary::periodic));
    std::int64_t outer = 1, inner = 1;
    for (std::size_t other = 0; other < 3; ++other)
      if (other != axis) (other < axis ? outer : inner) *= extents[other];
    std::vector<double> next = host_vector<double>(outer * m * inner);
    for (std::int64_t block = 0; block < outer; ++block)
      for (std::int64_t j = 0; j < m; ++j)
        for (std::int64_t k = 0; k < inner; ++k)
          next[(block * m + j) * inner + k] =
              value_of_sum(sums[j], &values[block * n * inner + k], inner);
    values = std::move(next);
    extents[axis] = m;
  }
  return values;
}

}  // namespace lapl
