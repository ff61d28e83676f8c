// Reports mistakes in formulas, with a caret below the place and a hint.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/config/config_mistakes.hpp"
#include "io/config/config_reader.hpp"
#include "solver/equation/formula_mistakes.hpp"

namespace lapl {

/// Adds mistakes in formulas, each with a caret below its place, at the keys where they were
/// written.
void add_formula_mistakes(const std::vector<KeyMistake>& found, const RunConfig& run,
                          const Entries& entries, Mistakes& mistakes);

}  // namespace lapl
