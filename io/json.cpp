#include "io/json.hpp"

#include <algorithm>
#include <cstdint>
#include <sstream>

#include "io/config/config_text.hpp"
#include "io/durable/posix_file.hpp"
#include "kernels/error.hpp"

namespace lapl {

using Json = nlohmann::ordered_json;

Json parse_json(std::string_view text) {
  constexpr int deepest = 100;  // copying and writing recurse once per level
  bool too_deep = false;
  const auto look = [&](int depth, Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > deepest;
    return depth <= deepest;
  };
  Json value = Json::parse(text, look, false);
  return too_deep ? Json(Json::value_t::discarded) : value;
}

Json read_summary(const std::filesystem::path& folder) {
  constexpr std::size_t longest = std::size_t{16} << 20;
  const std::filesystem::path path = folder / "run.json";
  Json value = parse_json(read_start(path, longest));
  if (!value.is_object()) throw IoError("{}: is damaged (not a JSON object)", path.string());
  return value;
}

Json summary_if_any(const std::filesystem::path& folder) try {
  return read_summary(folder);
} catch (const IoError&) {
  return Json::object();
}

void for_each_event(const std::filesystem::path& log, const std::vector<std::string>& words,
                    const std::function<void(const Json& event)>& use) {
  constexpr std::uint64_t most = std::uint64_t{1} << 30;
  if (!std::filesystem::exists(log)) return;
  std::istringstream lines(read_start(log, most));
  for (std::string line; std::getline(lines, line);) {
    if (std::ranges::none_of(words, [&](const auto& word) { return line.find(word) != line.npos; }))
      continue;
    if (const Json event = parse_json(line); event.is_object()) use(event);
  }
}

nlohmann::ordered_json json_object(const std::vector<std::pair<std::string, std::string>>& texts) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const auto& [name, text] : texts) object[name] = text;
  return object;
}

std::string json_text(const Json& value, int indent) {
  return escaped_json(value.dump(indent, ' ', false, Json::error_handler_t::replace));
}

}  // namespace lapl
