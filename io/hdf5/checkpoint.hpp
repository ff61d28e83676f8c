// Checkpoints: the full state at compute precision, and what must match for it to be resumed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/hdf5/field_values.hpp"
#include "io/hdf5/file_writer.hpp"
#include "kernels/grid/grid.hpp"
#include "kernels/ranks/ranks.hpp"

namespace lapl {

/// How long the list of outputs was (io/run/output_list.hpp), and the low half of the XXH3 of that
/// part.
struct OutputListMark {
  std::uint64_t bytes = 0;
  std::uint64_t digest = 0;
  bool operator==(const OutputListMark&) const = default;
};

/// Everything but the values. dt and coefficient are stored as raw bits.
struct CheckpointHeader {
  std::string config;  ///< resolved config, YAML
  Shape shape;
  std::vector<std::string> fields = std::vector<std::string>(1, "field");  ///< of the state
  std::int64_t step = 0;
  double time_step = 0;
  double coefficient = 0;
  std::uint64_t state_digest = 0;
  std::optional<std::uint64_t> equation_digest = {};  ///< none: of a version that had none
  /// Name and state digest of each output that existed when the checkpoint was written: in files of
  /// earlier versions alone, others have the mark of a list.
  std::vector<std::pair<std::string, std::uint64_t>> outputs = {};
  /// Steps up to this one whose output was due but could not be stored.
  std::vector<std::int64_t> missing_outputs;
  std::optional<OutputListMark> output_list = {};
};

struct Checkpoint {
  CheckpointHeader header;
  FieldValues values;  ///< every field, one after the other; none of scan_checkpoint
};

/// Writes the file (temporary name, sealed, fsync, rename, fsync of the folder). Throws IoError.
void write_checkpoint(const std::filesystem::path& path, const CheckpointHeader& header,
                      FieldView values);

/// The same by all ranks together: `values` are the rows `rows` of each field, one field after the
/// other. Ranges of ranks follow one another, and some may be empty. Of the header, ranks other
/// than the first need shape and fields alone. Throws the same IoError on all ranks.
void write_checkpoint(FileWriter& writer, Ranks& ranks, const std::filesystem::path& path,
                      const CheckpointHeader& header, RowRange rows, FieldView values);

/// Reads a checkpoint once its seal and its state digest are verified. Throws CheckpointError that
/// names the file and the reason where it cannot be used.
Checkpoint read_checkpoint(const std::filesystem::path& path);

/// As read_checkpoint, of a state that no process holds: values are read piece by piece, and handed
/// to `look`.
Checkpoint scan_checkpoint(const std::filesystem::path& path,
                           const std::function<void(FieldView piece)>& look);

/// Those rows of each field, one field after the other, of a file that scan_checkpoint has found
/// whole. Throws CheckpointError.
FieldValues read_checkpoint_rows(const std::filesystem::path& path, RowRange rows);

/// step-000002500.h5, the name in the folder RUN/checkpoints.
std::string checkpoint_file_name(std::int64_t step);
/// The step in such a name (without a folder); -1 for any other name.
std::int64_t step_of_checkpoint(const std::string& name);

/// Checkpoint files in `folder`, newest step first; unfinished temporary files are not listed.
std::vector<std::filesystem::path> list_checkpoints(const std::filesystem::path& folder);

}  // namespace lapl
