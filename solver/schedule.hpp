// Which steps of a run something happens at.
#pragma once

#include <algorithm>
#include <cstdint>

#include "solver/run_config.hpp"

namespace lapl {

class Schedule {
 public:
  explicit Schedule(const RunConfig& config)
      : last_(config.steps),
        output_every_(config.output_every),
        checkpoint_every_(config.checkpoint_every.steps.value_or(config.steps + 1)),
        check_every_(config.check_finite_every),
        probe_every_(config.probes ? config.probes->every : config.steps + 1),
        has_probes_(config.probes.has_value()),
        verify_every_(config.verify_every.value_or(config.steps + 1)) {}

  /// Step 0, each multiple of output.every, and the last step.
  bool is_output(std::int64_t step) const { return step % output_every_ == 0 || step == last_; }

  /// The same for checkpoint.every.
  bool is_checkpoint(std::int64_t step) const {
    return step % checkpoint_every_ == 0 || step == last_;
  }

  bool is_finite_check(std::int64_t step) const { return step % check_every_ == 0; }

  /// Step 0 and each multiple of output.probes.every.
  bool is_probe(std::int64_t step) const { return has_probes_ && step % probe_every_ == 0; }

  bool is_verification(std::int64_t step) const { return step % verify_every_ == 0; }

  /// How many outputs a run from step 0 makes, and how many checkpoints, but for those of a time.
  std::int64_t outputs() const { return last_ / output_every_ + 1 + (last_ % output_every_ != 0); }
  std::int64_t checkpoints() const {
    return last_ / checkpoint_every_ + 1 + (last_ % checkpoint_every_ != 0);
  }

  /// The first step after `step` at which any of these happens.
  std::int64_t next_after(std::int64_t step) const {
    std::int64_t next = last_;
    for (const std::int64_t every :
         {output_every_, checkpoint_every_, check_every_, verify_every_, probe_every_})
      next = std::min(next, (step / every + 1) * every);
    return next;
  }

 private:
  std::int64_t last_, output_every_, checkpoint_every_, check_every_, probe_every_;
  bool has_probes_;
  std::int64_t verify_every_;
};

}  // namespace lapl
