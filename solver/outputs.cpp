#include "solver/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "solver/equation/equation.hpp"

namespace lapl {
namespace {

template <class T>
DerivedPlan<T> laplacian_plan(const RunConfig& config) {
  return LaplacianPlan<T>{config.boundaries, static_cast<T>(config.spacing * config.spacing)};
}

constexpr std::array derived_quantities = {
    OutputQuantity{"laplacian", "5-point Laplacian of field", "m-2", true, laplacian_plan<float>,
                   laplacian_plan<double>},
};

std::vector<OutputQuantity> all_quantities() {
  std::vector<OutputQuantity> all;
  for (const Equation& equation : name_table<EquationKind>)
    for (const EquationField& field : equation.fields)
      all.push_back({field.name, field.description, field.unit});
  all.insert(all.end(), derived_quantities.begin(), derived_quantities.end());
  return all;
}

}  // namespace

std::span<const OutputQuantity> output_quantities() {
  static const std::vector<OutputQuantity> all = all_quantities();
  return all;
}

std::string state_field() { return std::string(output_quantities().front().name); }

const OutputQuantity* quantity_named(std::string_view name) {
  const auto all = output_quantities();
  const auto found = std::ranges::find(all, name, &OutputQuantity::name);
  return found == all.end() ? nullptr : &*found;
}

std::vector<OutputDataset> output_datasets(const RunConfig& config) {
  std::vector<OutputDataset> datasets;
  const auto fields = equation_of(config).fields;
  std::size_t derived = 0;
  for (const std::string& name : config.output_fields) {
    const OutputQuantity& quantity = *quantity_named(name);
    const auto field = std::ranges::find(fields, name, &EquationField::name);
    const bool is_field = field != fields.end();
    datasets.push_back({name, std::string(quantity.description), std::string(quantity.unit),
                        is_field ? "" : "the " + name, is_field ? field - fields.begin() : 0,
                        is_field ? std::nullopt : std::optional(derived++)});
  }
  for (const FilterConfig& filter : config.filters)
    datasets.push_back(
        {filter.name,
         fmt::format("{}, {} with {}", state_field(), name_of(filter.kind), name_of(filter.kernel)),
         "1", "filter " + filter.name, 0, derived++});
  return datasets;
}

template <class T>
std::vector<DerivedPlan<T>> derived_plans(const RunConfig& config) {
  std::vector<DerivedPlan<T>> plans;
  for (const std::string& name : config.output_fields) {
    const OutputQuantity& quantity = *quantity_named(name);
    if (quantity.plan == nullptr) continue;
    if constexpr (sizeof(T) == sizeof(float))
      plans.push_back(quantity.plan(config));
    else
      plans.push_back(quantity.plan_in_double(config));
  }
  return plans;
}
template std::vector<DerivedPlan<float>> derived_plans(const RunConfig&);
template std::vector<DerivedPlan<double>> derived_plans(const RunConfig&);

}  // namespace lapl
