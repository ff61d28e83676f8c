// Random problems as text.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "solver/equation/formula_system.hpp"
#include "solver/run_config.hpp"

namespace lapl::test {

/// Describes the problem in text for people.
inline std::string random_problem_text(const RunConfig& run, std::int64_t steps, int threads) {
  std::string text = fmt::format(
      "{}, spacing {}, {}, dt {}, {} steps, {} threads, {} ({}), planes {}, rows {}, columns {}",
      fmt::format("{} {}", shape_text(run.shape), enum_name(run.coordinates)),
      fmt::join(run.spacing.by_axis, " x "), enum_name(run.precision), *run.time_step, steps,
      threads, enum_name(run.scheme.kind), run.scheme.stages.value_or(0),
      enum_name(run.boundaries.planes), enum_name(run.boundaries.rows),
      enum_name(run.boundaries.columns));
  for (const auto& [name, parameter] : run.parameters)
    text += fmt::format("\n{} = {}", name,
                        parameter.kind == ParameterConfig::Kind::number
                            ? fmt::format("{}", parameter.number)
                            : parameter.formula.text());
  for (const auto& [name, quantity] : run.equation.quantities)
    text += fmt::format("\n{} = {}", name, quantity.text());
  for (const auto& [field, rate] : run.equation.rates)
    text += fmt::format("\n{}{} = {}", run.equation.maps.contains(field) ? "next " : "rate of ",
                        field, rate.text());
  for (const auto& [field, formula] : run.equation.after)
    text += fmt::format("\nafter {} = {}", field, formula.text());
  for (const SolveConfig& solve : run.equation.solves)
    text += fmt::format("\n{}: {} = {}", solve.field, solve.left.text(), solve.right.text());
  for (const auto& [name, window] : run.kernels)
    text += fmt::format("\nwindow {} of {}", name, shape_text(window.shape));
  if (run.mask) text += fmt::format("\nmask = {}", run.mask->formula.text());
  for (const auto* const conditions : {&run.conditions, &run.mask_conditions})
    for (const SideCondition& condition : *conditions)
      text +=
          fmt::format("\n{} of {}: {} {}, factor {}", condition_name(condition),
                      condition.array.empty() ? "all" : condition.array, enum_name(condition.kind),
                      condition.value.text(), condition.factor.text());
  return text;
}

}  // namespace lapl::test
