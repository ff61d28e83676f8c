// Writes outputs, checkpoints and the index, by one process or by many ranks:
//
//   first rank   HDF5 lays the file out in memory, without values; the places of the values are
//                found and kept for the next file of the same layout
//   every rank   writes its bytes at their places in the temporary file and calls fsync
//   every rank   hashes its bytes in turn, in the order of the file: the seal
//   first rank   appends the seal and renames the file
//
// HDF5 can lose data without an error, so it writes its own parts twice and the bytes are compared.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/hdf5/field_values.hpp"
#include "kernels/grid/grid.hpp"
#include "kernels/ranks/ranks.hpp"

namespace lapl {

/// The file that HDF5 lays out.
struct FilePlan {
  Shape shape;
  std::vector<std::pair<std::string, Precision>> fields = {};  ///< by their datasets' names
  std::size_t records = 1;                                     ///< of each field
  std::uint64_t expected_bytes = 0;  ///< upper bound for everything but the values of fields
  /// Makes the file, with a dataset without values for each field (lay_out_record).
  std::function<void(const std::filesystem::path& scratch)> write_hdf5 = {};
};

/// Values of other datasets, by name.
using NamedValues = std::vector<std::pair<std::string, std::span<const std::byte>>>;

/// The part of a file that one rank has.
struct RankedValues {
  RowRange rows;
  std::vector<FieldView> fields = {};  ///< these rows of each field of the plan
  /// other values that differ between files of one layout; on the first rank
  NamedValues changing = {};
};

/// The places of a file's bytes.
struct FileLayout {
  /// Values of a field that are contiguous in the file.
  struct Run {
    std::size_t field = 0, record = 0;
    ValueRun run;
  };
  std::uint64_t size = 0;               ///< without the seal
  std::vector<Run> runs;                ///< in the order of the file
  std::vector<std::byte> rest;          ///< the bytes before, between and after the runs
  std::vector<std::uint64_t> changing;  ///< positions of the changing values in `rest`
};

/// Writes files and reuses the layout of the one before where they are alike.
class FileWriter {
 public:
  /// Writes a sealed file, atomically and durably. Collective; throws on all ranks the IoError of
  /// the first rank that failed. The first rank calls the plan's write_hdf5, unless `key` equals
  /// that of the last call, which states that the plans differ in values alone. An empty key equals
  /// none.
  void write(Ranks& ranks, const std::filesystem::path& path, const FilePlan& plan,
             const RankedValues& values, const std::string& key);

 private:
  std::string key_;  // of the layout
  FileLayout layout_;
};

/// Takes the values of a field of the plan at a record.
using PutRecord = std::function<void(std::size_t field, std::size_t record, FieldView values)>;

/// Writes a file of many records; `make` hands over their values in any order, and `changing` is
/// read after it returns. Throws IoError, and what `make` throws.
void write_records(const std::filesystem::path& path, const FilePlan& plan,
                   const NamedValues& changing,
                   const std::function<void(const PutRecord& put)>& make);

}  // namespace lapl
