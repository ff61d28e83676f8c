// Words about mistakes in formulas.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/config/config_mistakes.hpp"
#include "io/config/config_reader.hpp"
#include "solver/equation/formula_mistakes.hpp"

namespace lapl {

/// The line of a formula around byte `at`, and a second line with a caret below that byte.
std::string caret_lines(const std::string& formula, std::size_t at);

/// A hint for an unknown name in a formula: what other programs mean by it, or the nearest name.
std::string meant_by(const KeyMistake& mistake, int axes);

/// Adds mistakes in formulas, each with a caret below its place, at the keys where they were
/// written.
void add_formula_mistakes(const std::vector<KeyMistake>& found, const RunConfig& run,
                          const Entries& entries, Mistakes& mistakes);

}  // namespace lapl
