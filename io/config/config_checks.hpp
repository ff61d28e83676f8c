// Checks the rules between config keys.
#pragma once

#include "io/config/config_mistakes.hpp"
#include "io/config/config_reader.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// Adds a mistake for every broken rule. `entries` holds every key that applies, `run` the values
/// of the right ones. Skips a rule if one of its keys is already known to be wrong.
void check_together(const RunConfig& run, const Entries& entries, Mistakes& mistakes);

}  // namespace lapl
