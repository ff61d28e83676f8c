#include "io/filters/filter_source.hpp"

#include "io/readers/stored_array.hpp"
#include "kernels/error.hpp"
#include "solver/filters/correlation.hpp"

namespace lapl {

std::vector<FilterConfig> load_filters(std::vector<FilterConfig> filters) {
  for (FilterConfig& filter : filters) {
    if (filter.kernel != KernelKind::hdf5) continue;
    const ReadField field = read_any_field(filter.path, filter.dataset);
    if (field.records > 1)
      throw ConfigError(
          "filter {}: {} holds {} windows of {} (expected one: (columns) or (rows, columns), or "
          "these behind axes of length 1)",
          filter.name, filter.path, field.records, shape_text(field.shape));
    filter.shape = field.shape;
    filter.one_dimensional = field.one_axis;
    filter.weights = as_doubles(as_view(field.values));
  }
  return filters;
}

std::vector<FilterConfig> load_filters(const RunConfig& config) {
  std::vector<FilterConfig> filters = load_filters(config.filters);
  check_on_grid(filters, config.shape, config.precision);
  return filters;
}

}  // namespace lapl
