// The one table of a sweep.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/sweep/sweep_members.hpp"
#include "app/sweep/sweep_processes.hpp"

namespace lapl {

/// The columns about the last outputs: least, largest and mean value of each field of any
/// member, and integrals. Throws ConfigError where an integral has the name of another column.
std::vector<std::string> result_columns(const std::vector<SweepMember>& members);

/// A row: member, the swept keys, status, exit_code, step, the results, digest, seconds (of the
/// last part of the run), error. Unknown values are null, as for a member that was not started.
nlohmann::ordered_json summary_row(const SweepMember& member,
                                   const std::vector<std::string>& results,
                                   const std::optional<MemberEnd>& end);

/// The rows as aligned columns, with what went wrong below.
std::string summary_table(const nlohmann::ordered_json& rows);

/// The rows as CSV (RFC 4180) with a header line.
std::string summary_csv(const nlohmann::ordered_json& rows);

}  // namespace lapl
