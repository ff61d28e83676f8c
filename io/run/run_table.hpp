// The tables of a run folder, diagnostics.csv and probes.csv, with a line for each recorded step.
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
  /// matches columns by name. Values are nan in columns that a line lacks and in `moved` ones,
  /// which now mean something else. If a column is dropped, the old table is kept beside this one
  /// and its path returned; else the path is empty. Throws IoError.
  std::filesystem::path begin(std::int64_t step, const std::vector<std::string>& moved = {}) const;

  /// Adds whole lines; the next sync of the folder makes them durable. Throws IoError.
  void add(const std::string& lines) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::vector<std::string> columns_;
};

/// The parts of a line between its commas.
std::vector<std::string> table_parts(const std::string& line);

}  // namespace lapl
