#include <fmt/format.h>

#include <cmath>

#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/equation/growth.hpp"

namespace lapl::diffusion {
namespace {

bool is_one_stage(const RunConfig& run) {
  return run.scheme.kind == Scheme::euler && run.spacing.given(run.shape.axes).size() == 1;
}

// factor h^2. Of spacings that differ 1/h^2 is the mean of all, so that the largest stable
// coefficient is the same.
double times_squared_spacing(const RunConfig& run, double factor) {
  const std::vector<double> spacings = run.spacing.given(run.shape.axes);
  if (spacings.size() == 1) return factor * spacings.front() * spacings.front();
  double inverses = 0;
  for (const double spacing : spacings) inverses += 1 / (spacing * spacing);
  return factor * static_cast<double>(spacings.size()) / inverses;
}

// ", with 20 stages; or time.stages: 29": of super time steps.
std::string stages_text(const RunConfig& run) {
  if (run.scheme.kind != Scheme::rkl2) return "";
  RunConfig more = run;
  int& stages = more.scheme.stages;
  while (stages < most_stages && largest_coefficient(more) < coefficient(run)) ++stages;
  const bool enough = largest_coefficient(more) >= coefficient(run);
  return fmt::format(", with {} stages{}", run.scheme.stages,
                     enough ? fmt::format("; or time.stages: {}", stages) : "");
}

// Of diffusivity and time step the product counts, so that the time step is the one to blame.
void add_unstable(const RunConfig& run, std::vector<KeyMistake>& mistakes) {
  const double found = coefficient(run), largest = largest_coefficient(run);
  const bool by_coefficient = run.equation.number("coefficient").has_value();
  const char* const key = by_coefficient ? "equation.coefficient" : "time.step";
  if (!(found <= largest) && by_coefficient)
    mistakes.push_back(
        {key, fmt::format("found {}, out of range (expected a number above 0 and at most {}, the "
                          "largest stable coefficient{})",
                          found, largest, stages_text(run))});
  else if (!(found <= largest))
    mistakes.push_back(
        {key,
         fmt::format(
             "found {}, unstable, since D dt / h^2 is {} (at most {}, for a coefficient of {}{})",
             time_step(run), found, *largest_step(run), largest, stages_text(run))});
  else if (!is_positive_in(run.precision, found))
    mistakes.push_back(
        {key,
         fmt::format(
             "makes the coefficient {}, which is 0 in {} (expected a coefficient of {} or more)",
             found, name_of(run.precision),
             run.precision == Precision::float32 ? "1.5e-45" : "5e-324")});
}

// Every output holds its time.
void add_endless(const RunConfig& run, std::vector<KeyMistake>& mistakes) {
  if (!std::isfinite(time_of(run, run.steps)))
    mistakes.push_back(
        {"time.steps", fmt::format("found {}, which end at an infinite time with steps of {} s "
                                   "(expected a time of at most 1.7e308 s)",
                                   run.steps, time_step(run))});
}

}  // namespace

double coefficient(const RunConfig& run) {
  if (const auto given = run.equation.number("coefficient")) return *given;
  return *run.equation.number("diffusivity") * *run.time_step / times_squared_spacing(run, 1);
}

double largest_coefficient(const RunConfig& run) {
  return largest_stable_coefficient(run.shape.axes) * (lapl::largest_step(run.scheme, -1) / 2);
}

FormulaSystem rates(const RunConfig& run) {
  RunConfig formula = run;
  const std::string& field = run.fields.front();
  formula.equation.rates[field] =
      fmt::format("{} * laplacian({})", run.equation.number("diffusivity").value_or(1), field);
  return system_of(formula);
}

StepStages stages(const RunConfig& run) {
  if (is_one_stage(run))
    return {{{.tree = diffusion_tree(run.shape.axes, coefficient(run)), .targets = {0}}}, {0}, {}};
  return step_stages(rates(run), run.scheme, time_step(run));
}

// Where only the coefficient is given, that of a diffusivity of 1.
double time_step(const RunConfig& run) {
  return run.time_step ? *run.time_step : times_squared_spacing(run, coefficient(run));
}

// Rounded so that a run with it is stable.
std::optional<double> largest_step(const RunConfig& run) {
  const double largest = largest_coefficient(run);
  RunConfig at_most = run;
  at_most.equation.parameters.try_emplace("diffusivity", 1);
  at_most.equation.parameters.erase("coefficient");
  double& step = at_most.time_step.emplace(times_squared_spacing(run, largest) /
                                           *at_most.equation.number("diffusivity"));
  for (double shrink = 0x1p-53; coefficient(at_most) > largest; shrink *= 2) step *= 1 - shrink;
  return step;
}

std::optional<StepProblem> step_problem(const RunConfig&) { return std::nullopt; }

// Either the coefficient alone, or diffusivity and time step.
std::vector<KeyMistake> mistakes(const RunConfig& run, const KeysGiven& keys) {
  constexpr const char* coefficient = "equation.coefficient";
  constexpr const char* diffusivity = "equation.diffusivity";
  constexpr const char* step = "time.step";
  std::vector<KeyMistake> found;
  if (run.fields.size() != 1)
    found.push_back({"fields", fmt::format("found {} fields (equation.kind diffusion has one; "
                                           "formula takes any number)",
                                           run.fields.size())});
  if (run.scheme.kind != Scheme::euler && run.scheme.kind != Scheme::rkl2)
    found.push_back({"time.scheme", fmt::format("found {} (equation.kind diffusion takes euler or "
                                                "rkl2; formula takes any scheme)",
                                                name_of(run.scheme.kind))});
  if (keys.given(coefficient)) {
    for (const char* const extra : {diffusivity, step})
      if (keys.given(extra))
        found.push_back({extra,
                         "given besides equation.coefficient (give equation.coefficient alone, or "
                         "equation.diffusivity and time.step)"});
  } else if (!keys.given(diffusivity) && !keys.given(step)) {
    found.push_back({coefficient, "missing (give it, or equation.diffusivity and time.step)"});
  } else if (!keys.given(step)) {
    found.push_back(
        {step, "missing (equation.diffusivity needs it: give both, or equation.coefficient)"});
  } else if (!keys.given(diffusivity)) {
    found.push_back(
        {diffusivity, "missing (time.step needs it: give both, or equation.coefficient)"});
  }
  if (!found.empty() || run.step_is_auto ||
      !keys.right({coefficient, diffusivity, step, "grid.shape", "grid.spacing",
                   "compute.precision", "time.scheme", "time.stages"}) ||
      !is_positive_in(run.precision, times_squared_spacing(run, 1)))
    return found;
  add_unstable(run, found);
  if (keys.right({"time.steps"})) add_endless(run, found);
  return found;
}

}  // namespace lapl::diffusion
