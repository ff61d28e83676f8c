#include "io/filter_source.hpp"

#include "io/hdf5/step_file.hpp"
#include "solver/filter.hpp"

namespace lapl {

std::vector<FilterConfig> load_filters(std::vector<FilterConfig> filters) {
  for (FilterConfig& filter : filters) {
    if (filter.kernel != KernelKind::hdf5) continue;
    const ReadField field = read_field(filter.path, filter.dataset);
    filter.shape = field.shape;
    filter.one_dimensional = field.one_axis;
    filter.weights = doubles_of(view_of(field.values));
  }
  return filters;
}

std::vector<FilterConfig> load_filters(const RunConfig& config) {
  std::vector<FilterConfig> filters = load_filters(config.filters);
  for (const FilterConfig& filter : filters) {
    if (config.precision == Precision::float32)
      correlation_on_grid<float>(filter, config.shape);
    else
      correlation_on_grid<double>(filter, config.shape);
  }
  return filters;
}

}  // namespace lapl
