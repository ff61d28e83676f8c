#include "solver/step_control.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/elementary/elementary.hpp"
#include "kernels/fields/digest.hpp"

namespace lapl {
namespace {

constexpr double safety = 0.9, least_factor = 0.2, most_factor = 5;

// The same bits on every machine.
double power_of(double base, double exponent) { return power(base, exponent); }

}  // namespace

std::vector<std::uint64_t> StepState::words() const {
  return {bits_of(clock.step),
          bits_of(clock.start),
          static_cast<std::uint64_t>(clock.start_step),
          bits_of(carry),
          bits_of(longest),
          bits_of(error),
          static_cast<std::uint64_t>(rejections)};
}

std::optional<StepState> StepState::of_words(const std::vector<std::uint64_t>& words) {
  if (words.empty()) return std::nullopt;
  const auto number = [&](std::size_t i) { return std::bit_cast<double>(words.at(i)); };
  return StepState{.clock = {number(0), number(1), static_cast<std::int64_t>(words.at(2))},
                   .carry = number(3),
                   .longest = number(4),
                   .error = number(5),
                   .rejections = static_cast<std::int64_t>(words.at(6))};
}

StepControl::StepControl(const RunConfig& config, const std::optional<StepState>& from,
                         std::int64_t step)
    : config_(config) {
  if (!from) {
    state_.clock.step = state_.longest = *config.time_step;
    return;
  }
  state_ = *from;
  if (state_.clock.start_step == step) return;
  aim_ = next_target();  // amid planned steps
  end_step_ = std::numeric_limits<std::int64_t>::max();
  if (aim_)
    end_step_ = state_.clock.start_step +
                std::llround((*aim_ - state_.clock.start - state_.carry) / state_.clock.step);
}

std::optional<double> StepControl::next_target() const {
  std::optional<double> target = config_.end;
  if (const auto& every = config_.output_time) {
    const double multiple = std::floor(state_.clock.start / *every * (1 + 0x1p-50)) + 1;
    target = std::min(target.value_or(std::numeric_limits<double>::infinity()), multiple * *every);
  }
  return target;
}

StepTimes StepControl::plan(std::int64_t step) {
  aim_.reset();
  StepTimes& clock = state_.clock;
  clock.start_step = step;
  clock.step = state_.longest;
  end_step_ = measures_error() ? step + 1 : std::numeric_limits<std::int64_t>::max();
  if (const auto target = next_target()) {
    const double remaining = *target - clock.start - state_.carry;
    const double steps = std::ceil(remaining / state_.longest * (1 - 1e-9));
    if (measures_error()) {
      if (steps <= 2) clock.step = remaining / std::max(steps, 1.0);
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

// Knuth's sum with the error of the product keeps what rounding loses.
void StepControl::advance_start(std::int64_t step) {
  StepTimes& clock = state_.clock;
  const auto count = static_cast<double>(step - clock.start_step);
  const double change = count * clock.step, before = clock.start;
  const double added = state_.carry + (change + std::fma(count, clock.step, -change));
  clock.start = before + added;
  const double shown = clock.start - before;
  state_.carry = (before - (clock.start - shown)) + (added - shown);
  clock.start_step = step;
}

void StepControl::arrive(std::int64_t step) {
  advance_start(step);
  if (aim_) {
    state_.clock.start = *aim_;
    state_.carry = 0;
  }
  end_step_ = step;
}

bool StepControl::accepts(double error, std::int64_t step) {
  const double order = row_of(config_.scheme.kind).order, size = state_.clock.step;
  const auto next = [&](double factor, double most) {
    return size * std::clamp(safety * factor, least_factor, most);
  };
  if (!(error <= 1)) {
    ++state_.rejections;
    end_step_ = step;
    state_.longest =
        std::isfinite(error) ? next(power_of(error, -1 / order), 1) : least_factor * size;
    return false;
  }
  const double now = std::max(error, 1e-10);
  const double wanted =
      next(power_of(now, -0.7 / order) * power_of(state_.error, 0.4 / order), most_factor);
  // A step that a time has shortened says nothing against the longer one.
  state_.longest = size < state_.longest ? std::max(wanted, state_.longest) : wanted;
  state_.error = now;
  arrive(step + 1);
  return true;
}

bool StepControl::is_stuck() const {
  return !(state_.longest >= config_.smallest_step) ||
         state_.clock.start + state_.longest == state_.clock.start;
}

void StepControl::limit(double longest, std::int64_t step) {
  advance_start(step);
  state_.longest = longest;
  aim_.reset();
  end_step_ = step;
}

bool StepControl::is_output(double time) const {
  const auto& every = config_.output_time;
  return every && std::round(time / *every) * *every == time;
}

}  // namespace lapl
