// The page of lapl watch --web. It asks for `state` and `report`, and posts `stop` and
// `checkpoint`, all beside its own address.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "io/run/run_view.hpp"

namespace lapl {

/// The page about the run of this name, in UTF-8.
std::string live_page(const std::string& name);

/// The answer to `state`. `output`: step of the newest output; -1 if there is none. `log`: the end
/// of the run's log.
nlohmann::ordered_json live_state(const RunView& run, std::int64_t output, const std::string& log);

}  // namespace lapl
