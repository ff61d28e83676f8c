#include "solver/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/problem.hpp"

namespace lapl {
namespace {

// What a formula of the state makes, as stages of a problem with the state's fields.
template <class T>
DerivedPlan<T> formula_plan(const RunConfig& config, const Problem<T>& problem,
                            const std::string& name, const std::string& text) {
  const StepStages made = value_stages(system_of(config), parse_formula(name, text));
  Problem<T> derived = problem_with<T>(config, unread_coefficients(config), made);
  derived.coefficients = problem.coefficients;
  return StagesPlan<T>{std::move(derived)};
}

// The formulas that derived_plans makes stages for.
std::vector<Formula> derived_formulas(const RunConfig& config) {
  std::vector<Formula> formulas;
  for (const std::string& name : config.output_fields)
    if (const auto formula = std::ranges::find(config.derived, name, &DerivedConfig::name);
        formula != config.derived.end())
      formulas.push_back(parse_formula(name, formula->formula));
  for (const auto& [name, formula] : config.integrals)
    formulas.push_back(parse_formula(name, formula));
  return formulas;
}

}  // namespace

std::vector<std::string> output_names(const RunConfig& config) {
  std::vector<std::string> names = config.fields;
  if (config.fields.size() == 1) names.emplace_back(laplacian_name);
  for (const DerivedConfig& derived : config.derived) names.push_back(derived.name);
  return names;
}

const std::string& filtered_field(const RunConfig& config, const FilterConfig& filter) {
  return filter.field.empty() ? config.fields.front() : filter.field;
}

std::vector<OutputDataset> output_datasets(const RunConfig& config) {
  std::vector<OutputDataset> datasets;
  std::size_t derived = 0;
  for (const std::string& name : config.output_fields) {
    const auto field = std::ranges::find(config.fields, name);
    const auto formula = std::ranges::find(config.derived, name, &DerivedConfig::name);
    if (field != config.fields.end())
      datasets.push_back({name, name, "1", "", field - config.fields.begin(), std::nullopt});
    else if (formula != config.derived.end())
      datasets.push_back({name, formula->formula, formula->unit, "output " + name, 0, derived++});
    else
      datasets.push_back({name,
                          fmt::format("{}-point Laplacian of {}", 1 + 2 * config.shape.axes,
                                      config.fields.front()),
                          "m-2", "the " + name, 0, derived++});
  }
  for (const FilterConfig& filter : config.filters)
    datasets.push_back({filter.name,
                        fmt::format("{}, {} with {}", filtered_field(config, filter),
                                    name_of(filter.kind), name_of(filter.kernel)),
                        "1", "filter " + filter.name, 0, derived++});
  return datasets;
}

std::size_t first_integral(const RunConfig& config) {
  return static_cast<std::size_t>(std::ranges::count_if(
      output_datasets(config),
      [](const OutputDataset& dataset) { return dataset.derived.has_value(); }));
}

ArrayCount array_count(const RunConfig& config) {
  const std::size_t coefficients = coefficient_names(config).size();
  const std::size_t given = config.fields.size() + coefficients;
  ArrayCount count{.fields = config.fields.size(), .derived = 0};
  count.derived = first_integral(config) + config.integrals.size();
  // Each of coefficients: the problem's, the backend's and the engine's, and two of each formula.
  count.others = 3 * coefficients + equation_of(config).stages(config).like.size() - given;
  for (const Formula& formula : derived_formulas(config))
    count.others +=
        2 * coefficients + value_stages(system_of(config), formula).like.size() - given - 1;
  return count;
}

template <class T>
std::vector<DerivedPlan<T>> derived_plans(const RunConfig& config, const Problem<T>& problem) {
  std::vector<DerivedPlan<T>> plans;
  for (const std::string& name : config.output_fields) {
    if (std::ranges::count(config.fields, name) > 0) continue;
    const auto formula = std::ranges::find(config.derived, name, &DerivedConfig::name);
    if (formula != config.derived.end())
      plans.push_back(formula_plan(config, problem, name, formula->formula));
    else if (const auto spacing = config.spacing.given(config.shape.axes);
             problem.laws.empty() && config.shape.axes == 2 && spacing.size() == 1)
      plans.push_back(laplacian_plan(problem, static_cast<T>(spacing.front() * spacing.front())));
    else
      plans.push_back(
          formula_plan(config, problem, name, fmt::format("laplacian({})", config.fields.front())));
  }
  return plans;
}
template std::vector<DerivedPlan<float>> derived_plans(const RunConfig&, const Problem<float>&);
template std::vector<DerivedPlan<double>> derived_plans(const RunConfig&, const Problem<double>&);

template <class T>
std::vector<DerivedPlan<T>> integral_plans(const RunConfig& config, const Problem<T>& problem) {
  std::vector<DerivedPlan<T>> plans;
  for (const auto& [name, formula] : config.integrals)
    plans.push_back(formula_plan(config, problem, name, formula));
  return plans;
}
template std::vector<DerivedPlan<float>> integral_plans(const RunConfig&, const Problem<float>&);
template std::vector<DerivedPlan<double>> integral_plans(const RunConfig&, const Problem<double>&);

}  // namespace lapl
