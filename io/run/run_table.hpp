// The tables of a run folder, diagnostics.csv and probes.csv, with one line per recorded step.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "io/run/run_folder.hpp"
#include "solver/run_config.hpp"

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

/// The columns of diagnostics.csv after the step and the time; the last is the speed.
std::vector<std::string> diagnostics_table_columns(const RunConfig& config);

/// diagnostics.csv of a run folder.
RunTable diagnostics_table(const RunFolder& folder, const RunConfig& config);

/// probes.csv of a run folder.
RunTable probes_table(const RunFolder& folder, const RunConfig& config);

/// Reads a table line by line, its columns by their names.
class TableReader {
 public:
  /// `columns` are read, in this order; one that is in `moved` counts as lacking.
  TableReader(const std::string& text, const std::vector<std::string>& columns,
              const std::vector<std::string>& moved = {});

  /// True if the table has this one of the columns that are read.
  bool has(std::size_t column) const { return places_.at(column).has_value(); }
  /// True if the table has columns that are not read.
  bool has_others() const;

  /// The texts of the next line, "nan" in columns that the table lacks; no text at all if the line
  /// has more or fewer parts than the head. None after the last whole line.
  std::optional<std::vector<std::string>> next();

 private:
  std::istringstream lines_;
  std::size_t parts_;                               // number of parts of a line
  std::vector<std::optional<std::size_t>> places_;  // index in a line, by column
};

}  // namespace lapl
