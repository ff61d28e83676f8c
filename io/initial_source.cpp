#include "io/initial_source.hpp"

#include <fmt/ranges.h>

#include "io/images/image.hpp"
#include "io/npy_reader.hpp"
#include "kernels/error.hpp"
#include "solver/initial_field.hpp"

namespace lapl {

std::optional<std::vector<double>> load_initial_field(const RunConfig& config) {
  const auto* const file = std::get_if<FieldFile>(&initial_field_of(config));
  if (file == nullptr) return std::nullopt;
  const auto check_shape = [&](Shape found) {
    if (found != config.shape)
      throw ConfigError("initial.path: {} holds {} values, grid.shape is [{}]", config.initial.path,
                        text_of(found), fmt::join(config.shape.extents(), ", "));
  };
  switch (*file) {
    case FieldFile::picture: return read_png(config.initial.path, check_shape).values;
    case FieldFile::dataset:
      return doubles_of(
          view_of(read_any_field(config.initial.path, config.initial.dataset, check_shape).values));
  }
  return std::nullopt;
}

}  // namespace lapl
