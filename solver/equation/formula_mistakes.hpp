// What is wrong with the names and formulas of a config, all of it at once.
#pragma once

#include <string_view>
#include <vector>

#include "solver/equation/equation.hpp"

namespace lapl {

/// True where section equation has a key of this name beside those of the fields, which cannot bear
/// it.
bool is_key_beside_rates(std::string_view name);

/// Of a config whose grid and spacing are right.
std::vector<KeyMistake> formula_mistakes(const RunConfig& run);

}  // namespace lapl
