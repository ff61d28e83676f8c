// Decides at which steps a run stores, checks and probes.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

#include "solver/equation/equation.hpp"
#include "solver/run_config.hpp"
#include "solver/times.hpp"

namespace lapl {

/// The steps of an interval of `every` steps, or of `time` where it is given: a whole number of
/// steps (solver/times.hpp).
inline std::int64_t interval_steps(const RunConfig& config, std::int64_t every,
                                   const std::optional<double>& time) {
  if (!time) return every;
  return static_cast<std::int64_t>(
      std::clamp(std::round(*time / step_seconds(config)), 1.0, 0x1p62));
}
inline std::int64_t steps_between_outputs(const RunConfig& config) {
  return interval_steps(config, config.output_every, config.output_time);
}

/// A number of outputs or checkpoints. If steps vary it is not exact, as only the run finds out how
/// many steps it takes.
struct FileCount {
  std::int64_t least = 0;
  bool exact = true;
};

/// Says for each step of a run what happens at it.
class Schedule {
 public:
  explicit Schedule(const RunConfig& config)
      : last_(config.ends_by_time() ? most_steps : config.steps),
        knows_last_(!config.ends_by_time()),
        output_every_(steps_between_outputs(config)),
        output_phase_(phase(config, config.output_time)),
        outputs_by_time_(config.scheme.varies && config.output_time),
        checkpoint_every_(config.checkpoint_every.steps.value_or(never)),
        check_every_(checks_between_outputs(config) ? config.check_finite_every : never),
        checks_early_(!is_spectral(config)),
        stability_every_(config.stability_checks().value_or(never)),
        checks_steady_(config.steady.has_value()),
        stop_every_(config.stop ? config.stop->every : never),
        verify_every_(config.verify_every.value_or(never)) {
    if (config.probes && !(config.scheme.varies && config.probes->time)) {
      probe_every_ = interval_steps(config, config.probes->every, config.probes->time);
      probe_phase_ = phase(config, config.probes->time);
    }
    if (outputs_by_time_)
      outputs_in_time_ =
          config.end ? FileCount{first_step_at(run_seconds(config), *config.output_time) + 1}
                     : FileCount{std::min<std::int64_t>(config.steps, 1) + 1, false};
  }

  /// Step 0, each output step, and the last step. If steps vary, only the run knows the steps of
  /// outputs by time (solver/step_control.hpp), and perhaps the last step.
  bool is_output(std::int64_t step) const {
    return step == 0 || step == last_ ||
           (!outputs_by_time_ && step % output_every_ == output_phase_);
  }
  void end_at(std::int64_t step) { last_ = step; }

  std::int64_t next_output_after(std::int64_t step) const {
    if (outputs_by_time_) return last_;
    return std::min(last_, multiple_after(step, output_every_, output_phase_));
  }

  /// Each multiple of checkpoint.every, and the last step.
  bool is_checkpoint(std::int64_t step) const {
    return step % checkpoint_every_ == 0 || step == last_;
  }

  /// Each multiple of limits.check_finite_every, and before the first one each power of two, as
  /// most mistakes show at the start. The spectral engine runs many steps at the cost of one, so
  /// it checks only what is stored.
  bool is_finite_check(std::int64_t step) const {
    return step % check_every_ == 0 || (checks_early_ && is_early(step, check_every_));
  }

  /// Each multiple of output.probes.every, including step 0. If it is in time and steps vary, only
  /// the run knows.
  bool is_probe(std::int64_t step) const {
    return probe_every_ < never && step % probe_every_ == probe_phase_;
  }

  /// Each multiple of limits.check_finite_every but step 0, so it does not depend on where a run
  /// was interrupted.
  bool is_steady_check(std::int64_t step) const {
    return checks_steady_ && step > 0 && step % check_every_ == 0;
  }

  /// Each multiple of limits.stop.every, including step 0.
  bool is_stop_check(std::int64_t step) const {
    return stop_every_ < never && step % stop_every_ == 0;
  }

  /// Each multiple of the interval but step 0, and before the first one each power of two, as
  /// states change most at the start.
  bool is_stability_check(std::int64_t step) const {
    return step > 0 && stability_every_ < never &&
           (step % stability_every_ == 0 || is_early(step, stability_every_));
  }

  bool is_verification(std::int64_t step) const { return step % verify_every_ == 0; }

  /// The numbers of outputs and checkpoints of a run from step 0, without checkpoints by wall-clock
  /// time. `steps`: a guess at the number of steps, for runs that know it at their end alone.
  FileCount outputs(std::optional<std::int64_t> steps = {}) const {
    return outputs_by_time_ ? outputs_in_time_ : count(output_every_, steps);
  }
  FileCount checkpoints(std::optional<std::int64_t> steps = {}) const {
    return count(checkpoint_every_, steps);
  }

  /// The first check of stability after `step`; most_steps where there is none.
  std::int64_t next_stability_check_after(std::int64_t step) const {
    if (stability_every_ > most_steps) return most_steps;
    const std::int64_t next = (step / stability_every_ + 1) * stability_every_;
    if (step >= stability_every_) return next;
    return std::min(next, power_of_two_after(step));
  }

  /// The first step after `step` at which any of the above happens.
  std::int64_t next_after(std::int64_t step) const {
    std::int64_t next = next_output_after(step);
    for (const std::int64_t every : {checkpoint_every_, check_every_, verify_every_, stop_every_})
      next = std::min(next, multiple_after(step, every));
    next = std::min(next, multiple_after(step, probe_every_, probe_phase_));
    if (step < check_every_ && checks_early_) next = std::min(next, power_of_two_after(step));
    return std::min(next, next_stability_check_after(step));
  }

 private:
  static std::int64_t power_of_two_after(std::int64_t step) {
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(step) + 1));
  }
  static constexpr std::int64_t never = most_steps + 1;

  static std::int64_t multiple_after(std::int64_t step, std::int64_t every,
                                     std::int64_t phase = 0) {
    return (step - phase + every) / every * every + phase;
  }

  // If the number of steps is not known, there are at least the first one and the last one.
  FileCount count(std::int64_t every, std::optional<std::int64_t> steps) const {
    const std::int64_t last = knows_last_ ? last_ : steps.value_or(1);
    return {last / every + 1 + (last % every != 0), knows_last_};
  }

  // The steps at which an interval in time ends, modulo the number of its steps: 0 unless steps of
  // another size came before.
  static std::int64_t phase(const RunConfig& config, const std::optional<double>& time) {
    if (!config.since || !time || config.scheme.varies) return 0;
    const double seconds = decimal_difference(next_time(config, *time), config.since->time);
    return (config.since->step + std::llround(seconds / step_seconds(config))) %
           interval_steps(config, 1, time);
  }

  // True for each power of two before the first multiple of `every`.
  static bool is_early(std::int64_t step, std::int64_t every) {
    return step < every && std::has_single_bit(static_cast<std::uint64_t>(step));
  }

  static bool checks_between_outputs(const RunConfig& config) {
    return !is_spectral(config) || config.steady;
  }

  std::int64_t last_;
  bool knows_last_;
  std::int64_t output_every_, output_phase_;
  bool outputs_by_time_;
  std::int64_t checkpoint_every_, check_every_;
  bool checks_early_;  // false for engine spectral, whose bits depend on checks
  std::int64_t stability_every_, probe_every_ = never, probe_phase_ = 0;
  bool checks_steady_;
  std::int64_t stop_every_;
  std::int64_t verify_every_;
  FileCount outputs_in_time_;
};

}  // namespace lapl
