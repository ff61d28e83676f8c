// Checks the rules between config keys.
#pragma once

#include "io/config/config_mistakes.hpp"
#include "io/config/config_reader.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// Adds every broken rule to `mistakes`. `entries` holds every key that applies, `run` the values
/// of the right ones. A rule is skipped where one of its keys is wrong already.
void check_together(const RunConfig& run, const Entries& entries, Mistakes& mistakes);

}  // namespace lapl
