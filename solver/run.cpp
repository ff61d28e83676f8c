#include "solver/run.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <future>
#include <limits>
#include <stdexcept>
#include <utility>

#include "kernels/error.hpp"
#include "kernels/fields/fill_value.hpp"
#include "kernels/for_floats.hpp"
#include "kernels/machine/background.hpp"
#include "kernels/ranks/rank_rows.hpp"
#include "solver/clock.hpp"
#include "solver/completion.hpp"
#include "solver/outputs.hpp"
#include "solver/refused_state.hpp"
#include "solver/refused_step.hpp"
#include "solver/run_speed.hpp"
#include "solver/schedule.hpp"
#include "solver/short_steps.hpp"
#include "solver/times.hpp"
#include "solver/verification.hpp"

namespace lapl {
namespace {

template <class T>
class Run {
 public:
  Run(Backend<T>& backend, const Model& model, std::int64_t first_step, RunSink<T>& sink,
      const VaryingSteps<T>& steps)
      : backend_(&backend),
        model_(model),
        config_(model.run),
        ranks_(backend.ranks()),
        schedule_(model.run),
        probed_(model.run),
        sink_(sink),
        step_(first_step),
        last_(config_.ends_by_time() ? most_steps : config_.steps),
        steps_(steps) {
    if (!config_.scheme.varies) return;
    control_.emplace(config_, steps.from, first_step);
    if (config_.chooses_stages())
      stages_ = std::min<std::int64_t>(control_->state().stages, *config_.scheme.stages);
    backend.set_clock(control_->state().clock);
    end_if_due();
  }

  RunResult to_the_end(const std::function<std::string()>& stop_reason,
                       const std::function<bool()>& checkpoint_was_asked) {
    RunResult result;
    const auto start = Clock::now();
    last_checkpoint_ = start;
    if (config_.verify_every) verification_.emplace(*backend_, step_);
    probe();
    // A run resumed from its steady state, or where limits.stop holds, ends there at once.
    result.stopped_by = reached();
    const bool at_rest = !result.stopped_by.empty();
    store(is_output() || at_rest, step_ == 0 || at_rest, false, at_rest);
    while (step_ < last_ && result.stopped_by.empty()) {
      run_stretch();
      result.stopped_by = reached();
      if (result.stopped_by.empty()) result.stopped_by = first_text(ranks_, stop_reason());
      if (result.stopped_by.empty() && step_ == config_.stops_at)
        result.stopped_by = stopped_by_plan;
      if (result.stopped_by.empty() && config_.wall_time &&
          of_first(ranks_, seconds_since(start)) >= *config_.wall_time)
        result.stopped_by = "limits.wall_time";
      const bool stopping = !result.stopped_by.empty() && step_ < last_;
      const bool output = is_output() || completes(result.stopped_by);
      const bool asked = ranks_.any(checkpoint_was_asked && checkpoint_was_asked());
      const bool checkpoint = stopping || asked || checkpoint_is_due();
      // Only verified states are stored.
      if (verification_ && (output || checkpoint || schedule_.is_verification(step_))) verify();
      probe();  // before the checkpoint of this step, which must not be ahead of probes.csv
      store(output, checkpoint, stopping, completes(result.stopped_by));
    }
    if (step_ == last_) result.stopped_by.clear();
    result.complete = result.stopped_by.empty() || completes(result.stopped_by);
    finish_storing();
    result.step = step_;
    result.stepping_seconds = earlier_stepping_seconds_ + backend_->stepping_seconds();
    result.estimating_seconds = estimating_seconds_;
    result.seconds = seconds_since(start);
    return result;
  }

 private:
  void run_stretch() {
    const auto start = Clock::now();
    if (is_stability_check()) check_stability();
    const std::int64_t before = step_, most = steps_at_once(step_);
    if (control_) {
      step_varying(most);
    } else {
      backend_->advance(most);
      step_ += most;
    }
    const std::int64_t steps = step_ - before;
    finish_finite_check();
    if (schedule_.is_finite_check(step_)) start_finite_check();
    if (storing_.valid() &&
        !ranks_.any(storing_.wait_for(std::chrono::seconds(0)) != std::future_status::ready))
      finish_storing();
    const double seconds = of_first(ranks_, seconds_since(start));
    stretch_.took(steps, seconds);
    report(steps, seconds);
  }

  void start_finite_check() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    search_ = backend_->reduce({0, fields()}, infinity);
    searched_step_ = step_;
  }

  void finish_finite_check() {
    const auto search = std::exchange(search_, nullptr);
    if (!search) return;
    if (const auto found = search().first) {
      finish_storing();  // of an earlier state, whose storing may throw first
      refuse_state(*found, config_, searched_step_);
    }
  }

  int fields() const { return static_cast<int>(config_.fields.size()); }

  bool is_stability_check() const {
    return schedule_.is_stability_check(step_) ||
           (control_ && config_.stability_checks() && control_->state().next_estimate == step_);
  }

  // Estimates the largest stable step. The result depends only on the state of this step, so a
  // resumed run finds the same.
  void check_stability() {
    checked_stability_ = step_;
    finish_storing();  // the backend allows one capture at a time
    const auto began = Clock::now();
    const std::vector<T> whole = whole_state(*backend_, std::ssize(config_.fields));
    const std::int64_t ahead = control_ ? schedule_.next_stability_check_after(step_) - step_ : 0;
    StepEstimate found = steps_.estimate ? steps_.estimate(whole, {time(), ahead}) : StepEstimate();
    for (double* const value : {&found.longest, &found.step, &found.growth})
      *value = of_first(ranks_, *value);
    estimating_seconds_ += seconds_since(began);
    const bool reports = steps_.report && ranks_.is_first();
    const std::string why_none = first_text(ranks_, found.why_none);
    if (!control_) {
      if (reports && (!why_none.empty() || found.longest < step_seconds(config_)))
        steps_.report(step_, step_seconds(config_));
      return;
    }
    if (!why_none.empty()) refuse_estimate(why_none);
    if (control_->use_estimate(found, step_) && reports)
      steps_.report(step_, control_->state().longest);
    if (!control_->measures_error() && control_->is_stuck())
      throw NumericalError(words_on_tiny_step(config_, step_, time(), found.longest));
  }

  // Ends the run because no stable step is known. The state is stored.
  [[noreturn]] void refuse_estimate(const std::string& why) {
    finish_finite_check();
    start_finite_check();
    finish_finite_check();  // throws a better message if the state is not finite
    end_here(words_on_unknown_step(config_, step_, time(), why));
  }

  // Changes the number of stages of the next steps: another backend goes on from the same state.
  void use_stages(std::int64_t stages) {
    if (std::exchange(stages_, stages) == stages) return;
    finish_storing();  // the backend allows one capture at a time
    finish_finite_check();
    const std::vector<T> state = copy_of_state(*backend_);
    earlier_stepping_seconds_ += backend_->stepping_seconds();
    backend_ = &steps_.with_other_stages(stages);
    earlier_stepping_seconds_ -= backend_->stepping_seconds();  // counted after its earlier use
    backend_->set_state(state, step_);
  }

  double time() const { return control_ ? control_->time(step_) : time_at_step(config_, step_); }

  double time_step() const {
    return control_ ? control_->state().clock.step : step_seconds(config_);
  }

  bool is_output() const { return is_due(schedule_.is_output(step_), config_.output_time); }
  bool is_probe() const {
    return config_.probes && is_due(schedule_.is_probe(step_), config_.probes->time);
  }
  bool is_due(bool scheduled, const std::optional<double>& interval) const {
    return scheduled || (control_ && is_multiple(config_, interval, time()));
  }

  void end_if_due() {
    if (!control_->is_end(time())) return;
    last_ = step_;
    schedule_.end_at(step_);
  }

  // Runs at most `most` steps of varying size, up to the next output or probe or the end.
  void step_varying(std::int64_t most) {
    if (config_.chooses_stages() && control_->state().radius < 0) check_stability();
    for (const std::int64_t until = step_ + most; step_ < until;) {
      if (control_->left(step_) == 0) {
        if (control_->measures_error() && control_->is_stuck()) refuse_size();
        const StepTimes clock = control_->plan(step_);
        if (config_.chooses_stages()) use_stages(control_->state().stages);
        backend_->set_clock(clock);
      }
      const std::int64_t steps = std::min(until - step_, control_->left(step_));
      backend_->advance(steps);
      if (control_->measures_error()) {
        const double error = largest_error(*backend_, fields());
        if (!control_->accepts(error, step_)) {
          if (control_->is_stuck()) refuse_step(error);
          backend_->undo_step();
          if (config_.chooses_stages() && checked_stability_ != step_) check_stability();
          continue;
        }
      }
      step_ += steps;
      const std::string short_steps = short_steps_.after(steps, *control_, config_.units.time);
      if (!short_steps.empty() && steps_.warn && ranks_.is_first()) steps_.warn(step_, short_steps);
      if (control_->left(step_) > 0) continue;
      if (!control_->measures_error()) control_->arrive(step_);
      backend_->set_clock(control_->state().clock);  // derived outputs read it
      end_if_due();
      if (is_output() || is_probe() || step_ == last_) return;
    }
  }

  // Ends the run: the last error asks for a step below the limit. One such step shows whether rates
  // are finite.
  [[noreturn]] void refuse_size() {
    backend_->set_clock(control_->plan(step_));
    backend_->advance(1);
    if (const double error = largest_error(*backend_, fields()); !std::isfinite(error))
      refuse_step(error);
    backend_->undo_step();
    end_here(words_on_refused_size(config_, *control_, step_));
  }

  // Ends the run: not even the smallest step is accurate.
  [[noreturn]] void refuse_step(double error) {
    end_here(words_on_refused_step(*backend_, config_, *control_, step_, error));
  }

  // Stores the state, from which a restart with other limits may go on.
  [[noreturn]] void end_here(const std::string& why) {
    store(false, true, true);
    finish_storing();
    throw NumericalError(why + sink_.last_state_words());
  }

  std::int64_t steps_at_once(std::int64_t from) const {
    std::int64_t to_next = schedule_.next_after(from) - from;
    if (control_ && control_->state().next_estimate > from)
      to_next = std::min(to_next, control_->state().next_estimate - from);
    if (config_.stops_at > from) to_next = std::min(to_next, *config_.stops_at - from);
    return is_spectral(config_) ? to_next : std::min(stretch_.steps(), to_next);
  }

  void report(std::int64_t steps, double seconds) {
    since_storing_.add(steps, seconds);
    since_report_.add(steps, seconds);
    if (since_report_.seconds < 0.1 && step_ < last_) return;
    const double rate = since_report_.rate(config_.shape);
    std::int64_t last = last_;
    if (control_ && config_.end)  // a guess: steps keep their size
      last = step_ + static_cast<std::int64_t>(
                         std::min(std::ceil((*config_.end - time()) / control_->state().longest),
                                  static_cast<double>(most_steps - step_)));
    const double cells_left =
        static_cast<double>(last - step_) * static_cast<double>(config_.shape.cells());
    sink_.progress({.step = step_,
                    .last_step = last,
                    .time = time(),
                    .cells_per_second = rate,
                    .seconds_left = cells_left / rate});
    since_report_ = {};
  }

  void verify() {
    finish_storing();  // the backend allows one capture at a time
    const auto start = Clock::now();
    verification_->verify(step_, [&](std::int64_t from) { return steps_at_once(from); });
    const double seconds = seconds_since(start);
    since_storing_.add(0, seconds);
    since_report_.add(0, seconds);
  }

  void probe() {
    if (!is_probe()) return;
    sink_.probed(step_, time(), probed_.values(backend_->values_at(probed_.indices())));
  }

  // The reason why the run is complete at this step; empty: it is not.
  std::string reached() {
    return is_steady() ? stopped_by_steady : meets_stop() ? stopped_by_condition : "";
  }

  bool meets_stop() {
    if (!schedule_.is_stop_check(step_) || step_ == last_) return false;
    finish_storing();  // the backend allows one capture at a time
    return backend_->any_of_derived(config_.integrals.size());
  }

  bool is_steady() {
    if (!schedule_.is_steady_check(step_) || step_ == last_) return false;
    finish_storing();  // the backend allows one capture at a time
    const auto start = Clock::now();
    const double largest = change_of_next_step(*backend_, step_, before_);
    since_report_.add(0, seconds_since(start));
    return largest / time_step() < *config_.steady;
  }

  bool checkpoint_is_due() const {
    const auto& seconds = config_.checkpoint_every.seconds;
    return schedule_.is_checkpoint(step_) ||
           (seconds && of_first(ranks_, seconds_since(last_checkpoint_)) >= *seconds);
  }

  // Copies the state and stores it in the background. One store is in flight at a time, so memory
  // is bounded: slow storing makes steps wait. The output at which the run `ends` has all fields.
  void store(bool output, bool checkpoint, bool stopping = false, bool ends = false) {
    if (!output && !checkpoint) return;
    const bool by_the_clock = !output && !stopping && !schedule_.is_checkpoint(step_);
    finish_storing();
    // With a mask, diagnostics need the derived outputs.
    const Capture<T> capture = backend_->capture(output || config_.mask);
    if (checkpoint) last_checkpoint_ = Clock::now();
    Storing what{step_, output, checkpoint, since_storing_.rate(config_.shape), time()};
    if (!control_ || !control_->measures_error() || step_ > 0) what.time_step = time_step();
    if (control_) what.steps = control_->state();
    what.solves = backend_->last_solves();
    what.datasets = due_datasets(model_, step_, time(), ends || step_ == last_ || !is_output());
    if (what.steps && !what.steps->is_sound(step_))
      throw std::logic_error("a restart would refuse the state of the steps");
    since_storing_ = {};
    const auto verified = verification_ ? std::optional(verification_->digest()) : std::nullopt;
    storing_ = in_background([this, capture, what, verified, by_the_clock] {
      omp_set_num_threads(1);  // under a limit on processes, starting threads could fail
      const Captured<T> captured = capture.wait();
      require_verified(verified, captured.digest, what.step);
      // A checkpoint by the clock must not decide at which step a value is found not finite; the
      // schedule does.
      if (by_the_clock && captured.first_not_finite) return;
      require_finite(captured, model_, what.step);
      for (const std::span<T> values : captured.derived)
        if (config_.mask) blank_outside(values);
      sink_.store(what, captured);
    });
  }

  void finish_storing() {
    if (storing_.valid()) storing_.get();
  }

  Backend<T>* backend_;
  const Model& model_;
  const RunConfig& config_;
  Ranks& ranks_;
  Schedule schedule_;
  ProbedCells probed_;
  RunSink<T>& sink_;
  std::int64_t step_;
  std::int64_t last_;  // the last step, where that is known
  std::optional<StepControl> control_;
  const VaryingSteps<T>& steps_;
  ShortSteps short_steps_;
  std::int64_t stages_ = 0;              // of the backend's steps, with rkl2 and a tolerance
  double earlier_stepping_seconds_ = 0;  // of earlier backends
  double estimating_seconds_ = 0;
  std::optional<std::int64_t> checked_stability_;
  Stretch stretch_;
  Speed since_report_, since_storing_;
  std::function<Reduced<T>()> search_;  // for values that are not finite at searched_step_
  std::int64_t searched_step_ = 0;
  std::vector<T> before_;  // memory for is_steady
  std::optional<Verification<T>> verification_;
  Clock::time_point last_checkpoint_;
  std::future<void> storing_;  // last member: its destructor waits while the others still live
};

}  // namespace

template <class T>
RunResult run(Backend<T>& backend, const Model& model, std::int64_t first_step, RunSink<T>& sink,
              const std::function<std::string()>& stop_reason, const VaryingSteps<T>& steps,
              const std::function<bool()>& checkpoint_was_asked) {
  return Run<T>(backend, model, first_step, sink, steps)
      .to_the_end(stop_reason, checkpoint_was_asked);
}
LAPL_FOR_FLOATS(run);

}  // namespace lapl
