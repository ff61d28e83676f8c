// JSON that anybody may have written: read without trust, and written whatever bytes its texts
// hold.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace lapl {

/// The value; discarded where the text is not JSON, or nested deeper than lapl writes.
nlohmann::ordered_json parse_json(std::string_view text);

/// run.json of a run folder. Throws IoError where it cannot be read or is not an object.
nlohmann::ordered_json read_summary(const std::filesystem::path& folder);

/// The value as text, with U+FFFD in the place of bytes that are not UTF-8.
std::string json_text(const nlohmann::ordered_json& value, int indent = -1);

}  // namespace lapl
