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

/// An estimate at a state.
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
  std::int64_t stages = 3;  ///< of the last planned step
  /// where stable steps are estimated: the step numbers of the last and the next estimate, and the
  /// longest steps that all estimates since the last power of two allow, and since the power before
  std::int64_t last_estimate = 0, next_estimate = 0;
  std::array<double, 2> allowed = {unlimited, unlimited};

  /// Lets planned steps end at `step`, so that others can follow.
  void end_planned(std::int64_t step);
  /// True if a run can have this state at `step`; a file may contain anything.
  bool is_sound(std::int64_t step) const;
  /// The members as words of 64 bits.
  std::vector<std::uint64_t> words() const;
  /// The inverse of words(); none if there are no words.
  static std::optional<StepState> of_words(const std::vector<std::uint64_t>& words);
};
inline constexpr std::size_t step_state_words = 13;

/// The order of a step's error in dt: pairs, and etdrk4, estimate that of a lower solution.
double error_order(Scheme scheme);

class StepControl {
 public:
  /// `from`: the state of a restart at `step`; none at step 0.
  StepControl(const RunConfig& config, const std::optional<StepState>& from, std::int64_t step);

  bool measures_error() const { return config_.scheme.tolerance.has_value(); }
  const StepState& state() const { return state_; }
  double time(std::int64_t step) const { return state_.clock.time(step); }

  /// Uses an estimate of config.estimated_scheme(). With a tolerance, it determines the number of
  /// stages. Otherwise the size changes from `step` on if it is too long, or if all estimates over
  /// a long window allow a much longer one. Returns true if the size changes.
  bool use_estimate(const StepEstimate& found, std::int64_t step);

  /// Plans steps of one size from `step` on.
  StepTimes plan(std::int64_t step);
  /// The number of planned steps that are left; 0 if none is planned.
  std::int64_t left(std::int64_t step) const;
  /// Called when all planned steps are taken. The state then has exactly the time they aimed at.
  void arrive(std::int64_t step);

  /// Accepts the planned step with this error and returns true, or chooses a shorter step.
  bool accepts(double error, std::int64_t step);
  /// The smallest step that may be taken, but for those that meet a time: limits.smallest_step, or
  /// ten times the spacing of doubles at the time.
  double smallest() const;
  /// The size of the next step, if no time shortens it.
  double longest() const;
  /// True if that is shorter than the smallest, or rkl2 has no stable one.
  bool is_stuck() const;

  /// The number of steps of the last size to the next time that must be met; 0 where there is none.
  double steps_to_target() const;

  /// True if an output, or the end, lies at this time.
  bool is_output(double time) const;
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
  std::optional<double> aim_;  // the time at end_step_, if that is given
};

}  // namespace lapl
