#include "solver/step_control.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/elementary/elementary.hpp"
#include "kernels/fields/digest.hpp"
#include "kernels/spectral/step_change.hpp"
#include "solver/times.hpp"

namespace lapl {
namespace {

constexpr double safety = 0.9, least_factor = 0.2, most_factor = 5;

constexpr double least_step = 0x1p-1074;

// base^exponent, with the same bits on every machine.
double portable_power(double base, double exponent) { return power(base, exponent); }

// The largest power of 2^(1/4) that is at most `size`; exact comparisons give the same everywhere.
double rung_below(double size) {
  constexpr double rungs[] = {1, 0x1.306fe0a31b715p+0, 0x1.6a09e667f3bcdp+0, 0x1.ae89f995ad3adp+0};
  if (!(size > 0) || std::isinf(size)) return size;
  int exponent = 0;
  const double mantissa = 2 * std::frexp(size, &exponent);  // 1 to 2
  double below = 1;
  for (const double rung : rungs)
    if (rung <= mantissa) below = rung;
  return std::ldexp(below, exponent - 1);
}

// The numbers of stages that rkl2 with a tolerance chooses from: few, as each needs an engine of
// its own; odd, as an even number does not damp the fastest mode in the longest stable step.
constexpr int stage_numbers[] = {3, 5, 7, 9, 13, 19, 27, 39, 55, 79, 127};
// Estimated steps do not become longer before this step: the state may only have begun to change.
constexpr std::int64_t first_longer_step = 1024;

// The number of stages changes only if steps become cheaper by a fifth.
constexpr double enough_cheaper = 1.25;

}  // namespace

double error_order(Scheme scheme) {
  const SchemeRow& row = table_row(scheme);
  return row.is_pair() || scheme == Scheme::etdrk4 ? row.order : row.order + 1;
}

bool StepState::is_sound(std::int64_t step) const {
  const auto is_finite_from = [](double least, double value) {
    return value >= least && std::isfinite(value);
  };
  const auto is_earlier = [&](std::int64_t other) { return other >= 0 && other <= step; };
  return std::isfinite(clock.start) && is_finite_from(least_step, clock.step) &&
         is_earlier(clock.start_step) && std::isfinite(carry) &&
         is_finite_from(least_step, longest) && is_finite_from(0, error) && rejections >= 0 &&
         !std::isnan(radius) && stages >= least_stages && stages <= most_stages &&
         is_earlier(last_estimate) && next_estimate >= 0 && allowed[0] > 0 && allowed[1] > 0;
}

std::vector<std::uint64_t> StepState::words() const {
  return {as_bits(clock.step),
          as_bits(clock.start),
          static_cast<std::uint64_t>(clock.start_step),
          as_bits(carry),
          as_bits(longest),
          as_bits(error),
          static_cast<std::uint64_t>(rejections),
          as_bits(radius),
          static_cast<std::uint64_t>(stages),
          static_cast<std::uint64_t>(last_estimate),
          static_cast<std::uint64_t>(next_estimate),
          as_bits(allowed[0]),
          as_bits(allowed[1])};
}

std::optional<StepState> StepState::of_words(const std::vector<std::uint64_t>& words) {
  if (words.empty()) return std::nullopt;
  const auto number = [&](std::size_t i) { return std::bit_cast<double>(words.at(i)); };
  const auto count = [&](std::size_t i) { return static_cast<std::int64_t>(words.at(i)); };
  return StepState{.clock = {number(0), number(1), count(2)},
                   .carry = number(3),
                   .longest = number(4),
                   .error = number(5),
                   .rejections = count(6),
                   .radius = number(7),
                   .stages = count(8),
                   .last_estimate = count(9),
                   .next_estimate = count(10),
                   .allowed = {number(11), number(12)}};
}

// `carry` keeps the rounding errors of the product and, by Knuth's two-sum, of the sum.
void StepState::end_planned(std::int64_t step) {
  const auto count = static_cast<double>(step - clock.start_step);
  const double change = count * clock.step, before = clock.start;
  const double added = carry + (change + std::fma(count, clock.step, -change));
  clock.start = before + added;
  const double shown = clock.start - before;
  carry = (before - (clock.start - shown)) + (added - shown);
  clock.start_step = step;
}

StepControl::StepControl(const RunConfig& config, const std::optional<StepState>& from,
                         std::int64_t step)
    : config_(config) {
  if (!from) {
    state_.clock.step = state_.longest = *config.time_step;
    state_.clock.start = config.start;
    return;
  }
  state_ = *from;
  const StepTimes planned = state_.clock;
  if (planned.start_step == step) return;
  // `step` lies amid planned steps. They go on if this config plans the same steps.
  plan(planned.start_step);
  if (state_.clock.step == planned.step && step < end_step_) return;
  state_.clock = planned;
  leave_plan(step);
}

// Ends the plan at `step`. A time that differs only by rounding from that of an output, of probes,
// of time.meet or of the end becomes exactly this one.
void StepControl::leave_plan(std::int64_t step) {
  const double rounding = 1e-9 * state_.clock.step;
  state_.end_planned(step);
  aim_.reset();
  end_step_ = step;
  double& now = state_.clock.start;
  const auto meet = [&](double time) {
    if (std::abs(time - now) > rounding) return;
    now = time;
    state_.carry = 0;
  };
  for (const TimeInterval& interval : time_intervals(config_))
    meet(nearest_multiple(interval.time, now, config_.start));
  if (config_.end) meet(*config_.end);
  for (const double time : config_.meets) meet(time);
}

std::optional<double> StepControl::next_target() const {
  std::optional<double> target = config_.end;
  const auto meet = [&](double time) { target = std::min(target.value_or(time), time); };
  for (const TimeInterval& interval : time_intervals(config_))
    meet(next_multiple(interval.time, state_.clock.start, config_.start));
  if (const auto next = next_meet()) meet(*next);
  return target;
}

std::optional<double> StepControl::next_meet() const {
  // No step leads to a time that differs from now by rounding.
  const double now = state_.clock.start + std::abs(state_.clock.start) * 0x1p-48;
  const auto next = std::ranges::upper_bound(config_.meets, now);
  return next == config_.meets.end() ? std::nullopt : std::optional(*next);
}

// Chooses the number of stages with the longest step for its work, and returns the size of a step.
// The stage that measures the error counts as work.
double StepControl::size_of_stages(double wanted) {
  const auto size = [&](std::int64_t stages) {
    return std::min(wanted, damping_end(static_cast<int>(stages)) / state_.radius);
  };
  const auto speed = [&](std::int64_t stages) {
    return size(stages) / static_cast<double>(stages + 1);
  };
  const std::int64_t most = *config_.scheme.stages;
  const double least = std::min(wanted, smallest());
  state_.stages = std::min(state_.stages, most);
  std::int64_t best = state_.stages;
  const auto is_short = [&](std::int64_t stages) { return size(stages) < least; };
  for (const int stages : stage_numbers)
    if (stages <= most && !is_short(stages) && (is_short(best) || speed(stages) > speed(best)))
      best = stages;
  if (is_short(best)) best = most;
  if (is_short(state_.stages) || speed(best) > enough_cheaper * speed(state_.stages))
    state_.stages = best;
  return size(state_.stages);
}

StepTimes StepControl::plan(std::int64_t step) {
  aim_.reset();
  StepTimes& clock = state_.clock;
  clock.start_step = step;
  const auto target = next_target();
  // Rates may jump at a time of time.meet: a stage at the end of the step reads the time just
  // before.
  const auto before = [](double time) { return time - std::abs(time) * 0x1p-50; };
  const double until = target && target == next_meet() ? before(*target) : target.value_or(0);
  const double most = std::min(state_.longest, config_.largest_step.value_or(state_.longest));
  const double remaining = target ? until - clock.start - state_.carry : most;
  const double longest =
      config_.chooses_stages() ? size_of_stages(std::min(most, remaining)) : most;
  clock.step = longest;
  end_step_ = measures_error() ? step + 1 : std::numeric_limits<std::int64_t>::max();
  if (target) {
    const double steps = std::ceil(remaining / longest * (1 - 1e-9));
    if (measures_error()) {
      // Only the last step before the target may be shorter than smallest().
      if (steps <= 1 || (steps == 2 && remaining / 2 >= smallest()))
        clock.step = remaining / std::max(steps, 1.0);
      if (steps <= 1) aim_ = target;
    } else {
      clock.step = remaining / std::max(steps, 1.0);
      end_step_ = step + static_cast<std::int64_t>(std::clamp(steps, 1.0, 0x1p62));
      aim_ = target;
    }
  }
  return clock;
}

std::int64_t StepControl::left(std::int64_t step) const {
  return std::max<std::int64_t>(end_step_ - step, 0);
}

void StepControl::arrive(std::int64_t step) {
  state_.end_planned(step);
  if (aim_) {
    state_.clock.start = *aim_;
    state_.carry = 0;
  }
  end_step_ = step;
}

bool StepControl::accepts(double error, std::int64_t step) {
  const double order = error_order(config_.scheme.kind), size = state_.clock.step;
  const auto next = [&](double factor, double most) {
    return size * std::clamp(safety * factor, least_factor, most);
  };
  if (!(error <= 1)) {
    ++state_.rejections;
    end_step_ = step;
    state_.longest =
        std::isfinite(error) ? next(portable_power(error, -1 / order), 1) : least_factor * size;
    if (is_exponential(config_)) state_.longest = rung_below(state_.longest);
    state_.longest = std::max(state_.longest, least_step);
    return false;
  }
  const double now = std::max(error, 1e-10);
  if (size < state_.longest)  // a target has shortened the step: no reason to shorten the next
    state_.longest = std::max(state_.longest, next(portable_power(now, -1 / order), most_factor));
  else
    state_.longest = next(
        portable_power(now, -0.7 / order) * portable_power(state_.error, 0.4 / order), most_factor);
  state_.error = now;
  if (is_exponential(config_)) use_rung(size);
  arrive(step + 1);
  return true;
}

// Each new size of an etdrk step costs new factors, so sizes are powers of 2^(1/4), and a size that
// is up to 5% too long stays.
void StepControl::use_rung(double size) {
  constexpr double nearly = 0.95;
  state_.longest =
      state_.longest < size && state_.longest >= nearly * size ? size : rung_below(state_.longest);
}

double StepControl::smallest() const {
  const double now = std::abs(state_.clock.start);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return std::max(config_.smallest_step, 10 * (std::nextafter(now, infinity) - now));
}

double StepControl::steps_to_target() const {
  const auto target = next_target();
  return target ? (*target - state_.clock.start) / state_.clock.step : 0;
}

double StepControl::longest() const {
  if (!config_.chooses_stages() || !measures_error() || state_.radius <= 0) return state_.longest;
  return std::min(state_.longest, damping_end(*config_.scheme.stages) / state_.radius);
}

bool StepControl::is_stuck() const {
  return !(longest() >= smallest()) || std::isinf(state_.radius);
}

// The number of steps to the next estimate: a quarter of the time in which the state may become e
// times as large, but at least a tenth of the usual number, or estimates would take longer than
// steps.
std::int64_t StepControl::steps_to_estimate(double growth) const {
  const std::int64_t most = *config_.stability_checks();
  if (config_.check_stability_every) return most;
  const double steps = 0.25 / (growth * state_.longest);
  return std::clamp(static_cast<std::int64_t>(std::min(steps, 1e15)), (most + 9) / 10, most);
}

bool StepControl::use_estimate(const StepEstimate& found, std::int64_t step) {
  if (measures_error()) {
    state_.radius = damping_end(*config_.estimated_scheme().stages) / found.step;
    return false;
  }
  const auto power_of_two = [](std::int64_t at) {
    return std::bit_width(static_cast<std::uint64_t>(at));
  };
  if (power_of_two(step) > power_of_two(state_.last_estimate))
    state_.allowed = {StepState::unlimited, state_.allowed[0]};
  if (found.step > 0) state_.allowed[0] = std::min(state_.allowed[0], found.step);
  state_.last_estimate = step;
  const double longest = state_.longest, allowed = std::ranges::min(state_.allowed);
  // Small differences do not count, so that steps change rarely.
  if (found.step > 0 && longest > 0.95 * found.longest)
    state_.longest = found.step;
  else if (step >= first_longer_step && allowed > 1.2 * longest && !std::isinf(allowed))
    state_.longest = allowed;
  state_.next_estimate = step + steps_to_estimate(found.growth);
  if (state_.longest == longest) return false;
  leave_plan(step);
  return true;
}

}  // namespace lapl
