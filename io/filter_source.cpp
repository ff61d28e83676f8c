#include "io/filter_source.hpp"

#include "io/hdf5/step_file.hpp"

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

}  // namespace lapl
