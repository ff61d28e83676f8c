// What config keys say together: rules that need more than one key.
#pragma once

#include "io/config/config_mistakes.hpp"
#include "io/config/config_reader.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// `entries` holds every key that applies; `run` the values of those that are right. A rule is not
/// checked where a key that it needs is wrong already.
void check_together(const RunConfig& run, const Entries& entries, Mistakes& mistakes);

}  // namespace lapl
