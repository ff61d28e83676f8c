// What is wrong with the names and formulas of a config, all of it at once.
#pragma once

#include <vector>

#include "solver/equation/equation.hpp"

namespace lapl {

/// Of a config whose grid and spacing are right.
std::vector<KeyMistake> formula_mistakes(const RunConfig& run);

}  // namespace lapl
