#include "io/run/run_changes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/json.hpp"

namespace lapl {
namespace {

constexpr const char* earlier_event = "equation_changed";  // of earlier versions

}  // namespace

std::vector<RunChange> run_changes(const RunFolder& folder) {
  std::vector<RunChange> changes;
  const auto add = [&](const nlohmann::ordered_json& event) {
    if (!event.contains("event") || !event.contains("step") || !event["step"].is_number_integer())
      return;
    const auto step = event["step"].get<std::int64_t>();
    const auto& name = event["event"];
    if (name == "resumed")
      std::erase_if(changes, [&](const RunChange& change) { return change.step > step; });
    else if ((name == changed_event || name == earlier_event || name == output_changed_event) &&
             event.contains("changes") && event["changes"].is_string())
      changes.push_back({step, event["changes"].get<std::string>(), name == output_changed_event});
  };
  // The names of all three kinds of changes contain changed_event.
  for_each_event(folder.log_file(), {changed_event, "resumed"}, add);
  return changes;
}

bool was_changed_at(const std::vector<RunChange>& changes, std::int64_t step) {
  return std::ranges::any_of(
      changes, [&](const RunChange& change) { return change.step == step && !change.of_outputs; });
}

std::string run_changes_text(const std::vector<RunChange>& changes, std::int64_t up_to_step) {
  std::string text;
  for (const RunChange& change : changes)
    if (change.step <= up_to_step)
      text += fmt::format("{}step {}: {}", text.empty() ? "" : "\n", change.step, change.text);
  return text;
}

}  // namespace lapl
