#include "app/run_memory.hpp"

#include <algorithm>

namespace lapl {

Memory memory_of_run(const RunConfig& config, const std::string& backend, Shape shape) {
  const std::size_t value_size = config.precision == Precision::float32 ? 4 : 8;
  Memory memory = memory_needed(backend, shape, value_size, 2 + config.filters.size());
  const double cells = static_cast<double>(shape.rows) * static_cast<double>(shape.columns);
  const bool transforms = config.initial.kind == InitialKind::fractal && backend == "cpu";
  const double initial = cells * 8 * (transforms ? 2 : 1);
  const auto fields = config.output_fields.size() + config.filters.size();
  const double file = cells * static_cast<double>(value_size) * static_cast<double>(fields + 1);
  memory.host += std::max(initial, file) + 16e6;
  if (config.verify_every) memory.host += cells * static_cast<double>(value_size);
  return memory;
}

}  // namespace lapl
