#include "io/run/equation_changes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/json.hpp"

namespace lapl {

std::vector<EquationChange> equation_changes(const RunFolder& folder) {
  std::vector<EquationChange> changes;
  const auto add = [&](const nlohmann::ordered_json& event) {
    if (!event.contains("event") || !event.contains("step") || !event["step"].is_number_integer())
      return;
    const auto step = event["step"].get<std::int64_t>();
    if (event["event"] == "resumed")
      std::erase_if(changes, [&](const EquationChange& change) { return change.step > step; });
    else if (event["event"] == equation_changed_event && event.contains("changes") &&
             event["changes"].is_string())
      changes.push_back({step, event["changes"].get<std::string>()});
  };
  for_each_event(folder.log_file(), {equation_changed_event, "resumed"}, add);
  return changes;
}

bool was_changed_at(const std::vector<EquationChange>& changes, std::int64_t step) {
  return std::ranges::count(changes, step, &EquationChange::step) > 0;
}

std::string equation_changes_text(const std::vector<EquationChange>& changes,
                                  std::int64_t up_to_step) {
  std::string text;
  for (const auto& [step, change] : changes)
    if (step <= up_to_step)
      text += fmt::format("{}step {}: {}", text.empty() ? "" : "\n", step, change);
  return text;
}

}  // namespace lapl
