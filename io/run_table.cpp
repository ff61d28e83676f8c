#include "io/run_table.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>

#include "io/durable/durable_file.hpp"
#include "io/durable/lines.hpp"
#include "io/durable/posix_file.hpp"

namespace lapl {

RunTable::RunTable(std::filesystem::path path, std::vector<std::string> columns)
    : path_(std::move(path)), columns_({"step", "time"}) {
  columns_.insert(columns_.end(), columns.begin(), columns.end());
}

void RunTable::begin(std::int64_t step) const {
  std::string kept = fmt::format("{}\n", fmt::join(columns_, ","));
  std::istringstream file(std::filesystem::exists(path_) ? read_start(path_) : "");
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = table_parts(line);
  while (std::getline(file, line) && !file.eof()) {  // a line without its end was torn
    const std::vector<std::string> values = table_parts(line);
    std::int64_t of = 0;
    const std::string& first = values.front();
    if (std::from_chars(first.data(), first.data() + first.size(), of).ec != std::errc() ||
        of >= step || values.size() != names.size())
      continue;
    std::vector<std::string> row;
    for (const std::string& column : columns_) {
      const auto place = std::ranges::find(names, column);
      row.push_back(place == names.end() ? "nan" : values[place - names.begin()]);
    }
    kept += fmt::format("{}\n", fmt::join(row, ","));
  }
  replace_file(path_, kept);
}

void RunTable::add(const std::string& lines) const { append_lines(path_, lines, Durable::later); }

std::vector<std::string> table_parts(const std::string& line) {
  std::vector<std::string> parts;
  std::istringstream text(line);
  for (std::string part; std::getline(text, part, ',');) parts.push_back(part);
  if (parts.empty()) parts.emplace_back();
  return parts;
}

}  // namespace lapl
