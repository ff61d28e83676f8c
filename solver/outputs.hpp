// What outputs hold: the field, what is derived from it, and results of filters. One table for the
// writer, plots, config and messages.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/backend.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// A quantity that outputs may hold.
struct OutputQuantity {
  std::string_view name;  ///< of its dataset, and in output.fields
  std::string_view description;
  std::string_view unit;
  /// Positive and negative values matter alike, and the extremes are rare: drawn around 0, from the
  /// 5th to the 95th percentile.
  bool is_signed = false;
  /// How it follows from the state, in each precision; null for the state.
  DerivedPlan<float> (*plan)(const Problem<float>&) = nullptr;
  DerivedPlan<double> (*plan_in_double)(const Problem<double>&) = nullptr;
};

/// The state first, then what is derived from it. A derived output is one row here.
std::span<const OutputQuantity> output_quantities();

/// Name of the state's field.
std::string state_field();

/// The row of a name; null where there is none, as for results of filters.
const OutputQuantity* quantity_named(std::string_view name);

/// One dataset of a run's outputs, in the order in which they hold them.
struct OutputDataset {
  std::string name, description, unit;
  std::string subject;                 ///< of messages: the value, the laplacian, filter smooth
  std::optional<std::size_t> derived;  ///< its place in Captured::derived; none for the state
};
std::vector<OutputDataset> output_datasets(const RunConfig& config);

template <class T>
std::span<const T> values_of(const OutputDataset& dataset, const Captured<T>& captured) {
  return dataset.derived ? captured.derived.at(*dataset.derived) : captured.field;
}

/// The plans of the derived datasets but for those of filters, which come after them.
template <class T>
std::vector<DerivedPlan<T>> derived_plans(const RunConfig& config, const Problem<T>& problem);

}  // namespace lapl
