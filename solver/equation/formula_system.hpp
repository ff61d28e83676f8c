// The formulas of a config: parsed, with what their names stand for.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "solver/equation/stages.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// The numbers among the parameters, and the grid; no arrays.
FormulaNames names_of(const RunConfig& run);

/// The same for formulas of values that do not change: of the position and parameters alone.
FormulaNames names_of_values(const RunConfig& run);

/// Names of the parameters that are fields, in the order of their arrays.
std::vector<std::string> coefficient_names(const RunConfig& run);

/// The arrays of FormulaSystem::names.
std::map<std::string, int, std::less<>> arrays_of(const RunConfig& run);

/// The rates of the fields, and what they name. Throws FormulaError.
FormulaSystem system_of(const RunConfig& run);

/// A law as a + b inside: trees of it where it varies, else both numbers.
struct LawTerms {
  StageTree tree;
  Term a, b;
};
/// Throws FormulaError. `used` takes the names that are read.
LawTerms terms_of(const SideLaw& law, const RunConfig& run, std::set<std::string>& used);

/// The name of a law's formula in messages, and of its key: boundary.columns.first.
std::string law_name(const SideLaw& law);

}  // namespace lapl
