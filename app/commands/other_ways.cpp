// measure_ways (plan.hpp): tries other schemes and engine spectral for lapl plan --schemes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>
#include <utility>

#include "app/commands/plan.hpp"
#include "app/signals.hpp"
#include "kernels/error.hpp"
#include "kernels/for_floats.hpp"
#include "solver/clock.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/equation/reactions.hpp"
#include "solver/exponential_problem.hpp"
#include "solver/schedule.hpp"
#include "solver/spectral_problem.hpp"
#include "solver/step_words.hpp"
#include "solver/times.hpp"

namespace lapl {
namespace {

constexpr int usual_stages = 20;
constexpr double usual_tolerance = 1e-4, reference_tolerance = 1e-9;
// A relative error. A way with a larger error is not offered.
constexpr double largest_error = 0.1;
// Wall-clock seconds of the trial of one way, a scheme or engine (TrialSeconds).
constexpr TrialSeconds seconds_of_way = {.least = 0.1, .more = 0.2};
// Wall-clock seconds. Errors are compared at a simulated time that the run's own steps reach in
// enough_seconds to most_seconds, if possible. Steps that have not reached it after `patience`
// stop, and their error stays unknown.
constexpr double enough_seconds = 0.05, most_seconds = 0.25, patience = 1;
// Wall-clock seconds. Shorter runs mostly end before their code is compiled.
constexpr double worth_compiled = 1;

// Keeps the state that a run stores last, and its time since the start.
template <class T>
class LastState : public RunSink<T> {
 public:
  explicit LastState(double start) : start_(start) {}

  void store(const Storing& storing, const Captured<T>& captured) override {
    state.assign(captured.state.begin(), captured.state.end());
    seconds = storing.time - start_;
  }
  void probed(std::int64_t, double, std::span<const T>) override {}
  void progress(const Progress&) override {}

  std::vector<T> state;
  double seconds = 0;

 private:
  double start_;
};

// Sets equal steps of at most `longest` seconds up to config.end, without outputs on the way.
void set_steps(RunConfig& config, double longest) {
  config.steps = std::max<std::int64_t>(
      std::llround(std::ceil(run_seconds(config) / longest * (1 - 1e-9))), 1);
  config.output_every = config.steps;
  config.output_time.reset();
  config.time_step = run_seconds(config) / static_cast<double>(config.steps);
}

// Steps from `state` to config.end, at most for `patience`, and returns the last state. `settles`:
// waits for compiled code first. Throws as run() does.
template <class T>
LastState<T> last_state(const RunConfig& config, const BackendChoice& choice,
                        const CoefficientFields& coefficients, const std::vector<T>& state,
                        bool settles) {
  const Model model(config);
  VaryingSteps<T> steps;
  auto backend = backend_at(model, choice, coefficients, state);
  if (settles) backend->settle();
  steps.with_other_stages = other_stages(backend, model, {}, choice, coefficients, only_rank());
  if (config.scheme.varies) steps.estimate = step_estimator<T>(model, coefficients);
  LastState<T> last(config.start);
  const auto start = Clock::now();
  const auto stop = [&] {
    const std::string signal = stop_signal();
    return signal.empty() && seconds_since(start) > patience ? "patience" : signal;
  };
  run(*backend, model, 0, last, stop, steps);
  if (!stop_signal().empty()) throw NumericalError("stopped by {}", stop_signal());
  return last;
}

// The largest difference of any field from the reference `exact`, relative to the largest absolute
// value of that field.
template <class T>
double relative_error(const std::vector<T>& state, const std::vector<double>& exact,
                      std::int64_t cells) {
  double error = 0;
  for (auto first = 0 * cells; first < std::ssize(exact); first += cells) {
    double largest = 0, difference = 0;
    for (std::int64_t i = first; i < first + cells; ++i) {
      largest = std::max(largest, std::abs(exact[i]));
      difference = std::max(difference, std::abs(static_cast<double>(state[i]) - exact[i]));
    }
    if (difference > 0) error = std::max(error, difference / largest);
  }
  return error;
}

template <class T>
class WaysOf {
 public:
  WaysOf(const RunConfig& config, const BackendChoice& choice,
         const CoefficientFields& coefficients, const StableSteps& stable_steps,
         const std::vector<T>& state, const Forecast& own)
      : config_(config),
        choice_(choice),
        coefficients_(coefficients),
        stable_steps_(stable_steps),
        state_(state),
        own_(own),
        end_(config.end ? run_seconds(config) : time_at_step(config, config.steps) - config.start) {
  }

  Ways measured_ways() {
    Ways ways;
    settles_ = own_.seconds > worth_compiled;
    set_trial();
    const bool noisy = has_noise(system_);
    if (noisy)
      ways.why_no_errors = "with noise each way takes another path";
    else
      make_reference(ways.why_no_errors);
    ways.trial = trial_;
    ways.own = own();
    for (const SchemeRow& row : name_table<Scheme>) {
      if (noisy && row.value != Scheme::euler && row.value != Scheme::heun) continue;
      if (row.value == Scheme::leapfrog && config_.fields.size() == 1) continue;
      if (row.value == Scheme::imex && !SplitSystem(system_).why_not().empty()) continue;
      if (row.is_implicit() && !why_not_implicit(system_).empty()) continue;
      if (row.has_stable_limit()) ways.others.push_back(in_steps_of_one_size(row.value));
      if (row.estimates_error()) ways.others.push_back(by_error(row.value));
    }
    ways.others.push_back(spectral());
    return ways;
  }

 private:
  TimeScheme with_stages(Scheme scheme) const { return {scheme, usual_stages}; }

  double scheme_step(Scheme scheme) const {
    return std::min(automatic_step(stable_steps_(with_stages(scheme))).value_or(0), next_output());
  }
  bool arrived(double time) const { return time >= trial_ * (1 - 1e-9); }
  double next_output() const {
    return config_.output_time.value_or(static_cast<double>(steps_between_outputs(config_)) *
                                        step_seconds(config_));
  }

  // Sets the simulated time at which errors are compared: the end of the run, or an earlier time
  // that the run's own steps reach soon, after at least two steps of each scheme if possible.
  void set_trial() {
    double longest = step_seconds(config_);
    for (const SchemeRow& row : name_table<Scheme>)
      longest = std::max(longest, scheme_step(row.value));
    const double pace = own_.most_seconds.value_or(own_.seconds) / end_;
    double trial = 2 * longest;
    if (!is_spectral(config_))
      trial = std::min(std::clamp(trial, enough_seconds / pace, most_seconds / pace),
                       std::max(own_.reached, step_seconds(config_)));
    trial_ = std::min(end_, trial);
  }

  // The config of a run up to `end` with this engine and scheme, without derived outputs. Steps
  // vary by their error with `tolerance`; without it, the caller sets them (set_steps).
  RunConfig stretch(double end, std::string_view engine, const TimeScheme& scheme,
                    std::optional<Tolerance> tolerance = {}) const {
    RunConfig config = config_of_trial(config_);
    if (is_diffusion(config)) {
      config.equation.diffusivity = config.equation.diffusivity.value_or(1);
      config.equation.coefficient.reset();
    }
    config.engine = engine;
    config.scheme = scheme;
    if (tolerance) {
      config.scheme.varies = true;
      config.scheme.tolerance = tolerance;
      config.time_step = std::min(step_seconds(config_), end);
    }
    config.end = config.start + end;
    config.output_time = std::min(next_output(), end);
    config.output_fields = {config.fields.front()};
    config.derived.clear();
    config.integrals.clear();
    config.filters.clear();
    config.probes.reset();
    config.steady.reset();
    config.stop.reset();
    return config;
  }

  void make_reference(std::string& why_not) try {
    const auto solution = [&] {
      RunConfig config = stretch(trial_, "auto", Scheme::dopri5,
                                 Tolerance{reference_tolerance, reference_tolerance});
      config.precision = Precision::float64;
      return last_state(config, choice_, coefficients_,
                        std::vector<double>(state_.begin(), state_.end()), settles_);
    };
    LastState<double> last = solution();
    if (!arrived(last.seconds)) {  // tries again, half as far as it came
      trial_ = last.seconds / 2;
      last = solution();
    }
    if (!arrived(last.seconds)) {
      why_not = "a solution to compare with takes too long";
      return;
    }
    reference_ = std::move(last.state);
  } catch (const NumericalError& error) {
    why_not = error.what();
  } catch (const DeviceError& error) {
    why_not = error.what();
  }

  // Sets the forecast of a way, if it has none, and its error. `config(end)` is the config of its
  // run up to the time `end`.
  void measure(Way& way, const std::function<RunConfig(double end)>& config) const try {
    if (way.forecast.steps == 0) {
      const Model model(config(end_));
      auto backend = backend_at(model, choice_, coefficients_, state_);
      way.forecast = try_steps<T>(backend, model, choice_, coefficients_, seconds_of_way);
    }
    way.step = end_ / static_cast<double>(way.forecast.steps);
    if (!reference_) return;
    const RunConfig compared = config(trial_);
    if (!compared.scheme.varies && step_seconds(compared) < 0.9 * way.step) return;
    const LastState<T> last = last_state(compared, choice_, coefficients_, state_, settles_);
    if (!arrived(last.seconds)) return;
    way.error = relative_error(last.state, *reference_, config_.shape.cells());
    if (!(*way.error <= largest_error))
      way.why_not = fmt::format("its error is {:.1g} of the largest value", *way.error);
  } catch (const NumericalError& error) {
    const std::string what = error.what();
    way.why_not = what.substr(0, what.find(';'));
  } catch (const DeviceError& error) {  // takes more memory than the run's own
    way.why_not = error.what();
  }

  Way own() const {
    const TimeScheme& scheme = config_.scheme;
    Way way{.name = is_spectral(config_) ? config_.engine : enum_name(scheme.kind),
            .forecast = own_};
    if (scheme.kind == Scheme::rkl2 && !config_.chooses_stages()) way.stages = *scheme.stages;
    if (scheme.tolerance) way.tolerance = scheme.tolerance->relative;
    measure(way, [&](double end) {
      RunConfig config = stretch(end, config_.engine, scheme);
      if (!scheme.varies) set_steps(config, step_seconds(config_));
      return config;
    });
    return way;
  }

  Way in_steps_of_one_size(Scheme kind) const {
    Way way{.name = enum_name(kind)};
    TimeScheme scheme = with_stages(kind);
    const StableStep stable = stable_steps_(scheme);
    const std::optional<double> step = automatic_step(stable);
    if (!step) {
      way.why_not = "the largest stable step is " + stable_step_text(config_, stable);
      return way;
    }
    const double longest = std::min(next_output(), end_);
    if (kind == Scheme::rkl2) {
      if (*step > longest) {
        RunConfig config = stretch(end_, "auto", scheme);
        set_steps(config, longest);
        scheme.stages = automatic_stages(config, stable_steps_).value_or(usual_stages);
      }
      way.stages = *scheme.stages;
    }
    measure(way, [&](double end) {
      RunConfig config = stretch(end, "auto", scheme);
      set_steps(config, std::min({*step, longest, end}));
      config.scheme.varies = stable.estimated;
      return config;
    });
    return way;
  }

  // The way of a scheme with a tolerance: the run's, or usual_tolerance.
  Way by_error(Scheme kind) const {
    const Tolerance tolerance =
        config_.scheme.tolerance.value_or(Tolerance{usual_tolerance, usual_tolerance});
    Way way{.name = enum_name(kind), .tolerance = tolerance.relative};
    const auto config = [&](double end) {
      return stretch(end, "auto", {kind, most_stages}, tolerance);
    };
    if (table_row(kind).is_exponential()) way.why_not = why_not_exponential(config(end_), system_);
    if (way.why_not.empty()) measure(way, config);
    return way;
  }

  Way spectral() const {
    Way way{.name = std::string(spectral_engine.name),
            .why_not = why_not_spectral(config_, system_)};
    if (!way.why_not.empty()) return way;
    measure(way, [&](double end) {
      RunConfig config = stretch(end, spectral_engine.name, config_.scheme);
      set_steps(config, step_seconds(config_));
      // Engine spectral takes all steps up to an output in the time of one.
      config.output_every = std::min(config.steps, steps_between_outputs(config_));
      return config;
    });
    return way;
  }

  const RunConfig& config_;
  const FormulaSystem system_ = make_system(config_);
  const BackendChoice& choice_;
  const CoefficientFields& coefficients_;
  const StableSteps& stable_steps_;
  const std::vector<T>& state_;
  const Forecast& own_;
  const double end_;
  double trial_ = 0;
  bool settles_ = false;                          // steps wait for compiled code
  std::optional<std::vector<double>> reference_;  // the solution at trial_
};

}  // namespace

template <class T>
Ways measure_ways(const RunConfig& config, const BackendChoice& choice,
                  const CoefficientFields& coefficients, const StableSteps& stable_steps,
                  const std::vector<T>& state, const Forecast& own) {
  return WaysOf<T>(config, choice, coefficients, stable_steps, state, own).measured_ways();
}
LAPL_FOR_FLOATS(measure_ways);

}  // namespace lapl
