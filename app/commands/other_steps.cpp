#include "app/commands/other_steps.hpp"

#include <algorithm>
#include <utility>

#include "kernels/error.hpp"
#include "solver/equation/equation.hpp"
#include "solver/linear_rates.hpp"
#include "solver/schedule.hpp"

namespace lapl {
namespace {

constexpr int usual_stages = 20;

// The run up to the same time, in other steps.
RunConfig in_steps(RunConfig config, TimeScheme scheme, double step) {
  const double end = time_of(config, config.steps);
  if (is_diffusion(config)) {
    config.equation.parameters.try_emplace("diffusivity", 1);
    config.equation.parameters.erase("coefficient");
  }
  config.engine = "auto";
  config.scheme = scheme;
  config.time_step = step;
  config.steps = first_step_at(end, step);
  config.verify_every.reset();
  return config;
}

template <class T>
void measure_one(OtherSteps& steps, const RunConfig& config, const BackendChoice& choice,
                 const CoefficientFields& coefficients, std::span<const T> state) try {
  steps.step = time_step_of(config);
  steps.steps = config.steps;
  const auto backend = run_backend<T>(
      Model(config), choice, coefficients, [](const std::string&) {}, only_rank());
  backend->set_state(state);
  backend->settle();
  steps.seconds = static_cast<double>(config.shape.cells()) * static_cast<double>(config.steps) /
                  measure_steps(*backend, config, 0.3).cells_per_second;
} catch (const DeviceError& error) {  // more memory than the run's own
  steps.why_not = error.what();
}

}  // namespace

template <class T>
MeasuredSteps measure_steps(Backend<T>& backend, const RunConfig& config, double enough) {
  const auto cells = static_cast<double>(config.shape.cells());
  const bool one_by_one = !is_spectral(config);
  std::int64_t taken = 0;
  double seconds = 0, rate = 0;
  for (std::int64_t more = one_by_one ? 1 : Schedule(config).next_after(0);
       seconds < enough && taken < config.steps; more *= one_by_one ? 2 : 1) {
    const std::int64_t steps = std::min(more, config.steps - taken);
    backend.advance(steps);
    taken += steps;
    const double before = std::exchange(seconds, backend.stepping_seconds());
    if (steps == more || rate == 0) rate = cells * static_cast<double>(steps) / (seconds - before);
  }
  return {rate, taken};
}
template MeasuredSteps measure_steps(Backend<float>&, const RunConfig&, double);
template MeasuredSteps measure_steps(Backend<double>&, const RunConfig&, double);

template <class T>
std::vector<OtherSteps> measure_other_steps(
    const RunConfig& config, const BackendChoice& choice, const CoefficientFields& coefficients,
    std::span<const T> state, const std::function<StableStep(TimeScheme)>& stable_steps) {
  const double longest = time_of(config, Schedule(config).next_output_after(0));
  std::vector<OtherSteps> all;
  for (TimeScheme scheme : {TimeScheme(Scheme::euler), TimeScheme(Scheme::rkl2, usual_stages)}) {
    OtherSteps& steps = all.emplace_back(OtherSteps{.name = name_of(scheme.kind)});
    const StableStep stable = stable_steps(scheme);
    const std::optional<double> step = automatic_step(stable);
    if (!step || stable.estimated) {
      steps.why_not = "the largest stable step is " + text_of(stable);
      continue;
    }
    RunConfig other = in_steps(config, scheme, std::min(*step, longest));
    if (scheme.kind == Scheme::rkl2) {
      if (*step > longest)
        other.scheme.stages = automatic_stages(other, stable_steps).value_or(usual_stages);
      steps.stages = other.scheme.stages;
    }
    measure_one(steps, other, choice, coefficients, state);
  }
  OtherSteps& spectral = all.emplace_back(OtherSteps{.name = std::string(spectral_engine.name)});
  spectral.why_not = why_not_spectral(config);
  if (spectral.why_not.empty()) {
    RunConfig other = config;
    other.engine = spectral.name;
    other.checkpoint_every = {.steps = steps_between_outputs(config), .seconds = std::nullopt};
    measure_one(spectral, other, choice, coefficients, state);
  }
  return all;
}
template std::vector<OtherSteps> measure_other_steps(const RunConfig&, const BackendChoice&,
                                                     const CoefficientFields&,
                                                     std::span<const float>,
                                                     const std::function<StableStep(TimeScheme)>&);
template std::vector<OtherSteps> measure_other_steps(const RunConfig&, const BackendChoice&,
                                                     const CoefficientFields&,
                                                     std::span<const double>,
                                                     const std::function<StableStep(TimeScheme)>&);

}  // namespace lapl
