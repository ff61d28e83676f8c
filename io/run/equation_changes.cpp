#include "io/run/equation_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/durable/posix_file.hpp"
#include "io/json.hpp"

namespace lapl {

std::vector<EquationChange> equation_changes(const RunFolder& folder) {
  constexpr std::uint64_t most = std::uint64_t{1} << 30;
  std::vector<EquationChange> changes;
  if (!std::filesystem::exists(folder.log_file())) return changes;
  std::istringstream log(read_start(folder.log_file(), most));
  const auto has = [](const std::string& line, const char* word) {
    return line.find(word) != std::string::npos;
  };
  for (std::string line; std::getline(log, line);) {
    if (!has(line, equation_changed_event) && !has(line, "resumed")) continue;
    const nlohmann::ordered_json event = parse_json(line);
    if (!event.is_object() || !event.contains("event") || !event.contains("step") ||
        !event["step"].is_number_integer())
      continue;
    const auto step = event["step"].get<std::int64_t>();
    if (event["event"] == "resumed")
      std::erase_if(changes, [&](const EquationChange& change) { return change.step > step; });
    else if (event["event"] == equation_changed_event && event.contains("changes") &&
             event["changes"].is_string())
      changes.push_back({step, event["changes"].get<std::string>()});
  }
  return changes;
}

bool was_changed_at(const std::vector<EquationChange>& changes, std::int64_t step) {
  return std::ranges::count(changes, step, &EquationChange::step) > 0;
}

std::string text_of(const std::vector<EquationChange>& changes, std::int64_t up_to_step) {
  std::string text;
  for (const auto& [step, change] : changes)
    if (step <= up_to_step)
      text += fmt::format("{}step {}: {}", text.empty() ? "" : "\n", step, change);
  return text;
}

}  // namespace lapl
