// Checks the rules between config keys.
#pragma once

#include "io/config/config_mistakes.hpp"
#include "io/config/config_reader.hpp"
#include "solver/equation/equation.hpp"

namespace lapl {

/// Adds a mistake for every broken rule. `entries` holds every key that applies, `run` the values
/// of the keys without a mistake of their own. Skips a rule if one of its keys has such a mistake.
/// `of_splitting` has those of complex formulas (solver/equation/complex_fields.hpp).
void check_together(const RunConfig& run, const Entries& entries, Mistakes& mistakes,
                    const std::vector<KeyMistake>& of_splitting);

/// Does the same for the rules that a step or a number of stages may break that was found since.
void check_found_steps(const RunConfig& run, const Entries& entries, Mistakes& mistakes);

}  // namespace lapl
