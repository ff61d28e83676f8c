#include "io/initial_source.hpp"

#include <fmt/format.h>

#include "io/images/image.hpp"
#include "io/npy_reader.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

void require_shape(const RunConfig& config, Shape found) {
  if (found != config.shape)
    throw ConfigError(fmt::format("initial.path: {} holds {} x {} values, grid.shape is [{}, {}]",
                                  config.initial.path, found.rows, found.columns, config.shape.rows,
                                  config.shape.columns));
}

}  // namespace

std::vector<double> load_initial_field(const RunConfig& config) {
  const InitialConfig& initial = config.initial;
  if (initial.kind == InitialKind::image) {
    return read_png(initial.path, [&](Shape found) { require_shape(config, found); }).values;
  }
  if (initial.kind == InitialKind::hdf5) {
    const ReadField field = read_any_field(initial.path, initial.dataset,
                                           [&](Shape found) { require_shape(config, found); });
    return doubles_of(view_of(field.values));
  }
  return {};
}

}  // namespace lapl
