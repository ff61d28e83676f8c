// The laws of an axis's sides in a config: {first: LAW, last: LAW}. A law is a word, {value:
// FORMULA} or the like, or a map from fields to laws; the resolved form has no words.
#pragma once

#include <vector>

#include "io/config/schema.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// The schema of an axis's laws.
Schema axis_laws();

/// The laws in a resolved map; axis 0 planes, 1 rows, 2 columns.
std::vector<SideLaw> laws_in(const YamlNode& map, int axis);

}  // namespace lapl
