// Complex fields of a config: rewrites them, and every formula, as pairs of real ones.
#pragma once

#include <vector>

#include "solver/equation/formula_mistakes.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// Replaces each of `run.complex_fields` in `run.fields`, formulas, initial fields, conditions and
/// outputs by its parts, so that nothing else knows of complex values. Returns all mistakes; what
/// is wrong becomes 0, so that the other mistakes of the config can be found.
std::vector<KeyMistake> split_complex_fields(RunConfig& run);

/// The complex field of which a field is a part; empty if it is none.
std::string complex_field_of(const RunConfig& run, const std::string& field);

}  // namespace lapl
