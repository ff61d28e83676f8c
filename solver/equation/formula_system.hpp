// Parses the formulas of a config and says what their names stand for.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "solver/equation/stages.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// The names of numeric parameters, quantities and the grid, without arrays.
FormulaNames names_of(const RunConfig& run);

/// The same for formulas that do not change in time, which read only position and parameters.
FormulaNames names_of_values(const RunConfig& run);

/// Names of the parameters that are fields, in the order of their arrays.
std::vector<std::string> coefficient_names(const RunConfig& run);

/// The arrays of fields, coefficient fields and quantities with a law, by name:
/// FormulaSystem::names.arrays.
std::map<std::string, int, std::less<>> arrays_of(const RunConfig& run);

/// The rates of the fields and the quantities that they name. Throws FormulaError.
FormulaSystem system_of(const RunConfig& run);

/// The law of a side as ghost = a + b inside. Where a or b varies, `tree` computes both; else they
/// are numbers.
struct LawTerms {
  StageTree tree;
  Term a, b;
};
/// The terms of a law; `used` receives the names that it reads. Throws FormulaError.
LawTerms terms_of(const SideLaw& law, const RunConfig& run, std::set<std::string>& used);

/// The name of a law's formula in messages, which is its key: boundary.columns.first.
std::string law_name(const SideLaw& law);

}  // namespace lapl
