// Tables of a run folder, diagnostics.csv and probes.csv: a line for each of some steps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lapl {

class RunTable {
 public:
  /// `columns` come after the step and the time.
  RunTable(std::filesystem::path path, std::vector<std::string> columns);

  /// Makes the table for a run that goes on from `step`: keeps the lines of steps before, a column
  /// by its name (nan where a line has none of it, and where it is one of `moved`, which says
  /// something else now). A table with columns that are not kept is kept whole, beside this one;
  /// returns its path, empty where there is none. Throws IoError.
  std::filesystem::path begin(std::int64_t step, const std::vector<std::string>& moved = {}) const;

  /// Adds whole lines, durably at the next sync of the folder. Throws IoError.
  void add(const std::string& lines) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::vector<std::string> columns_;
};

/// The parts of a line between its commas.
std::vector<std::string> table_parts(const std::string& line);

}  // namespace lapl
