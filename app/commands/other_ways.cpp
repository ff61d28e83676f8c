#include "app/commands/other_ways.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "app/commands/step_notes.hpp"
#include "app/signals.hpp"
#include "kernels/error.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/equation/reactions.hpp"
#include "solver/exponential_problem.hpp"
#include "solver/schedule.hpp"
#include "solver/spectral_problem.hpp"
#include "solver/times.hpp"

namespace lapl {
namespace {

constexpr int usual_stages = 20;
constexpr double usual_tolerance = 1e-4, reference_tolerance = 1e-9;
// A way with a larger error at the end is not offered.
constexpr double largest_error = 0.1;
// Wall-clock seconds that the run's own steps may take in a trial.
constexpr double enough_seconds = 0.05, most_seconds = 0.25;
// Shorter runs mostly go by before their code is compiled.
constexpr double worth_compiled = 1;

// A trial of a run: its states at half of its time and at its end, its steps and what they took.
template <class T>
class Trial : public RunSink<T> {
 public:
  void store(const Storing& storing, const Captured<T>& captured) override {
    half = std::exchange(end, {captured.state.begin(), captured.state.end()});
    steps = storing.step;
  }
  void probed(std::int64_t, double, std::span<const T>) override {}
  void progress(const Progress&) override {}

  std::vector<T> half, end;
  std::int64_t steps = 0;
  double seconds = 0;
};

// Equal steps to the end of the config, no longer than `longest`, with an output at half of it.
void set_steps(RunConfig& config, double longest) {
  const double half = std::ceil(*config.end / 2 / longest * (1 - 1e-9));
  config.output_every = std::max<std::int64_t>(std::llround(half), 1);
  config.steps = 2 * config.output_every;
  config.output_time.reset();
  config.time_step = *config.end / static_cast<double>(config.steps);
}

// Steps from `state` to the end of the config; `settles`: waits for compiled code before. Throws as
// run does.
template <class T>
Trial<T> try_out(const RunConfig& config, const BackendChoice& choice,
                 const CoefficientFields& coefficients, const std::vector<T>& state, bool settles) {
  const Model model(config);
  VaryingSteps<T> steps;
  auto backend = run_backend<T>(first_model(model, {}), choice, coefficients);
  steps.with_other_stages = other_stages(backend, model, {}, choice, only_rank());
  if (config.scheme.varies) steps.estimate = estimate_of<T>(config);
  backend->set_state(state);
  if (settles) backend->settle();
  Trial<T> trial;
  const RunResult result = run(*backend, model, 0, trial, stop_signal, steps);
  if (!result.complete) throw NumericalError("stopped by {}", result.stopped_by);
  trial.seconds = result.stepping_seconds;
  return trial;
}

// The largest difference of a field from the reference, relative to its largest value.
template <class T>
double error_of(const std::vector<T>& state, const std::vector<double>& exact, std::int64_t cells) {
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
         const std::vector<T>& state)
      : config_(config),
        choice_(choice),
        coefficients_(coefficients),
        stable_steps_(stable_steps),
        state_(state),
        end_(config.end.value_or(time_of(config, config.steps))) {}

  Ways take(double cells_per_second) {
    Ways ways;
    const double own_step = time_step_of(config_);
    // Seconds of wall-clock time for one second of simulated time.
    const double pace = static_cast<double>(config_.shape.cells()) / cells_per_second / own_step;
    settles_ = pace * end_ > worth_compiled;
    double longest = own_step;
    for (const SchemeRow& row : name_table<Scheme>) longest = std::max(longest, step_of(row.value));
    double trial = 2 * longest;
    if (!is_spectral(config_))
      trial = std::clamp(trial, enough_seconds / pace, most_seconds / pace);
    ways.trial = trial_ = std::min(end_, std::max(own_step, trial));
    const bool noisy = has_noise(config_);
    if (noisy)
      ways.why_no_errors = "with noise each way takes another path";
    else
      make_reference(ways.why_no_errors);
    ways.own = own();
    for (const SchemeRow& row : name_table<Scheme>) {
      if (noisy && row.value != Scheme::euler && row.value != Scheme::heun) continue;
      if (row.value == Scheme::leapfrog && config_.fields.size() == 1) continue;
      if (row.value == Scheme::imex && !SplitSystem(system_of(config_)).why_not().empty()) continue;
      if (!row.is_exponential()) ways.others.push_back(in_steps_of_one_size(row.value));
      if (row.estimates_error()) ways.others.push_back(by_error(row.value));
    }
    ways.others.push_back(spectral());
    return ways;
  }

 private:
  TimeScheme with_stages(Scheme scheme) const { return {scheme, usual_stages}; }

  double step_of(Scheme scheme) const {
    return std::min(automatic_step(stable_steps_(with_stages(scheme))).value_or(0), next_output());
  }
  double next_output() const {
    return config_.output_time.value_or(static_cast<double>(steps_between_outputs(config_)) *
                                        time_step_of(config_));
  }

  // The run up to the end of the trial, with outputs at half of it and at the end; in steps by
  // error to `tolerance`, or else still to be set.
  RunConfig stretch(std::string_view engine, const TimeScheme& scheme,
                    std::optional<Tolerance> tolerance = {}) const {
    RunConfig config = config_;
    if (is_diffusion(config)) {
      config.equation.parameters.try_emplace("diffusivity", 1);
      config.equation.parameters.erase("coefficient");
    }
    config.engine = engine;
    config.scheme = scheme;
    if (tolerance) {
      config.scheme.varies = true;
      config.scheme.tolerance = tolerance;
      config.time_step = std::min(time_step_of(config_), trial_);
    }
    config.end = trial_;
    config.output_time = trial_ / 2;
    config.output_fields = {config.fields.front()};
    config.derived.clear();
    config.integrals.clear();
    config.filters.clear();
    config.probes.reset();
    config.checkpoint_every = {.steps = most_steps, .seconds = std::nullopt};
    config.verify_every.reset();
    config.steady.reset();
    config.wall_time.reset();
    return config;
  }

  void make_reference(std::string& why_not) {
    RunConfig config =
        stretch("auto", Scheme::dopri5, Tolerance{reference_tolerance, reference_tolerance});
    config.precision = Precision::float64;
    try {
      reference_ = try_out(config, choice_, coefficients_,
                           std::vector<double>(state_.begin(), state_.end()), settles_);
    } catch (const NumericalError& error) {
      why_not = error.what();
    } catch (const DeviceError& error) {
      why_not = error.what();
    }
  }

  void measure(Way& way, const RunConfig& config) const try {
    const Trial<T> trial = try_out(config, choice_, coefficients_, state_, settles_);
    const auto taken = static_cast<double>(trial.steps);
    if (way.step == 0) way.step = trial_ / taken;
    const double steps = std::ceil(end_ / way.step * (1 - 1e-9));
    way.steps = std::llround(steps);
    way.seconds = trial.seconds * steps / taken;
    if (!reference_) return;
    const std::int64_t cells = config_.shape.cells();
    const double half = error_of(trial.half, reference_->half, cells);
    const double end = error_of(trial.end, reference_->end, cells);
    way.error = end + std::max(end - half, 0.0) * 2 * (end_ / trial_ - 1);
    if (!(*way.error <= largest_error))
      way.why_not =
          fmt::format("its error at the end would be {:.1g} of the largest value", *way.error);
  } catch (const NumericalError& error) {
    const std::string what = error.what();
    way.why_not = what.substr(0, what.find(';'));
  } catch (const DeviceError& error) {  // more memory than the run's own
    way.why_not = error.what();
  }

  Way own() const {
    const TimeScheme& scheme = config_.scheme;
    Way way{.name = is_spectral(config_) ? config_.engine : name_of(scheme.kind)};
    if (scheme.kind == Scheme::rkl2 && !config_.chooses_stages()) way.stages = scheme.stages;
    if (scheme.tolerance) way.tolerance = scheme.tolerance->relative;
    RunConfig config = stretch(config_.engine, scheme);
    if (!scheme.varies) set_steps(config, way.step = time_step_of(config_));
    measure(way, config);
    return way;
  }

  Way in_steps_of_one_size(Scheme kind) const {
    Way way{.name = name_of(kind)};
    RunConfig config = stretch("auto", with_stages(kind));
    const StableStep stable = stable_steps_(config.scheme);
    const std::optional<double> step = automatic_step(stable);
    if (!step) {
      way.why_not = "the largest stable step is " + text_of(stable);
      return way;
    }
    const double longest = std::min(next_output(), trial_ / 2);
    set_steps(config, std::min(*step, longest));
    if (!stable.estimated) way.step = std::min(*step, longest);
    if (kind == Scheme::rkl2) {
      if (*step > longest)
        config.scheme.stages = automatic_stages(config, stable_steps_).value_or(usual_stages);
      way.stages = config.scheme.stages;
    }
    config.scheme.varies = stable.estimated;
    measure(way, config);
    return way;
  }

  Way by_error(Scheme kind) const {
    const Tolerance tolerance =
        config_.scheme.tolerance.value_or(Tolerance{usual_tolerance, usual_tolerance});
    Way way{.name = name_of(kind), .tolerance = tolerance.relative};
    const RunConfig config = stretch("auto", {kind, most_stages}, tolerance);
    if (row_of(kind).is_exponential()) way.why_not = why_not_exponential(config);
    if (way.why_not.empty()) measure(way, config);
    return way;
  }

  Way spectral() const {
    Way way{.name = std::string(spectral_engine.name), .why_not = why_not_spectral(config_)};
    if (!way.why_not.empty()) return way;
    RunConfig config = stretch(spectral_engine.name, config_.scheme);
    set_steps(config, way.step = time_step_of(config_));
    measure(way, config);
    // All steps up to an output take as long as one.
    way.seconds *= trial_ / end_ * std::ceil(end_ / next_output() * (1 - 1e-9));
    return way;
  }

  const RunConfig& config_;
  const BackendChoice& choice_;
  const CoefficientFields& coefficients_;
  const StableSteps& stable_steps_;
  const std::vector<T>& state_;
  const double end_;
  double trial_ = 0;
  bool settles_ = false;  // waits for compiled code
  std::optional<Trial<double>> reference_;
};

}  // namespace

template <class T>
Ways ways_of(const RunConfig& config, const BackendChoice& choice,
             const CoefficientFields& coefficients, const StableSteps& stable_steps,
             const std::vector<T>& state, double cells_per_second) {
  return WaysOf<T>(config, choice, coefficients, stable_steps, state).take(cells_per_second);
}
template Ways ways_of(const RunConfig&, const BackendChoice&, const CoefficientFields&,
                      const StableSteps&, const std::vector<float>&, double);
template Ways ways_of(const RunConfig&, const BackendChoice&, const CoefficientFields&,
                      const StableSteps&, const std::vector<double>&, double);

}  // namespace lapl
