#include "solver/outputs.hpp"

#include "solver/equation/formula_system.hpp"
#include "solver/problem.hpp"

namespace lapl {

std::vector<std::string> output_names(const RunConfig& config) {
  std::vector<std::string> names = config.fields;
  if (config.fields.size() == 1) names.emplace_back(laplacian_name);
  for (const DerivedConfig& derived : config.derived) names.push_back(derived.name);
  return names;
}

const std::string& filtered_field(const RunConfig& config, const FilterConfig& filter) {
  return filter.field.empty() ? config.fields.front() : filter.field;
}

ArrayCount array_count(const Model& model) {
  const std::size_t coefficients = coefficient_names(model.run).size();
  const std::size_t given = model.run.fields.size() + coefficients;
  ArrayCount count{.fields = model.run.fields.size(), .derived = 0};
  count.derived = model.derived.size() + model.run.filters.size() + model.integrals.size();
  // Each of coefficients: the problem's, the backend's and the engine's, and two of each formula.
  count.others = 3 * coefficients + model.step.like.size() - given;
  for (const auto* const formulas : {&model.derived, &model.integrals})
    for (const StepStages& formula : *formulas)
      count.others += 2 * coefficients + formula.like.size() - given - 1;
  return count;
}

template <class T>
std::vector<DerivedPlan<T>> plans_of(const std::vector<StepStages>& made, const Model& model,
                                     const Problem<T>& problem) {
  std::vector<DerivedPlan<T>> plans;
  for (const StepStages& stages : made) {
    Problem<T> derived = problem_with<T>(model.run, unread_coefficients(model.run), stages);
    derived.coefficients = problem.coefficients;
    plans.push_back(StagesPlan<T>{std::move(derived)});
  }
  return plans;
}
template std::vector<DerivedPlan<float>> plans_of(const std::vector<StepStages>&, const Model&,
                                                  const Problem<float>&);
template std::vector<DerivedPlan<double>> plans_of(const std::vector<StepStages>&, const Model&,
                                                   const Problem<double>&);

}  // namespace lapl
