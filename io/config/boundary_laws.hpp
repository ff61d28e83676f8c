// The laws of the sides of an axis: {first: LAW, last: LAW}. A law is a word, {value: FORMULA}, or
// a map of fields with a law each; the resolved form has no words.
#pragma once

#include <vector>

#include "io/config/schema.hpp"
#include "solver/run_config.hpp"

namespace lapl {

Schema axis_laws();

/// The laws in a resolved map.
std::vector<SideLaw> laws_in(const YamlNode& map, int axis);

}  // namespace lapl
