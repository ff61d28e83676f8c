// The times of steps and outputs. A time that a config names, and each multiple of it, is the
// double nearest to its decimal, so equal times have equal bits in all runs, whose outputs can be
// compared.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/problem.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// The double nearest to `count` times the decimal of `unit`.
double decimal_multiple(double unit, std::int64_t count);
/// The multiple of `unit` that is nearest to `time`; `time` is a multiple if the two are equal.
double nearest_multiple(double unit, double time);
/// The smallest multiple of `unit` above `time`.
double next_multiple(double unit, double time);

/// The clock of steps of one size: the time of each step is rounded once, and the times of
/// exact_times are whole numbers of steps. Where steps vary, the clock of the first one.
StepTimes step_times(const RunConfig& run);
inline double time_at_step(const RunConfig& run, std::int64_t step) {
  return step_times(run).time(step);
}

/// The times that must be whole numbers of steps, the shortest first.
inline std::vector<double> exact_times(const RunConfig& config) {
  std::vector<double> times;
  for (const auto& time : {config.output_time, config.end})
    if (time) times.push_back(*time);
  std::ranges::sort(times);
  return times;
}

/// True if the times are whole numbers of steps. Rounding may differ by 1e-9 of a step, or by 2^-50
/// of the number of steps.
inline bool divides(double step, const std::vector<double>& times) {
  return std::ranges::all_of(times, [&](double time) {
    const double steps = time / step, whole = std::round(steps);
    return whole >= 1 && std::abs(steps - whole) <= std::max(1e-9, 0x1p-50 * steps);
  });
}

/// The nearest step that divides the times and is at most `step`, or with `upwards` at least
/// `step`; none if the nearest few thousand candidates do not divide them.
inline std::optional<double> dividing_step(const std::vector<double>& times, double step,
                                           bool upwards = false) {
  if (divides(step, times)) return step;
  const double exact = times.front() / step;
  double count = upwards ? std::floor(exact) : std::ceil(exact);
  for (int tried = 0; tried < 4096 && count >= 1; ++tried, count += upwards ? -1 : 1)
    if (divides(times.front() / count, times)) return times.front() / count;
  return std::nullopt;
}

}  // namespace lapl
