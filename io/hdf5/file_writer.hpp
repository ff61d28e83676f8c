// Writes outputs, checkpoints and the index, by one process or by many ranks:
//
//   first rank   HDF5 lays the file out in memory, without values; the places of the values are
//                found, and kept for the next file of the same layout
//   every rank   writes its bytes at their places in the temporary file and calls fsync
//                (packed chunks: each by the rank that has its first row, which gets the others)
//   every rank   adds its bytes to the seal's checksum in turn, in the order of the file
//   first rank   appends the seal and renames the file
//
// HDF5 can lose data without an error, so it lays the file out twice and the bytes are compared.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/durable/posix_file.hpp"
#include "io/durable/temporary_file.hpp"
#include "io/hdf5/field_values.hpp"
#include "kernels/grid/grid.hpp"
#include "kernels/ranks/ranks.hpp"

namespace lapl {

/// Sizes of the packed chunks of each record: of field f at record r in [f * records + r]; empty if
/// values are not compressed.
using PackedSizes = std::vector<std::vector<std::uint64_t>>;

/// A file to be laid out by HDF5.
struct FilePlan {
  Shape shape;
  /// name of each dataset, and the precision in which the file has it
  std::vector<std::pair<std::string, Precision>> fields = {};
  StoredForm form = {};  ///< in which write() stores the values; compression is that of the layout
  std::size_t records = 1;           ///< number for each field
  std::uint64_t expected_bytes = 0;  ///< upper bound for all but field values
  /// Creates the file, with a dataset without values for each field (lay_out_record).
  std::function<void(const std::filesystem::path& scratch, const PackedSizes& sizes)> write_hdf5 =
      {};
};

/// Contents of small datasets that are no fields (time, step, ...), by dataset name.
using NamedValues = std::vector<std::pair<std::string, std::span<const std::byte>>>;

/// One rank's values of a file.
struct RankedValues {
  RowRange rows;
  std::vector<FieldView> fields = {};  ///< these rows of each field of the plan
  /// other values that differ between files of the same layout; only on the first rank
  NamedValues changing = {};
};

/// The places of a file's bytes.
struct FileLayout {
  /// Values of a field that are contiguous in the file.
  struct PlacedValues {
    std::size_t field = 0, record = 0;
    ContiguousValues run;
  };
  std::uint64_t size = 0;               ///< without the seal
  std::vector<PlacedValues> runs;       ///< sorted by place in the file
  std::vector<std::byte> rest;          ///< the bytes before, between and after the runs
  std::vector<std::uint64_t> changing;  ///< positions of the changing values in `rest`
};

/// Writes files; reuses the layout of the file before if the layouts are equal.
class FileWriter {
 public:
  /// Writes a sealed file, atomically and durably. Collective; all ranks throw the IoError of the
  /// first rank that failed. An equal `key` in two calls in a row states that the plans differ only
  /// in values, so the layout is reused; otherwise, or if `key` is empty, the first rank calls the
  /// plan's write_hdf5.
  void write(Ranks& ranks, const std::filesystem::path& path, const FilePlan& plan,
             const RankedValues& values, const std::string& key);

  /// For one process: starts to write the fields' values of the next file in the background, if the
  /// layout of the file before is known and the disk has room for four such files. The next call of
  /// write() finishes that file if it has this path and the same layout; otherwise it starts anew.
  /// The values must stay until then. A failure is reported by write().
  void begin(const std::filesystem::path& path, std::vector<FieldView> fields);

 private:
  struct Begun {
    std::unique_ptr<TemporaryFile> temporary;
    PosixFile file;
    std::future<void> writing;  // last, so that its destructor waits while the file is open
  };

  std::optional<Begun> begun_;
  std::string key_;  // the key of layout_; empty: no layout
  FileLayout layout_;
};

/// A function that receives the values of one field of the plan at one record, as they are stored:
/// packed chunks follow each other.
using PutRecord =
    std::function<void(std::size_t field, std::size_t record, std::span<const std::byte> values)>;

/// Writes a file of many records. `make` calls `put` for each field and record, in any order;
/// `changing` is read after `make` returns; `sizes` are known before if values are packed. Throws
/// IoError, and what `make` throws.
void write_records(const std::filesystem::path& path, const FilePlan& plan,
                   const NamedValues& changing,
                   const std::function<void(const PutRecord& put)>& make,
                   const PackedSizes& sizes = {});

}  // namespace lapl
