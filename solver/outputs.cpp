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

template <class T>
std::vector<DerivedPlan<T>> plans_of(const Model& model, const Problem<T>& problem,
                                     const std::vector<FilterPlan<T>>& filters) {
  std::vector<DerivedPlan<T>> plans;
  const auto add = [&](const std::vector<StepStages>& made) {
    for (const StepStages& stages : made) {
      Problem<T> derived = problem_with<T>(model.run, unread_coefficients(model.run), stages);
      derived.coefficients = problem.coefficients;
      plans.push_back(StagesPlan<T>{std::move(derived)});
    }
  };
  add(model.derived);
  plans.insert(plans.end(), filters.begin(), filters.end());
  add(model.integrals);
  return plans;
}
template std::vector<DerivedPlan<float>> plans_of(const Model&, const Problem<float>&,
                                                  const std::vector<FilterPlan<float>>&);
template std::vector<DerivedPlan<double>> plans_of(const Model&, const Problem<double>&,
                                                   const std::vector<FilterPlan<double>>&);

}  // namespace lapl
