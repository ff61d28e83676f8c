#include "solver/equation/equation.hpp"

#include <fmt/format.h>

#include <cmath>

#include "solver/equation/formula_system.hpp"
#include "solver/equation/growth.hpp"
#include "solver/equation/side_stages.hpp"
#include "solver/equation/stability.hpp"
#include "solver/times.hpp"

namespace lapl {
namespace {

// True if a step of diffusion is one stage whose coefficient is a number.
bool is_one_stage(const RunConfig& run) {
  return run.scheme.kind == Scheme::euler && !run.scheme.varies &&
         run.spacing.given(run.shape.axes).size() == 1;
}

// factor * h^2. If the spacings of the axes differ, 1 / h^2 is the mean of 1 / spacing^2, which
// leaves the largest stable coefficient unchanged.
double times_squared_spacing(const RunConfig& run, double factor) {
  const std::vector<double> spacings = run.spacing.given(run.shape.axes);
  if (spacings.size() == 1) return factor * spacings.front() * spacings.front();
  double inverses = 0;
  for (const double spacing : spacings) inverses += 1 / (spacing * spacing);
  return factor * static_cast<double>(spacings.size()) / inverses;
}

// For messages: ", with 20 stages; or time.stages: 29"; empty for schemes other than rkl2.
std::string stages_text(const RunConfig& run) {
  if (run.scheme.kind != Scheme::rkl2) return "";
  RunConfig more = run;
  int& stages = *more.scheme.stages;
  while (stages < most_stages && largest_coefficient(more) < stored_coefficient(run)) ++stages;
  const bool enough = largest_coefficient(more) >= stored_coefficient(run);
  return fmt::format(", with {} stages{}", *run.scheme.stages,
                     enough ? fmt::format("; or time.stages: {}", stages) : "");
}

double largest_step_of_diffusion(const RunConfig& run) {
  const double largest = largest_coefficient(run);
  RunConfig at_most = run;
  at_most.equation.diffusivity = run.equation.diffusivity.value_or(1);
  at_most.equation.coefficient.reset();
  double& step = at_most.time_step.emplace(times_squared_spacing(run, largest) /
                                           *at_most.equation.diffusivity);
  // Rounds the step down until a run with it passes the check of the coefficient.
  for (double shrink = 0x1p-53; stored_coefficient(at_most) > largest; shrink *= 2)
    step *= 1 - shrink;
  return step;
}

}  // namespace

double stored_coefficient(const RunConfig& run) {
  if (!is_diffusion(run)) return *run.time_step;
  if (run.equation.coefficient) return *run.equation.coefficient;
  return *run.equation.diffusivity * *run.time_step / times_squared_spacing(run, 1);
}

double largest_coefficient(const RunConfig& run) {
  return largest_stable_coefficient(run.shape.axes) * (largest_step(run.scheme, -1) / 2);
}

StepStages equation_stages(const RunConfig& run, const FormulaSystem& system) {
  if (is_diffusion(run) && is_one_stage(run)) {
    StepStages made{
        {{.tree = diffusion_tree(run.shape.axes, stored_coefficient(run)), .targets = {0}}},
        {0},
        {}};
    for (int array = 1; array < std::ssize(system.names.arrays); ++array)
      made.like.push_back(array);
    return with_conditions(std::move(made), system);
  }
  return step_stages(system, run.scheme, step_seconds(run));
}

// If a config gives only the coefficient, the diffusivity is 1.
double step_seconds(const RunConfig& run) {
  return run.time_step ? *run.time_step : times_squared_spacing(run, stored_coefficient(run));
}

std::optional<double> stable_limit(const RunConfig& run, const FormulaSystem& system) {
  // Stability also depends on the terms that are not explicit, so no step is known to be stable.
  if (run.scheme.kind == Scheme::imex || !has_stable_limit(run)) return std::nullopt;
  // A condition that reads a field may be stiffer than the equation.
  if (conditions_read(run)) return std::nullopt;
  if (is_diffusion(run)) return largest_step_of_diffusion(run);
  auto waves = WaveStability::of(system, run);
  return waves ? std::optional(waves->largest_step(run.scheme)) : std::nullopt;
}

// Stability depends on diffusivity * time step. The message names equation.coefficient if the
// config has it, else time.step.
std::optional<StepProblem> unstable_diffusion(const RunConfig& run) {
  const double found = stored_coefficient(run), largest = largest_coefficient(run);
  const bool by_coefficient = run.equation.coefficient.has_value();
  const char* const key = by_coefficient ? "equation.coefficient" : "time.step";
  if (!(found <= largest) && by_coefficient)
    return StepProblem{
        true,
        fmt::format("found {}, out of range (expected a number above 0 and at most {}, the "
                    "largest stable coefficient{})",
                    found, largest, stages_text(run)),
        key};
  if (!(found <= largest))
    return StepProblem{
        true,
        fmt::format(
            "found {}, unstable, since D dt / h^2 is {} (at most {}, for a coefficient of {}{})",
            step_seconds(run), found, largest_step_of_diffusion(run), largest, stages_text(run)),
        key};
  return std::nullopt;
}

// A step is an error if a wave grows that it does not resolve, or if any wave grows tenfold before
// the run ends. Any other growth is a warning.
std::optional<StepProblem> find_step_problem(const RunConfig& run, const FormulaSystem& system) {
  if (is_diffusion(run)) return unstable_diffusion(run);
  if (run.scheme.kind == Scheme::imex || !has_stable_limit(run)) return std::nullopt;
  constexpr double rounding = 1e-6;
  auto waves = WaveStability::of(system, run);
  if (!waves) return std::nullopt;
  const double largest = waves->largest_step(run.scheme), step = *run.time_step;
  if (step <= largest * (1 + rounding)) return std::nullopt;
  const auto [resolved, unresolved] = waves->growth(run.scheme, step * (1 - rounding));
  const double steps = run.end ? run_seconds(run) / step : static_cast<double>(run.steps);
  const bool refused = unresolved > rounding || resolved * steps > std::log(10);
  const std::string scheme = enum_name(run.scheme.kind);
  std::string right = largest > 0 ? fmt::format("at most {:.7g}", largest) : "";
  for (const auto& other : name_table<Scheme>)
    if (const double limit =
            largest > 0 || !other.has_stable_limit() ? 0 : waves->largest_step(other.value);
        limit > 0)
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

}  // namespace lapl
