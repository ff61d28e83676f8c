// What outputs hold: fields, what is derived from them, and results of filters. One list for the
// writer, plots, config and messages.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/backend.hpp"
#include "kernels/memory.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// Derived of itself wherever there is one field.
inline constexpr std::string_view laplacian_name = "laplacian";

/// Whether a quantity of this name is drawn around 0, from the 5th to the 95th percentile: positive
/// and negative values matter alike, and the extremes are rare.
constexpr bool is_drawn_around_zero(std::string_view name) { return name == laplacian_name; }

/// What output.fields may name, in the order in which lists have it.
std::vector<std::string> output_names(const RunConfig& config);

/// The field that a filter of a run reads.
const std::string& filtered_field(const RunConfig& config, const FilterConfig& filter);

/// One dataset of a run's outputs, in the order in which they hold them.
struct OutputDataset {
  std::string name, description, unit;
  std::string subject;     ///< of messages, where it is derived: the laplacian, filter smooth
  std::int64_t field = 0;  ///< of the state, where it is not derived
  std::optional<std::size_t> derived;  ///< its place in Captured::derived; none for the state
};
std::vector<OutputDataset> output_datasets(const RunConfig& config);

/// The arrays that a run takes on a backend.
ArrayCount array_count(const RunConfig& config);

template <class T>
std::span<const T> values_of(const OutputDataset& dataset, const Captured<T>& captured) {
  return dataset.derived ? captured.derived.at(*dataset.derived) : captured.field(dataset.field);
}

/// The plans of the derived datasets but for those of filters, which come after them.
template <class T>
std::vector<DerivedPlan<T>> derived_plans(const RunConfig& config, const Problem<T>& problem);

/// Those of output.integrals, which come after all of them.
template <class T>
std::vector<DerivedPlan<T>> integral_plans(const RunConfig& config, const Problem<T>& problem);

/// The place in Captured::derived of the first integral's values.
std::size_t first_integral(const RunConfig& config);

}  // namespace lapl
