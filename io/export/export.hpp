// Exports time series to files of other programs. Each file is written under a temporary name,
// record by record, and then replaces the file at `path`. All functions throw IoError.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/export/series.hpp"

namespace lapl {

/// Writes all values to one sealed netCDF-4/CF and VTKHDF file (docs/format.md, format series).
/// `history` becomes a line of the attribute of that name.
void write_series_file(const std::filesystem::path& path, const Series& series,
                       const std::vector<std::string>& fields, const std::string& history);

/// NumPy's format version 1.0 (numpy.lib.format): an array (time, [planes, rows,] columns), without
/// time for one record.
void write_npy(const std::filesystem::path& path, const Series& series, const std::string& field);

/// The values alone, little-endian, record after record, and an XDMF file beside it that describes
/// them to ParaView (https://www.xdmf.org, version 3).
void write_raw(const std::filesystem::path& path, const Series& series, const std::string& field);
/// The path of the XDMF file beside raw values.
std::filesystem::path xdmf_path(const std::filesystem::path& raw);

/// One line per cell: step, time, [plane, row,] column, value, in the fewest digits that read back
/// as the same numbers. Throws ConfigError above most_csv_lines.
void write_csv(const std::filesystem::path& path, const Series& series, const std::string& field);
/// About the number of lines that spreadsheets open (2^20).
inline constexpr std::int64_t most_csv_lines = 1'000'000;

}  // namespace lapl
