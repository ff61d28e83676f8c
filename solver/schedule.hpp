// Decides at which steps a run stores, checks and probes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "solver/equation/equation.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// The steps of outputs: each multiple of a number of steps, or the first step at or after each
/// multiple of a time.
class OutputSteps {
 public:
  explicit OutputSteps(const RunConfig& config) : every_(config.output_every) {
    if (!config.output_time) return;
    time_step_ = time_step_of(config);
    time_ = *config.output_time;
    if (time_ > time_step_) return;
    time_ = 0;
    every_ = 1;
  }

  bool holds(std::int64_t step) const { return step == 0 || up_to(step) > up_to(step - 1); }

  /// The number of outputs from step 0 to `step`.
  std::int64_t up_to(std::int64_t step) const {
    if (time_ == 0) return step / every_ + 1;
    auto count = static_cast<std::int64_t>(static_cast<double>(step) * time_step_ / time_);
    // Rounding may make the count wrong by one.
    while (step_of(count + 1) <= step) ++count;
    while (count > 0 && step_of(count) > step) --count;
    return count + 1;
  }

  /// The first output step after `step`.
  std::int64_t next_after(std::int64_t step) const {
    if (time_ == 0) return (step / every_ + 1) * every_;
    return std::max(step_of(up_to(step)), step + 1);
  }

 private:
  std::int64_t step_of(std::int64_t multiple) const {
    return first_step_at(static_cast<double>(multiple) * time_, time_step_);
  }

  std::int64_t every_;
  double time_ = 0;  // 0: by steps
  double time_step_ = 1;
};

/// The number of steps between checkpoints that puts one at each output; approximate where outputs
/// are made at times that are not multiples of the step.
inline std::int64_t steps_between_outputs(const RunConfig& config) {
  return OutputSteps(config).next_after(0);
}

/// Says for each step of a run what happens at it.
class Schedule {
 public:
  explicit Schedule(const RunConfig& config)
      : last_(config.steps),
        outputs_(config),
        checkpoint_every_(config.checkpoint_every.steps.value_or(config.steps + 1)),
        check_every_(checks_between_outputs(config) ? config.check_finite_every : config.steps + 1),
        probe_every_(config.probes ? config.probes->every : config.steps + 1),
        looks_for_steady_(config.steady.has_value()),
        has_probes_(config.probes.has_value()),
        verify_every_(config.verify_every.value_or(config.steps + 1)) {}

  /// Step 0, each output step, and the last step.
  bool is_output(std::int64_t step) const { return outputs_.holds(step) || step == last_; }

  std::int64_t next_output_after(std::int64_t step) const {
    return std::min(last_, outputs_.next_after(step));
  }

  /// Each multiple of checkpoint.every, and the last step.
  bool is_checkpoint(std::int64_t step) const {
    return step % checkpoint_every_ == 0 || step == last_;
  }

  /// The spectral engine takes many steps at the cost of one, so it checks only what is stored.
  bool is_finite_check(std::int64_t step) const { return step % check_every_ == 0; }

  /// Each multiple of output.probes.every, with step 0.
  bool is_probe(std::int64_t step) const { return has_probes_ && step % probe_every_ == 0; }

  /// Each multiple of limits.check_finite_every but step 0, so it does not depend on where a run
  /// was interrupted.
  bool is_steady_check(std::int64_t step) const {
    return looks_for_steady_ && step > 0 && step % check_every_ == 0;
  }

  bool is_verification(std::int64_t step) const { return step % verify_every_ == 0; }

  /// The numbers of outputs and checkpoints of a run from step 0, without checkpoints by wall-clock
  /// time.
  std::int64_t outputs() const { return outputs_.up_to(last_) + (outputs_.holds(last_) ? 0 : 1); }
  std::int64_t checkpoints() const {
    return last_ / checkpoint_every_ + 1 + (last_ % checkpoint_every_ != 0);
  }

  /// The first step after `step` at which any of these happens.
  std::int64_t next_after(std::int64_t step) const {
    std::int64_t next = next_output_after(step);
    for (const std::int64_t every : {checkpoint_every_, check_every_, verify_every_, probe_every_})
      next = std::min(next, (step / every + 1) * every);
    return next;
  }

 private:
  static bool checks_between_outputs(const RunConfig& config) {
    return !is_spectral(config) || config.steady;
  }

  std::int64_t last_;
  OutputSteps outputs_;
  std::int64_t checkpoint_every_, check_every_, probe_every_;
  bool looks_for_steady_, has_probes_;
  std::int64_t verify_every_;
};

}  // namespace lapl
