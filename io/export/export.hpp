// Time series as files that other programs take. Each is written under a temporary name, one record
// at a time, and appears whole; what is at `path` is replaced. All throw IoError.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/export/series.hpp"

namespace lapl {

/// One netCDF-4/CF and VTKHDF file with all values in it, sealed: docs/format.md, format series.
/// `history` is the line that is added to the attribute of that name.
void write_series_file(const std::filesystem::path& path, const Series& series,
                       const std::vector<std::string>& fields, const std::string& history);

/// NumPy's format, version 1.0 (numpy.lib.format): (time, [planes, rows,] columns), without time
/// for one record.
void write_npy(const std::filesystem::path& path, const Series& series, const std::string& field);

/// The values alone, little-endian, record after record; and what they mean in an XDMF file
/// (https://www.xdmf.org, version 3), which ParaView opens, beside it.
void write_raw(const std::filesystem::path& path, const Series& series, const std::string& field);
std::filesystem::path xdmf_path(const std::filesystem::path& raw);

/// A line a cell: step, time, [plane, row,] column, value, the numbers in the fewest digits that
/// read back as the same ones. Throws ConfigError above most_csv_lines.
void write_csv(const std::filesystem::path& path, const Series& series, const std::string& field);
/// What spreadsheets open (2^20 lines) in round numbers.
inline constexpr std::int64_t most_csv_lines = 1'000'000;

}  // namespace lapl
