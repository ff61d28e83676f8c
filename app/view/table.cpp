#include "app/view/table.hpp"

#include <fmt/format.h>

#include <algorithm>

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
    std::string columns(static_cast<std::size_t>(indent), ' ');
    for (std::size_t i = 0; i < line.size(); ++i)
      columns += fmt::format("{:<{}}", line[i], widths[i] + 2);
    text += columns.substr(0, columns.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace lapl
