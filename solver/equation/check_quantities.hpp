#pragma once

#include <vector>

#include "solver/equation/formula.hpp"

namespace lapl {

/// Throws FormulaError where a quantity reads itself or is nested so deeply that recursive
/// functions could exhaust the stack.
void check_quantities(const std::vector<Formula>& quantities);

}  // namespace lapl
