// Equations in formulas, as the table of equations has them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/equation/stability.hpp"

namespace lapl::formula {

StepStages stages(const RunConfig& run) {
  return step_stages(system_of(run), run.scheme, *run.time_step);
}

double time_step(const RunConfig& run) { return *run.time_step; }

std::optional<double> largest_step(const RunConfig& run) {
  auto waves = WaveStability::of(system_of(run), run);
  return waves ? std::optional(waves->largest_step(run.scheme)) : std::nullopt;
}

// Refused is a step with which a wave grows that it does not resolve, or any wave grows tenfold
// until the end of the run.
std::optional<StepProblem> step_problem(const RunConfig& run) {
  constexpr double rounding = 1e-6;
  auto waves = WaveStability::of(system_of(run), run);
  if (!waves) return std::nullopt;
  const double largest = waves->largest_step(run.scheme), step = *run.time_step;
  if (step <= largest * (1 + rounding)) return std::nullopt;
  const auto [resolved, unresolved] = waves->growth(run.scheme, step * (1 - rounding));
  const double steps = run.end ? *run.end / step : static_cast<double>(run.steps);
  const bool refused = unresolved > rounding || resolved * steps > std::log(10);
  const std::string scheme = name_of(run.scheme.kind);
  std::string right = largest > 0 ? fmt::format("at most {:.7g}", largest) : "";
  for (const auto& other : name_table<Scheme>)
    if (const double limit = largest > 0 ? 0 : waves->largest_step(other.value); limit > 0)
      right += fmt::format("{}at most {:.7g} with time.scheme {}", right.empty() ? "" : ", ", limit,
                           other.name);
  return StepProblem{
      refused,
      fmt::format("found {}, {}unstable{}: waves that the equation damps or keeps grow by a factor "
                  "of {:.6g} in each step ({})",
                  step, refused ? "" : "a little ",
                  largest > 0 ? "" : fmt::format(", as any step of scheme {} is", scheme),
                  std::exp(std::max(resolved, unresolved)),
                  right.empty() ? "no scheme has a stable step" : "expected " + right)};
}

std::vector<KeyMistake> mistakes(const RunConfig&, const KeysGiven& keys) {
  if (keys.given("time.step")) return {};
  return {{.key = "time.step", .what = "missing (expected a number above 0)"}};
}

}  // namespace lapl::formula
