// An initial field without a backend.
#pragma once

#include <variant>
#include <vector>

#include "solver/initial_field.hpp"

namespace lapl::test {

/// All cells of the config's common `initial`, which must be of a kind with a FieldMaker.
inline std::vector<double> computed_field(const RunConfig& config) {
  return std::get<FieldMaker>(table_row(config.initial.kind).made)(config,
                                                                   RowRange::all(config.shape));
}

}  // namespace lapl::test
