// lapl plan --ranks N: how so many ranks would divide a run, and what that costs.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "solver/run_config.hpp"

namespace lapl {

/// Blocks, halos, memory and what the model of docs/scaling.md predicts. Throws ConfigError where
/// the config's engine steps on one rank alone.
nlohmann::ordered_json plan_on_ranks(const RunConfig& config, int ranks);

/// The same for people.
void print_plan_on_ranks(const nlohmann::ordered_json& plan);

}  // namespace lapl
