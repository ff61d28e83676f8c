// Exports time series to files that other programs read. A series is a list of records, read one at
// a time. Each file is written under a temporary name, record by record, and then replaces the file
// at `path`. All functions throw IoError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "io/hdf5/field_values.hpp"
#include "kernels/grid/grid.hpp"
#include "solver/units.hpp"

namespace lapl {

/// Every `every`-th step from `first` to `last`, both included.
struct StepRange {
  std::int64_t first = 0;
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  std::int64_t every = 1;

  bool contains(std::int64_t step) const {
    return step >= first && step <= last && (step - first) % every == 0;
  }
};

/// One output of a series, and its place in a file.
struct SeriesRecord {
  std::filesystem::path file;
  std::size_t record = 0;  ///< index in the file
  std::int64_t step = 0;
  double time = 0;
  std::vector<std::string> fields;  ///< names of its datasets
};

/// A time series: a grid and its records.
struct Series {
  Shape shape;
  Spacing spacing;
  Units units;
  Precision precision = Precision::float64;
  std::vector<SeriesRecord> records;  ///< by step; at least one
  /// Called before each field of a record is read.
  std::function<void(const SeriesRecord&)> before_reading = [](const SeriesRecord&) {};

  /// Names of all datasets in any record: those of the last record in its order, then the others.
  std::vector<std::string> fields() const;
};

/// Opens the outputs in `range` of a run folder, an index, an output or an exported file; for a run
/// in progress, the outputs finished so far. Verifies every file's seal. Throws IoError, and
/// ConfigError if there is no output in `range`.
Series open_series(const std::filesystem::path& path, const StepRange& range);

/// The values of one record; NaN if it lacks the field. Verifies the file's seal again, because the
/// file may have changed. Throws IoError.
FieldValues read_record(const Series& series, const SeriesRecord& record, const std::string& field);

/// Writes all values to one sealed file that is netCDF-4/CF and VTKHDF at once (docs/format.md,
/// format series). `history` is the text of its attribute of that name.
void write_series_file(const std::filesystem::path& path, const Series& series,
                       const std::vector<std::string>& fields, const std::string& history);

/// Variables of a sweep's file with a text for each member.
inline constexpr const char *sweep_status = "status", *sweep_digest = "digest";

/// The runs of a sweep.
struct SweptSeries {
  struct Key {
    std::string name, key;
    nlohmann::ordered_json values;  ///< numbers or texts
  };
  struct Member {
    std::vector<std::size_t> place;  ///< for each key the index of its value
    std::string status, digest;
    std::optional<Series> series;  ///< none: it has no output
  };
  std::vector<Key> keys;
  std::vector<Member> members;
};

/// Writes all members to one sealed netCDF-4 file (docs/format.md, format sweep), whose dimensions
/// are the keys, the time and the grid. With `link` the fields are virtual datasets that refer to
/// the members' files by relative paths. Throws ConfigError if grids differ, or for more links than
/// readers follow.
void write_sweep_file(const std::filesystem::path& path, SweptSeries sweep,
                      const std::vector<std::string>& fields, const std::string& history,
                      bool link);

/// Writes NumPy's format version 1.0 (numpy.lib.format): an array (time, [planes, rows,] columns).
/// With a single record the array has no time axis.
void write_npy(const std::filesystem::path& path, const Series& series, const std::string& field);

/// Writes the bare values, little-endian, record after record, and next to this file an XDMF file
/// that describes it to ParaView (https://www.xdmf.org, version 3).
void write_raw(const std::filesystem::path& path, const Series& series, const std::string& field);
/// The path of the XDMF file that describes a file of raw values.
std::filesystem::path xdmf_path(const std::filesystem::path& raw);

/// Writes one line per cell: step, time, [plane, row,] column, value, in the fewest digits that
/// read back as the same numbers. Throws ConfigError for more than most_csv_lines lines.
void write_csv(const std::filesystem::path& path, const Series& series, const std::string& field);
/// Largest number of lines in a CSV file, about as many as spreadsheets open (2^20).
inline constexpr std::int64_t most_csv_lines = 1'000'000;

}  // namespace lapl
