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

/// The double nearest to the decimal of `start` plus `count` times that of `unit`.
double decimal_multiple(double unit, std::int64_t count, double start = 0);
/// The multiple of `unit` from `start` on that is nearest to `time`; `time` is one if the two are
/// equal.
double nearest_multiple(double unit, double time, double start = 0);
/// The smallest multiple of `unit` from `start` on that is above `time`.
double next_multiple(double unit, double time, double start = 0);
/// The double nearest to the difference of the decimals.
inline double decimal_difference(double later, double earlier) {
  return decimal_multiple(earlier, -1, later);
}
/// The time of a config from its start to its end. It must have an end.
inline double run_seconds(const RunConfig& run) { return decimal_difference(*run.end, run.start); }

/// The clock of steps of one size: the time of each step is rounded once, and the times of
/// exact_times are whole numbers of steps. Where steps vary, the clock of the first one.
StepTimes step_times(const RunConfig& run);
inline double time_at_step(const RunConfig& run, std::int64_t step) {
  return step_times(run).time(step);
}

/// An interval in time, at whose multiples steps end, and the config key that gives it: a row of
/// the reference, and the whole name.
struct TimeInterval {
  const char *row, *key;
  double time;
};
/// The intervals in time of outputs and of probes.
inline std::vector<TimeInterval> time_intervals(const RunConfig& run) {
  std::vector<TimeInterval> intervals;
  if (run.output_time) intervals.push_back({"output.every", "output.every", *run.output_time});
  if (run.probes && run.probes->time)
    intervals.push_back({"output.probes", "output.probes.every", *run.probes->time});
  return intervals;
}

/// True if a time is a multiple of an interval; without one, never.
inline bool is_multiple(const RunConfig& run, const std::optional<double>& interval, double time) {
  return interval && nearest_multiple(*interval, time, run.start) == time;
}
/// The first multiple of an interval after the state from which steps are counted.
inline double next_time(const RunConfig& run, double interval) {
  return next_multiple(interval, run.counted_from().time, run.start);
}

/// The times that must be whole numbers of steps, the shortest first: the intervals of outputs and
/// probes, and the times from the state from which steps are counted to their next multiples and to
/// the end.
inline std::vector<double> exact_times(const RunConfig& config) {
  const double from = config.counted_from().time;
  std::vector<double> times;
  for (const TimeInterval& interval : time_intervals(config)) {
    times.push_back(interval.time);
    if (!config.since) continue;
    if (const double next = next_time(config, interval.time); !config.end || next < *config.end)
      times.push_back(decimal_difference(next, from));
  }
  if (config.end && *config.end > from) times.push_back(decimal_difference(*config.end, from));
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
