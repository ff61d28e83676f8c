// Equations in formulas, as the table of equations has them.
#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"

namespace lapl::formula {

StepStages stages(const RunConfig& run) {
  return step_stages(system_of(run), run.scheme, *run.time_step);
}

std::vector<double> stage_parameters(const RunConfig&) { return {}; }

double time_step(const RunConfig& run) { return *run.time_step; }

std::optional<Stability> stability(const RunConfig&) { return std::nullopt; }

std::vector<KeyMistake> mistakes(const RunConfig&, const KeysGiven& keys) {
  if (keys.given("time.step")) return {};
  return {{.key = "time.step", .what = "missing (expected a number above 0)"}};
}

}  // namespace lapl::formula
