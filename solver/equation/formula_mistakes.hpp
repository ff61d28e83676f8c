// Finds all mistakes in the names and formulas of a config at once.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "solver/equation/equation.hpp"

namespace lapl {

/// The keys of section equation that are not rates; no field can have such a name.
const std::vector<std::string>& keys_beside_rates();
bool is_key_beside_rates(std::string_view name);

/// All mistakes in names and formulas; and the system of the formulas, if there is no mistake and
/// each field has its rate.
struct CheckedFormulas {
  std::vector<KeyMistake> mistakes;
  std::optional<FormulaSystem> system;
};
/// Grid and spacing of the config must be right. `whole` is false where wrong complex formulas have
/// become 0 (solver/equation/complex_parts.hpp).
CheckedFormulas checked_formulas(const RunConfig& run, bool whole);

}  // namespace lapl
