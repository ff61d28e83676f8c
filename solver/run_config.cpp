#include "solver/run_config.hpp"

#include <algorithm>

namespace lapl {

bool RunConfig::has_output_field(std::string_view name) const {
  return std::ranges::find(output_fields, name) != output_fields.end();
}

std::size_t size_of(Precision precision) {
  return precision == Precision::float32 ? sizeof(float) : sizeof(double);
}

}  // namespace lapl
