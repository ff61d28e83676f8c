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
  /// How it follows from the first field of the state, in each precision; null for fields.
  DerivedPlan<float> (*plan)(const RunConfig&) = nullptr;
  DerivedPlan<double> (*plan_in_double)(const RunConfig&) = nullptr;
};

/// The fields of every equation, then what is derived from the state. A derived output is one row
/// of the table in outputs.cpp.
std::span<const OutputQuantity> output_quantities();

/// Name of the first field of a state.
std::string state_field();

/// The row of a name; null where there is none, as for results of filters.
const OutputQuantity* quantity_named(std::string_view name);

/// One dataset of a run's outputs, in the order in which they hold them.
struct OutputDataset {
  std::string name, description, unit;
  std::string subject;     ///< of messages, where it is derived: the laplacian, filter smooth
  std::int64_t field = 0;  ///< of the state, where it is not derived
  std::optional<std::size_t> derived;  ///< its place in Captured::derived; none for the state
};
std::vector<OutputDataset> output_datasets(const RunConfig& config);

template <class T>
std::span<const T> values_of(const OutputDataset& dataset, const Captured<T>& captured) {
  return dataset.derived ? captured.derived.at(*dataset.derived) : captured.field(dataset.field);
}

/// The plans of the derived datasets but for those of filters, which come after them.
template <class T>
std::vector<DerivedPlan<T>> derived_plans(const RunConfig& config);

}  // namespace lapl
