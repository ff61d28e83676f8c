#include "solver/run_config.hpp"

#include <algorithm>

namespace lapl {

bool RunConfig::has_output_field(std::string_view name) const {
  return std::ranges::find(output_fields, name) != output_fields.end();
}

}  // namespace lapl
