// The datasets of outputs: fields, derived outputs and results of filters. Writer, plots, config
// and messages share this list.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/backend.hpp"
#include "solver/model.hpp"

namespace lapl {

/// The derived output that every run with one field has.
inline constexpr std::string_view laplacian_name = "laplacian";

/// True for quantities that plots draw around 0 and cut at the 5th and 95th percentile: both signs
/// matter, and the extremes are rare.
constexpr bool is_drawn_around_zero(std::string_view name) { return name == laplacian_name; }

/// The names that output.fields accepts, in the order of lists.
std::vector<std::string> output_names(const RunConfig& config);

/// The field of the run that a filter reads.
const std::string& filtered_field(const RunConfig& config, const FilterConfig& filter);

template <class T>
std::span<const T> values_of(const OutputDataset& dataset, const Captured<T>& captured) {
  return dataset.derived ? captured.derived.at(*dataset.derived) : captured.field(dataset.field);
}

/// Plans that compute Captured::derived from the state of the model's `problem`: Model::derived,
/// the results of filters, Model::integrals.
template <class T>
std::vector<DerivedPlan<T>> plans_of(const Model& model, const Problem<T>& problem,
                                     const std::vector<FilterPlan<T>>& filters = {});

}  // namespace lapl
