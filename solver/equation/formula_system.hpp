// Parses the formulas of a config and gives the meaning of their names.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "solver/equation/stages.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// The names of numeric parameters and quantities, and the grid; no arrays.
FormulaNames names_of(const RunConfig& run);

/// The names for formulas that do not change in time and read only the position and parameters.
FormulaNames names_of_values(const RunConfig& run);

/// Names of the parameters that are fields. Problem::coefficients has their values in this order.
std::vector<std::string> coefficient_names(const RunConfig& run);

/// The index of each array by name, for fields, coefficient fields and quantities with a law, as in
/// FormulaSystem::names.arrays.
std::map<std::string, int, std::less<>> arrays_of(const RunConfig& run);

/// The rates of the fields and the quantities that they read. Throws FormulaError.
FormulaSystem system_of(const RunConfig& run);

/// True if a rate reads noise. The formulas must be right.
bool has_noise(const RunConfig& run);

/// The law of a side: ghost = a + b * inside. If a or b varies, `tree` computes both; else both are
/// numbers.
struct LawTerms {
  StageTree tree;
  Term a, b;
};
/// The terms of a law; the names that it reads are added to `used`. Throws FormulaError.
LawTerms terms_of(const SideLaw& law, const RunConfig& run, std::set<std::string>& used);

/// The name of a law's formula in messages is its key, such as boundary.columns.first.
std::string law_name(const SideLaw& law);

}  // namespace lapl
