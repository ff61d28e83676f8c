// Steady states of an ImplicitSystem: how to come near one, and whether there is only one nearby.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/error.hpp"
#include "kernels/solve/implicit_system.hpp"

namespace lapl {

// Goes to a steady state from where Newton's method does not lead there: by implicit steps that
// become longer (C. T. Kelley and D. E. Keyes, SIAM J. Numer. Anal. 35, 508, 1998).
bool ImplicitSystem::relax(Values& state, const Values& given, SolveMoment at) {
  constexpr int most_steps = 100;
  constexpr double longest = 1e12;  // of the first step
  const double to_steady = at.change;
  state = given;
  differentiate(state, at.time);
  build(to_steady);
  const double first = at.change = 10 / std::ranges::max(largest_diagonal_);
  for (int step = 0; step < most_steps; ++step) {
    Values next = state;
    const bool is_found = newton(next, state, at);
    if (!is_found) {
      at.change /= 10;
      continue;
    }
    double change = 0;
    for (std::size_t field = 0; field < fields(); ++field) {
      double value = 0, by = 0;
      for (std::size_t i = field * shape_.cells(); i < (field + 1) * shape_.cells(); ++i) {
        value = std::max(value, std::abs(next[i]));
        by = std::max(by, std::abs(next[i] - state[i]));
      }
      change = std::max(change, by / (value > 0 ? value : 1));
    }
    state = std::move(next);
    if (change < 0.1 && at.change > 100 * first) {
      next = state;
      SolveMoment last = at;
      last.change = to_steady;
      if (newton(next, state, last)) {
        state = std::move(next);
        return true;
      }
    }
    at.change = std::min(at.change * 10, longest * first);
  }
  return false;
}

// Where the rates keep an integral, a sum of fields with constant factors, many states are steady.
// Then the sums over the cells of the rates' changes by any change of the state are dependent.
void ImplicitSystem::require_unique(const Values& state, double time) {
  const std::int64_t cells = shape_.cells();
  const auto count = static_cast<std::int64_t>(fields());
  Values at_state(state.size()), made(state.size());
  find_rates(state, time, at_state);
  std::vector<std::vector<double>> sums;  // by change, then by field with a rate
  std::vector<double> sizes(fields());
  std::uint64_t bits = 1;
  for (std::int64_t change = 0; change < count + 1; ++change) {
    Values changed = state;
    for (std::int64_t field = 0; field < count; ++field) {
      double largest = 0;
      for (std::int64_t cell = 0; cell < cells; ++cell)
        largest = std::max(largest, std::abs(state[field * cells + cell]));
      for (std::int64_t cell = 0; cell < cells; ++cell) {
        bits = bits * 6364136223846793005 + 1442695040888963407;
        changed[field * cells + cell] +=
            (largest > 0 ? largest : 1) * static_cast<double>(bits >> 40) * 0x1p-30;
      }
    }
    find_rates(changed, time, made);
    std::vector<double>& sum = sums.emplace_back();
    for (std::size_t field = 0; field < fields(); ++field) {
      double all = 0, size = 0;
      for (std::size_t i = field * cells; i < (field + 1) * cells; ++i) {
        all += made[i] - at_state[i];
        size += std::abs(made[i] - at_state[i]);
      }
      if (!rules_.has_rate[field]) continue;
      sizes[sum.size()] = std::max(sizes[sum.size()], size);
      sum.push_back(all);
    }
  }
  for (std::vector<double>& sum : sums)
    for (std::size_t column = 0; column < sum.size(); ++column)
      if (sizes[column] > 0) sum[column] /= sizes[column];
  // Elimination, in which a column without a pivot depends on others.
  const std::size_t columns = sums.front().size();
  for (std::size_t column = 0; column < columns; ++column) {
    const auto pivot = std::ranges::max_element(
        sums.begin() + static_cast<std::ptrdiff_t>(column), sums.end(), {},
        [&](const std::vector<double>& row) { return std::abs(row[column]); });
    std::swap(*pivot, sums[column]);
    constexpr double rounding = 1e-13;
    if (std::abs(sums[column][column]) < rounding)
      throw NumericalError(
          "time.scheme steady: many states are steady, as the rates keep an integral (expected a "
          "side where {} has a value, or scheme sdirk2 with time.tolerance and time.end, which "
          "goes to the state that follows from the initial one)",
          rules_.fields[column]);
    for (std::size_t row = column + 1; row < sums.size(); ++row) {
      const double factor = sums[row][column] / sums[column][column];
      for (std::size_t other = column; other < columns; ++other)
        sums[row][other] -= factor * sums[column][other];
    }
  }
}

}  // namespace lapl
