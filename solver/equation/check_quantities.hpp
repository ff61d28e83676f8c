#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "solver/equation/formula.hpp"

namespace lapl {

/// The quantities, each one before those that it reads. Throws FormulaError where a quantity reads
/// itself or is nested so deeply that recursive functions could exhaust the stack.
std::vector<const Formula*> check_quantities(const std::vector<Formula>& quantities);

/// The names of the quantities that formulas read, also through one another.
std::set<std::string> quantities_read(
    std::vector<const Formula*> formulas,
    const std::map<std::string, const Formula*, std::less<>>& quantities);

}  // namespace lapl
