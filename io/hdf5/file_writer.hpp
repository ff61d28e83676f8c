// The way in which outputs, checkpoints and the index come to be, by one process and by many ranks.
//
//   first rank   HDF5 lays the file out in memory, without values; where they go is found, and
//                kept for the next file of the same layout
//   every rank   writes its bytes at their places in the temporary file, and fsyncs it
//   every rank   hashes its bytes in turn, in the order of the file: the seal
//   first rank   appends the seal, renames
//
// HDF5 can lose data without an error: what it writes, it writes twice, and the bytes are compared.
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

/// What HDF5 lays out.
struct FilePlan {
  Shape shape;
  std::vector<std::pair<std::string, Precision>> fields = {};  ///< by their datasets' names
  std::size_t records = 1;                                     ///< of each field
  std::uint64_t expected_bytes = 0;  ///< of all but the values of fields, amply
  /// Makes the file, with a dataset without values for each field (lay_out_record).
  std::function<void(const std::filesystem::path& scratch)> write_hdf5 = {};
};

/// Values of other datasets, by their names.
using NamedValues = std::vector<std::pair<std::string, std::span<const std::byte>>>;

/// What a rank has of a file.
struct RankedValues {
  RowRange rows;
  std::vector<FieldView> fields = {};  ///< those rows of each field of the plan
  NamedValues changing = {};  ///< what else differs between files of one layout; the first's
};

/// Where the bytes of a file lie.
struct FileLayout {
  /// Values of a field that lie in one piece.
  struct Run {
    std::size_t field = 0, record = 0;
    ValueRun run;
  };
  std::uint64_t size = 0;               ///< without the seal
  std::vector<Run> runs;                ///< in the order of the file
  std::vector<std::byte> rest;          ///< what lies before, between and behind them
  std::vector<std::uint64_t> changing;  ///< where in the rest the changing values lie
};

/// Writes files, and lays out those that are alike once.
class FileWriter {
 public:
  /// Writes the file, atomically and durably, with its seal. To be called by all ranks, and throws
  /// the same IoError on all, that of the first rank which failed. The first rank alone has the
  /// plan's write_hdf5 called, and not where `key` is the same as in the last call: that says that
  /// the plan is the same but for the values. An empty key says nothing.
  void write(Ranks& ranks, const std::filesystem::path& path, const FilePlan& plan,
             const RankedValues& values, const std::string& key);

 private:
  std::string key_;  // of the layout
  FileLayout layout_;
};

/// Takes the values of a field of the plan at a record.
using PutRecord = std::function<void(std::size_t field, std::size_t record, FieldView values)>;

/// Writes a file of many records, whose values `make` hands over in any order. `changing` are
/// looked at when it has returned. Throws IoError, and what `make` throws.
void write_records(const std::filesystem::path& path, const FilePlan& plan,
                   const NamedValues& changing,
                   const std::function<void(const PutRecord& put)>& make);

}  // namespace lapl
