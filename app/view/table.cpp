#include "app/view/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/config/config_text.hpp"
#include "io/json.hpp"

namespace lapl {

std::string table_text(const std::vector<std::vector<std::string>>& lines, int indent) {
  std::vector<std::size_t> widths;
  for (const auto& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (std::size_t i = 0; i + 1 < line.size(); ++i)
      widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const auto& line : lines) {
    std::string columns(indent, ' ');
    for (std::size_t i = 0; i < line.size(); ++i)
      columns += fmt::format("{:<{}}", line[i], widths[i] + 2);
    text += columns.substr(0, columns.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string cell_text(const nlohmann::ordered_json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) {
    const std::string text = value.get<std::string>();
    return text.find('\n') == std::string::npos ? printable(text) : "(text; see --json)";
  }
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  if (!value.is_array()) return printable(json_text(value));
  constexpr std::size_t most = 6;
  if (value.size() > most)
    return fmt::format("{}: {} ... {}", value.size(), cell_text(value.front()),
                       cell_text(value.back()));
  std::string text;
  for (const nlohmann::ordered_json& element : value)
    text += (text.empty() ? "" : ", ") + cell_text(element);
  return text;
}

}  // namespace lapl
