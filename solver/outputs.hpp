// The datasets of outputs: fields, derived outputs and results of filters. The writer, plots,
// configs and messages share this list.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/backend.hpp"
#include "solver/model.hpp"

namespace lapl {

inline constexpr std::string_view laplacian_name = "laplacian";

/// An output with a predefined name, which every run of one field has.
struct NamedOutput {
  std::string_view name;
  std::string (*unit)(const RunConfig& run);  ///< empty where the config does not tell
  /// Plots are centred on 0, from the 5th to the 95th percentile: positive and negative values are
  /// equally important, and extremes are rare.
  bool drawn_around_zero;
  std::string (*description)(const RunConfig& run);
  /// The stages that compute the output; they write it to an array added after the others, and
  /// `outside` in cells outside the mask.
  StepStages (*stages)(const RunConfig& run, const FormulaSystem& system, double outside);
};
std::span<const NamedOutput> named_outputs();

bool is_drawn_around_zero(std::string_view name);

/// The names that output.fields accepts, in the order in which they are listed.
std::vector<std::string> output_names(const RunConfig& config);

/// The words for a field of the state; a part of a complex one has its unit, and says in the label
/// which part it is.
FieldLabels field_labels(const RunConfig& run, const std::string& field);

/// The field of the run that the filter reads.
const std::string& filtered_field(const RunConfig& config, const FilterConfig& filter);

/// The interval of a dataset of outputs that has its own; else null.
const Interval* own_interval(const RunConfig& config, const std::string& dataset);

/// The datasets of an output: all at step 0 or if it `has_all`; else those whose own
/// interval, if they have one, ends at this step or time.
std::vector<const OutputDataset*> due_datasets(const Model& model, std::int64_t step, double time,
                                               bool has_all);

template <class T>
std::span<const T> dataset_values(const OutputDataset& dataset, const Captured<T>& captured) {
  return dataset.derived ? captured.derived.at(*dataset.derived) : captured.field(dataset.field);
}

/// Plans that compute Captured::derived from the state of `problem`, the model's problem: the
/// stages of Model::derived, the results of filters, the stages of Model::stop and of
/// Model::integrals.
template <class T>
std::vector<DerivedOutput<T>> planned_outputs(const Model& model, const Problem<T>& problem,
                                              const std::vector<FilterPlan<T>>& filters = {});

/// The whole state on the first rank: its `fields` fields, one after the other; empty on other
/// ranks. Collective.
template <class T>
std::vector<T> whole_state(Backend<T>& backend, std::int64_t fields);

}  // namespace lapl
