// Chooses the sizes of steps that vary: by the error of each step (time.tolerance) with a
// proportional-integral controller (Hairer and Wanner, Solving Ordinary Differential Equations II
// (1996), section IV.2), or by the longest stable step. Steps are shortened so that outputs by time
// and the end lie exactly there. rkl2 with a tolerance also chooses its number of stages, by the
// work that a step needs per second. The sizes depend on the state alone, so they are the same on
// every engine, on any number of ranks and after a restart.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "kernels/problem.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// An estimate of the largest stable step at a state.
struct StepEstimate {
  double longest = 0;         ///< the largest stable step in seconds; 0 where none is known
  double step = 0;            ///< the step to take: shorter, and rounded
  double growth = 0;          ///< StableStep::growth
  std::string why_none = {};  ///< why no step is known to be stable; empty where one is
};

/// The controller's state, which a checkpoint stores for a restart.
struct StepState {
  static constexpr double unlimited = std::numeric_limits<double>::infinity();
  StepTimes clock;              ///< the times of the planned steps
  double carry = 0;             ///< the rounding error of clock.start, in seconds
  double longest = 0;           ///< size of the next step, if no time shortens it
  double error = 1;             ///< of the last step, in units of the tolerance
  std::int64_t rejections = 0;  ///< number of steps rejected so far
  /// for rkl2 with a tolerance: the spectral radius of the rates' derivative in 1/s; below 0 before
  /// the first estimate
  double radius = -1;
  std::int64_t stages = 3;  ///< of rkl2's last planned step
  /// of steps that are estimated: the step numbers of the last and the next estimate, and the
  /// longest step in seconds that all estimates allow: [0] since the last step number that is a
  /// power of two, [1] from the power before to that one
  std::int64_t last_estimate = 0, next_estimate = 0;
  std::array<double, 2> allowed = {unlimited, unlimited};

  /// Ends the planned steps at `step`: clock.start becomes the time of that step.
  void end_planned(std::int64_t step);
  /// True if a run can have this state at `step`; one read from a file may be wrong.
  bool is_sound(std::int64_t step) const;
  /// The members as words of 64 bits.
  std::vector<std::uint64_t> words() const;
  /// The inverse of words(); none if there are no words.
  static std::optional<StepState> of_words(const std::vector<std::uint64_t>& words);
};
inline constexpr std::size_t step_state_words = 13;

/// The order in dt of the error of a step; pairs and etdrk4 estimate that of a lower solution.
double error_order(Scheme scheme);

class StepControl {
 public:
  /// `from`: the state of a restart at `step`; none at step 0.
  StepControl(const RunConfig& config, const std::optional<StepState>& from, std::int64_t step);

  bool measures_error() const { return config_.scheme.tolerance.has_value(); }
  const StepState& state() const { return state_; }
  double time(std::int64_t step) const { return state_.clock.time(step); }

  /// Uses an estimate for config.estimated_scheme(), made at `step`. With a tolerance, later steps
  /// choose their stages by it. Else the size of steps changes from `step` on, if it is too long or
  /// if all estimates of a long time allow a much longer one. Returns true if the size changes.
  bool use_estimate(const StepEstimate& found, std::int64_t step);

  /// Plans steps of one size from `step` on.
  StepTimes plan(std::int64_t step);
  /// The number of planned steps that are left; 0 if none is planned.
  std::int64_t left(std::int64_t step) const;
  /// Called when all planned steps are taken. The state then has exactly the time they aimed at.
  void arrive(std::int64_t step);

  /// Accepts the planned step if `error`, in units of the tolerance, is at most 1, and returns
  /// true; else chooses a shorter step.
  bool accepts(double error, std::int64_t step);
  /// The smallest step that may be taken, except to end at a time that must be met:
  /// limits.smallest_step, or ten times the spacing of doubles at the time.
  double smallest() const;
  /// The size of the next step, if no time shortens it.
  double longest() const;
  /// True if longest() is below smallest(), or rkl2 has no stable step.
  bool is_stuck() const;

  /// The number of steps of the last size to the next time that must be met; 0 where there is none.
  double steps_to_target() const;

  bool is_end(double time) const { return config_.end && time >= *config_.end; }

 private:
  std::optional<double> next_target() const;
  std::optional<double> next_meet() const;
  void leave_plan(std::int64_t step);
  double size_of_stages(double wanted);
  void use_rung(double size);
  std::int64_t steps_to_estimate(double growth) const;

  const RunConfig& config_;
  StepState state_;
  std::int64_t end_step_ = 0;  // the step at which the plan of equal steps ends
  std::optional<double> aim_;  // the time that must be met at end_step_, if any
};

}  // namespace lapl
