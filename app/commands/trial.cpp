#include "app/commands/trial.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/signals.hpp"
#include "kernels/error.hpp"
#include "kernels/for_floats.hpp"
#include "solver/clock.hpp"
#include "solver/equation/equation.hpp"
#include "solver/step_words.hpp"
#include "solver/times.hpp"

namespace lapl {
namespace {

// The size of steps has settled if the ratio of the bounds on their number is less than this.
constexpr double settled_ratio = 1.25;
// Wall-clock seconds: in longer runs, compiled code takes most of the steps.
constexpr double worth_compiled = 1;
// The reason with which a trial stops its run early.
constexpr const char* enough = "enough";

}  // namespace

// Records the points of a trial, and counts and times its estimates.
template <class T>
class Trial : public RunSink<T> {
 public:
  explicit Trial(double start) : began_(start) {}

  void store(const Storing&, const Captured<T>&) override {}
  void probed(std::int64_t, double, std::span<const T>) override {}
  void progress(const Progress& progress) override {
    if (progress.step > points_.back().step)  // else all steps since were rejected
      points_.push_back({stepping(), progress.step, progress.time - began_});
  }

  EstimateStep<T> counted(const EstimateStep<T>& estimate) {
    return [this, estimate](std::span<const T> state, const Ahead& ahead) {
      const auto start = Clock::now();
      const StepEstimate found = estimate(state, ahead);
      ++estimates_.count;
      estimates_.wall += seconds_since(start);
      estimates_.growth = found.growth;
      return found;
    };
  }

  // Adds the last step of a run that has ended between two reports, such as one in a steady state.
  void end_at(std::int64_t step) {
    if (step > points_.back().step) points_.push_back({stepping(), step, points_.back().time});
  }
  const TrialEstimates& estimates() const { return estimates_; }
  const std::vector<TrialPoint>& points() const { return points_; }
  // Two points besides the start are the fewest that show whether steps change.
  bool lasts(double seconds) const {
    return points_.size() > 2 &&
           (stepping() >= seconds || stepping() + estimates_.wall >= 3 * seconds);
  }
  void wait_for(Backend<T>& backend) {
    const auto start = Clock::now();
    backend.settle();
    waited_ += seconds_since(start);
  }

 private:
  double stepping() const { return seconds_since(start_) - estimates_.wall - waited_; }

  Clock::time_point start_ = Clock::now();
  double began_;  // the run's time.start
  std::vector<TrialPoint> points_ = {{}};
  TrialEstimates estimates_;
  double waited_ = 0;  // seconds of waiting for compiled code
};

namespace {

// Index of the last point in the first half of the wall-clock time up to the point `end`.
std::size_t half_time_point(const std::vector<TrialPoint>& points, std::size_t end) {
  std::size_t middle = end - 1;
  while (middle > 0 && points[middle].wall > 0.55 * points[end].wall) --middle;
  return middle;
}

struct StepSize {
  double size = 0, time = 0;  // the mean size between two points, and a time between them
};
// `time` is the logarithmic mean of the two times: if the size of steps grows in proportion to the
// time, they have their mean size there.
StepSize size_between(const TrialPoint& from, const TrialPoint& to) {
  const double passed = to.time - from.time;
  return {passed / static_cast<double>(to.step - from.step),
          from.time > 0 ? passed / std::log(to.time / from.time) : to.time / 2};
}

// The number of steps from the time `from` to the time `to`, if their size at time t is step.size
// (t / step.time)^power.
double steps_between(double from, double to, const StepSize& step, double power) {
  const double scale = std::pow(step.time, power) / step.size;
  if (std::abs(1 - power) < 1e-6) return scale * std::log(to / from);
  return scale * (std::pow(to, 1 - power) - std::pow(from, 1 - power)) / (1 - power);
}

// The longest mean size between neighbouring points.
double longest_mean_step(const std::vector<TrialPoint>& points) {
  double longest = 0;
  for (std::size_t i = 1; i < points.size(); ++i)
    longest = std::max(longest, size_between(points[i - 1], points[i]).size);
  return longest;
}

// The wall-clock seconds of estimates in `steps` steps of size `step`, from step number `from` on,
// as often as StepControl asks for them.
double seconds_of_estimates(const RunConfig& config, const TrialEstimates& estimates,
                            std::int64_t from, double steps, double step) {
  if (estimates.count == 0) return 0;
  const auto most = static_cast<double>(config.stability_checks().value_or(most_steps));
  const double apart = config.check_stability_every
                           ? most
                           : std::clamp(0.25 / (estimates.growth * step), most / 10, most);
  const double early = std::max(std::log2(most / static_cast<double>(from)), 0.0);
  return (early + steps / apart) * estimates.wall / static_cast<double>(estimates.count);
}

std::int64_t rounded_up(double steps) {
  return std::llround(std::min(std::ceil(steps * (1 - 1e-9)), static_cast<double>(most_steps)));
}

}  // namespace

Forecast make_forecast(const RunConfig& config, const std::vector<TrialPoint>& points,
                       const TrialEstimates& estimates, bool complete) {
  const TrialPoint& last = points.back();
  Forecast forecast{.taken = last.step, .reached = last.time, .complete = complete};
  forecast.steps = complete ? last.step : config.steps;
  forecast.seconds = last.wall;
  forecast.exact = complete || !config.ends_by_time();
  if (last.step == 0) return forecast;
  const std::size_t end = points.size() - 1, middle = half_time_point(points, end);
  const TrialPoint& half = points[middle];
  forecast.steps_a_second = static_cast<double>(last.step - half.step) / (last.wall - half.wall);
  forecast.estimating = estimates.wall;
  forecast.seconds += estimates.wall;
  if (complete) return forecast;
  const StepSize now = size_between(half, last);
  const auto whole_seconds = [&](double more) {
    return last.wall + more / forecast.steps_a_second + estimates.wall +
           seconds_of_estimates(config, estimates, last.step, more, now.size);
  };
  double more = static_cast<double>(config.steps - last.step);
  if (!forecast.exact) {
    // Two guesses: steps keep their size (`same`), or go on to change as between two parts of the
    // trial (`changing`). If they become shorter, the longest ones so far give a lower bound.
    const auto taken = static_cast<double>(last.step);
    const double whole = run_seconds(config), left = whole - last.time, same = left / now.size;
    double changing = same;
    if (middle > 0) {
      const StepSize before = size_between(points[half_time_point(points, middle)], half);
      const double power = std::log(now.size / before.size) / std::log(now.time / before.time);
      changing = steps_between(last.time, whole, now, std::clamp(power, -2.0, 1.0));
    }
    double longest = config.largest_step.value_or(whole);
    for (const TimeInterval& interval : time_intervals(config))
      longest = std::min(longest, interval.time);
    const double least =
        std::max(std::min(changing, left / longest_mean_step(points)), left / longest);
    const double most = std::max(changing, same);
    forecast.settled = (taken + most) / (taken + least) < settled_ratio;
    more = forecast.settled ? same : least;
    if (!forecast.settled && changing < same) {
      forecast.most_steps = rounded_up(taken + same);
      forecast.most_seconds = whole_seconds(same);
    }
    forecast.steps = rounded_up(taken + more);
  }
  forecast.estimating += seconds_of_estimates(config, estimates, last.step, more, now.size);
  forecast.seconds = whole_seconds(more);
  return forecast;
}

RunConfig config_of_trial(RunConfig config) {
  config.checkpoint_every = {.steps = most_steps, .seconds = std::nullopt};
  config.wall_time.reset();
  if (!config.ends_by_time() && !is_spectral(config)) {  // outputs do not change steps
    config.output_every = std::max<std::int64_t>(config.steps, 1);
    config.output_time.reset();
  }
  return config;
}

template <class T>
std::shared_ptr<Backend<T>> backend_at(const Model& model, const BackendChoice& choice,
                                       const CoefficientFields& coefficients,
                                       const std::vector<T>& state) {
  auto backend = run_backend<T>(first_model(model, {}), choice, coefficients);
  backend->set_state(state);
  return backend;
}
LAPL_FOR_FLOATS(backend_at);

template <class T>
Forecast try_steps(std::shared_ptr<Backend<T>>& backend, const Model& model,
                   const BackendChoice& choice, const CoefficientFields& coefficients,
                   const TrialSeconds& seconds) {
  VaryingSteps<T> steps;
  steps.with_other_stages = other_stages(backend, model, {}, choice, coefficients, only_rank());
  Trial<T> trial(model.run.start);
  if (model.run.scheme.varies) steps.estimate = step_estimator<T>(model, coefficients);
  if (steps.estimate && !model.run.scheme.tolerance) steps.estimate = trial.counted(steps.estimate);
  bool is_long = false;
  const auto stop = [&]() -> std::string {
    if (const std::string signal = stop_signal(); !signal.empty()) return signal;
    if (!trial.lasts(seconds.least + (is_long ? seconds.more : 0))) return {};
    if (is_long) return enough;
    is_long =
        seconds.more > 0 &&
        make_forecast(model.run, trial.points(), trial.estimates(), false).seconds > worth_compiled;
    if (!is_long) return enough;
    trial.wait_for(*backend);
    return {};
  };
  const RunResult result = run<T>(*backend, model, 0, trial, stop, steps);
  if (!result.complete && result.stopped_by != enough)
    throw NumericalError("stopped by {}", result.stopped_by);
  if (result.complete) trial.end_at(result.step);
  return make_forecast(model.run, trial.points(), trial.estimates(), result.complete);
}
LAPL_FOR_FLOATS(try_steps);

}  // namespace lapl
