// The tables of a run folder, diagnostics.csv and probes.csv, with one line per recorded step.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lapl {

/// One table, with its path and columns.
class RunTable {
 public:
  /// `columns` follow the step and the time.
  RunTable(std::filesystem::path path, std::vector<std::string> columns);

  /// Prepares the table for a run that continues from `step`: keeps lines of earlier steps and
  /// matches columns by name. A value is nan if the line lacks its column, or if the column is in
  /// `moved`, because its meaning has changed. If a column is dropped, keeps the old table in the
  /// same folder and returns its path; else returns an empty path. Throws IoError.
  std::filesystem::path begin(std::int64_t step, const std::vector<std::string>& moved = {}) const;

  /// Appends complete lines; the next sync of the run folder makes them durable. Throws IoError.
  void add(const std::string& lines) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::vector<std::string> columns_;
};

/// The parts of a line between its commas.
std::vector<std::string> table_parts(const std::string& line);

}  // namespace lapl
