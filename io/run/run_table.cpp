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
#include "solver/diagnostics.hpp"

namespace lapl {

std::vector<std::string> diagnostics_table_columns(const RunConfig& config) {
  std::vector<std::string> columns = diagnostics_columns(config);
  columns.emplace_back("cells_per_second");
  return columns;
}

RunTable diagnostics_table(const RunFolder& folder, const RunConfig& config) {
  return {folder.diagnostics(), diagnostics_table_columns(config)};
}

RunTable probes_table(const RunFolder& folder, const RunConfig& config) {
  return {folder.probes(), probe_columns(config)};
}

RunTable::RunTable(std::filesystem::path path, std::vector<std::string> columns)
    : path_(std::move(path)), columns_({"step", "time"}) {
  columns_.insert(columns_.end(), columns.begin(), columns.end());
}

std::filesystem::path RunTable::begin(std::int64_t step,
                                      const std::vector<std::string>& moved) const {
  const std::string before = std::filesystem::exists(path_) ? read_start(path_) : "";
  TableReader earlier(before, columns_, moved);
  std::string kept;
  while (const auto line = earlier.next()) {
    std::int64_t of = step;
    if (!line->empty())
      std::from_chars(line->front().data(), line->front().data() + line->front().size(), of);
    if (of < step) kept += fmt::format("{}\n", fmt::join(*line, ","));
  }
  std::filesystem::path aside;
  if (!kept.empty() && earlier.has_others()) {
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

namespace {

// The parts of a line between its commas.
std::vector<std::string> table_parts(const std::string& line) {
  std::vector<std::string> parts;
  for (std::size_t first = 0, comma = 0; comma != line.npos; first = comma + 1)
    parts.push_back(line.substr(first, (comma = line.find(',', first)) - first));
  return parts;
}

}  // namespace

TableReader::TableReader(const std::string& text, const std::vector<std::string>& columns,
                         const std::vector<std::string>& moved)
    : lines_(text) {
  std::string head;
  std::getline(lines_, head);
  const std::vector<std::string> names = table_parts(head);
  parts_ = names.size();
  for (const std::string& column : columns) {
    const auto at = std::ranges::find(names, column);
    places_.emplace_back();
    if (at != names.end() && std::ranges::count(moved, column) == 0)
      places_.back() = at - names.begin();
  }
}

bool TableReader::has_others() const {
  return std::ranges::count_if(places_, [](const auto& place) { return place.has_value(); }) <
         static_cast<std::ptrdiff_t>(parts_);
}

std::optional<std::vector<std::string>> TableReader::next() {
  std::string line;
  // An incomplete line, which has no line end, is still being written.
  if (!std::getline(lines_, line) || lines_.eof()) return std::nullopt;
  const std::vector<std::string> parts = table_parts(line);
  std::vector<std::string> texts;
  if (parts.size() == parts_)
    for (const auto& place : places_) texts.push_back(place ? parts[*place] : "nan");
  return texts;
}

}  // namespace lapl
