#include "app/commands/run_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/available_memory.hpp"
#include "kernels/error.hpp"
#include "kernels/size_text.hpp"

namespace lapl {
namespace {

// Beside the backend's, in bytes.
double initial_memory(const RunConfig& config, const std::string& backend, double cells) {
  const bool transforms = config.initial.kind == InitialKind::fractal && backend == "cpu";
  return cells * 8 * (transforms ? 2 : 1);
}

// Of the backend, and of what is kept between steps.
Memory stepping_memory(const RunConfig& config, const std::string& backend, Shape shape) {
  const std::size_t value_size = size_of(config.precision);
  Memory memory = memory_needed(backend, shape, value_size, 2 + config.filters.size());
  const double cells = static_cast<double>(shape.rows) * static_cast<double>(shape.columns);
  if (config.verify_every) memory.host += cells * static_cast<double>(value_size);
  return memory;
}

}  // namespace

Memory memory_of_run(const RunConfig& config, const std::string& backend, Shape shape) {
  Memory memory = stepping_memory(config, backend, shape);
  const auto value_size = static_cast<double>(size_of(config.precision));
  const double cells = static_cast<double>(shape.rows) * static_cast<double>(shape.columns);
  const auto fields = config.output_fields.size() + config.filters.size();
  const double file = cells * value_size * static_cast<double>(fields + 1);
  memory.host += std::max(initial_memory(config, backend, cells), file) + 16e6;
  return memory;
}

void require_host_memory(const RunConfig& config, const std::string& backend) {
  const Shape shape = config.shape;
  const double cells = static_cast<double>(shape.rows) * static_cast<double>(shape.columns);
  const double needed =
      stepping_memory(config, backend, shape).host + initial_memory(config, backend, cells);
  const auto available = static_cast<double>(available_memory());
  if (available != 0 && needed > available)
    throw DeviceError(
        fmt::format("the grid of {} x {} cells needs {} of host memory, {} are "
                    "available (lapl plan says what fits)",
                    shape.rows, shape.columns, size_text(needed), size_text(available)));
}

}  // namespace lapl
