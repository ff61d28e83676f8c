// Checkpoints: the full state in the run's precision, and everything that must match on resuming.
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

/// The length of the list of outputs (io/run/output_list.hpp) at some time and the low half of the
/// XXH3 digest of that part.
struct OutputListMark {
  std::uint64_t bytes = 0;
  std::uint64_t digest = 0;
  bool operator==(const OutputListMark&) const = default;
};

/// Everything but the values. dt and coefficient are stored as raw bits.
struct CheckpointHeader {
  std::string config;  ///< resolved config, YAML
  Shape shape;
  std::vector<std::string> fields = std::vector<std::string>(1, "field");  ///< in order
  std::int64_t step = 0;
  std::optional<double> time = {};  ///< seconds; none in files of versions without one
  double time_step = 0;
  double coefficient = 0;
  std::uint64_t state_digest = 0;
  std::optional<std::uint64_t> equation_digest = {};  ///< none in files of versions without one
  /// Name and state digest of each output so far. Only files of earlier versions have these; later
  /// ones have a mark of the list of outputs.
  std::vector<std::pair<std::string, std::uint64_t>> outputs = {};
  /// Steps up to this one with a due output that could not be stored.
  std::vector<std::int64_t> missing_outputs;
  std::optional<OutputListMark> output_list = {};
  /// The state of the step control (solver/step_control.hpp) where steps vary; else empty.
  std::vector<std::uint64_t> step_state = {};
};

/// The time of the state in seconds; for a file of an earlier version, computed from its step.
double header_time(const CheckpointHeader& header);

/// A header with the values of the state.
struct Checkpoint {
  CheckpointHeader header;
  FieldValues values;  ///< every field, one after the other; empty after scan_checkpoint
};

/// Writes a sealed file, atomically and durably, by all ranks together: `values` are the rows
/// `rows` of each field, field after field. The ranks' ranges follow one another; some may be
/// empty. Ranks other than the first need only shape and fields in the header. Throws the same
/// IoError on all ranks.
void write_checkpoint(FileWriter& writer, Ranks& ranks, const std::filesystem::path& path,
                      const CheckpointHeader& header, RowRange rows, FieldView values);
/// Starts to write the state of the next checkpoint (FileWriter::begin). `values` has this number
/// of `fields`, one after the other.
void begin_checkpoint(FileWriter& writer, const std::filesystem::path& path, std::size_t fields,
                      FieldView values);

/// Reads a checkpoint after verifying its seal and its state digest. Throws CheckpointError with
/// the file and the reason where it cannot be used.
Checkpoint read_checkpoint(const std::filesystem::path& path);

/// As read_checkpoint, for a state too large for one process: hands the values to `use_values`
/// piece by piece and keeps none.
Checkpoint scan_checkpoint(const std::filesystem::path& path,
                           const std::function<void(FieldView piece)>& use_values);

/// These rows of each field, field after field, from a file that scan_checkpoint has verified.
/// Throws CheckpointError.
FieldValues read_checkpoint_rows(const std::filesystem::path& path, RowRange rows);

/// The file name in RUN/checkpoints: step-000002500.h5.
std::string checkpoint_file_name(std::int64_t step);
/// The step in such a file name; -1 for any other name.
std::int64_t step_of_checkpoint(const std::string& name);

/// The checkpoint files in `folder`, newest step first, without temporary files.
std::vector<std::filesystem::path> list_checkpoints(const std::filesystem::path& folder);

}  // namespace lapl
