#include "io/run/run_table.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
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

std::filesystem::path RunTable::begin(std::int64_t step,
                                      const std::vector<std::string>& moved) const {
  const std::string before = std::filesystem::exists(path_) ? read_start(path_) : "";
  std::istringstream file(before);
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = table_parts(line);
  // For each column, its index in the earlier lines.
  std::vector<std::optional<std::size_t>> places;
  for (const std::string& column : columns_) {
    const auto at = std::ranges::find(names, column);
    places.emplace_back();
    if (at != names.end() && std::ranges::find(moved, column) == moved.end())
      places.back() = at - names.begin();
  }
  std::string kept;
  while (std::getline(file, line) && !file.eof()) {  // an incomplete line has no line end
    const std::vector<std::string> values = table_parts(line);
    std::int64_t of = 0;
    const std::string& first = values.front();
    if (std::from_chars(first.data(), first.data() + first.size(), of).ec != std::errc() ||
        of >= step || values.size() != names.size())
      continue;
    std::vector<std::string> row;
    for (const auto& place : places) row.push_back(place ? values[*place] : "nan");
    kept += fmt::format("{}\n", fmt::join(row, ","));
  }
  std::filesystem::path aside;
  const auto taken =
      std::ranges::count_if(places, [](const auto& place) { return place.has_value(); });
  if (!kept.empty() && taken < std::ssize(names)) {
    for (int n = 1; aside.empty() || std::filesystem::exists(aside); ++n)
      aside = path_.parent_path() / fmt::format("{}-earlier{}{}", path_.stem().string(),
                                                n == 1 ? "" : fmt::format("-{}", n),
                                                path_.extension().string());
    replace_file(aside, before);
  }
  replace_file(path_, fmt::format("{}\n", fmt::join(columns_, ",")) + kept);
  return aside;
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
