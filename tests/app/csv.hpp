// Reads the tables of a run.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "tests/app/program.hpp"

namespace lapl::test {

inline std::vector<std::vector<std::string>> csv_rows(const std::string& path) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(file_text(path));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream parts(line);
    rows.emplace_back();
    for (std::string part; std::getline(parts, part, ',');) rows.back().push_back(part);
  }
  return rows;
}

/// The values of a column, without its name.
inline std::vector<std::string> column(const std::string& path, const std::string& name) {
  const auto rows = csv_rows(path);
  const auto at = std::ranges::find(rows.front(), name) - rows.front().begin();
  std::vector<std::string> values;
  for (std::size_t row = 1; row < rows.size(); ++row) values.push_back(rows[row].at(at));
  return values;
}

/// The last value of a column of the run in `out`.
inline double last_value(const std::string& name) {
  return std::stod(column("out/diagnostics.csv", name).back());
}

}  // namespace lapl::test
