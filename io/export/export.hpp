// Exports time series to files that other programs read. Each file is written under a temporary
// name, record by record, and then replaces the file at `path`. All functions throw IoError.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/export/series.hpp"

namespace lapl {

/// Writes all values to one sealed file that is netCDF-4/CF and VTKHDF at once (docs/format.md,
/// format series). `history` is the text of its attribute of that name.
void write_series_file(const std::filesystem::path& path, const Series& series,
                       const std::vector<std::string>& fields, const std::string& history);

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
