#include "solver/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lapl {
namespace {

template <class T>
DerivedPlan<T> laplacian_plan(const Problem<T>& problem) {
  return LaplacianPlan<T>{problem.faces, problem.spacing_squared};
}

constexpr std::array quantities = {
    OutputQuantity{"field", "field", "1"},
    OutputQuantity{"laplacian", "5-point Laplacian of field", "m-2", true, laplacian_plan<float>,
                   laplacian_plan<double>},
};

}  // namespace

std::span<const OutputQuantity> output_quantities() { return quantities; }

std::string state_field() { return std::string(quantities.front().name); }

const OutputQuantity* quantity_named(std::string_view name) {
  const auto found = std::ranges::find(quantities, name, &OutputQuantity::name);
  return found == quantities.end() ? nullptr : &*found;
}

std::vector<OutputDataset> output_datasets(const RunConfig& config) {
  std::vector<OutputDataset> datasets;
  std::size_t derived = 0;
  for (const std::string& name : config.output_fields) {
    const OutputQuantity& quantity = *quantity_named(name);
    const bool is_state = quantity.plan == nullptr;
    datasets.push_back({name, std::string(quantity.description), std::string(quantity.unit),
                        is_state ? "the value" : "the " + name,
                        is_state ? std::nullopt : std::optional(derived++)});
  }
  for (const FilterConfig& filter : config.filters)
    datasets.push_back(
        {filter.name,
         fmt::format("{}, {} with {}", state_field(), name_of(filter.kind), name_of(filter.kernel)),
         "1", "filter " + filter.name, derived++});
  return datasets;
}

template <class T>
std::vector<DerivedPlan<T>> derived_plans(const RunConfig& config, const Problem<T>& problem) {
  std::vector<DerivedPlan<T>> plans;
  for (const std::string& name : config.output_fields) {
    const OutputQuantity& quantity = *quantity_named(name);
    if (quantity.plan == nullptr) continue;
    if constexpr (sizeof(T) == sizeof(float))
      plans.push_back(quantity.plan(problem));
    else
      plans.push_back(quantity.plan_in_double(problem));
  }
  return plans;
}
template std::vector<DerivedPlan<float>> derived_plans(const RunConfig&, const Problem<float>&);
template std::vector<DerivedPlan<double>> derived_plans(const RunConfig&, const Problem<double>&);

}  // namespace lapl
