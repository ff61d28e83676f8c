// Reads JSON of any origin, and writes JSON with texts of any bytes.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lapl {

/// The parsed value; `discarded` if the text is not JSON or has more than 100 levels.
nlohmann::ordered_json parse_json(std::string_view text);

/// The content of run.json in a run folder. Throws IoError if it is unreadable or not an object.
nlohmann::ordered_json read_summary(const std::filesystem::path& folder);

/// Does the same, but returns an empty object where read_summary throws.
nlohmann::ordered_json summary_if_any(const std::filesystem::path& folder);

/// Calls `use` for each JSON object in a file with one JSON value per line, such as log.jsonl;
/// skips lines without any of `words`. Throws IoError; a file that does not exist yet has no lines.
void for_each_event(const std::filesystem::path& log, const std::vector<std::string>& words,
                    const std::function<void(const nlohmann::ordered_json& event)>& use);

/// An object with these texts.
nlohmann::ordered_json json_object(const std::vector<std::pair<std::string, std::string>>& texts);

/// The value as text, with U+FFFD for bytes that are not UTF-8.
std::string json_text(const nlohmann::ordered_json& value, int indent = -1);

}  // namespace lapl
