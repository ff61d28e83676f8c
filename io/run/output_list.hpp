// RUN/checkpoints/outputs.csv, the list of a run's outputs. Lines are only appended, so a
// checkpoint stores the length of the list instead of the list. docs/format.md gives its layout.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "io/durable/seal.hpp"
#include "io/hdf5/checkpoint.hpp"

namespace lapl {

/// State digests of outputs, by step.
using OutputDigests = std::map<std::int64_t, std::uint64_t>;

/// The path of the list in the folder of a checkpoint.
std::filesystem::path output_list_beside(const std::filesystem::path& checkpoint);

/// The outputs in the part of the list that `mark` describes. Throws IoError if the list cannot be
/// read or this part has changed.
OutputDigests read_output_list(const std::filesystem::path& path, const OutputListMark& mark);

/// The list of a run in progress.
class OutputList {
 public:
  /// Continues the list from a checkpoint with its outputs and its mark; a new run has no mark.
  OutputList(std::filesystem::path path, const OutputDigests& outputs,
             const std::optional<OutputListMark>& mark);

  void add(std::int64_t step, std::uint64_t state_digest);
  void remove(std::int64_t step);

  /// Makes all changes durable. If the file is missing or was cut, writes the whole list. May be
  /// called again after an IoError.
  OutputListMark store();

 private:
  std::filesystem::path path_;
  OutputDigests outputs_;
  SealMaker stored_;     // checksum of the lines in the file
  OutputListMark mark_;  // describes the lines in the file
  std::string waiting_;  // lines that are not in the file yet
};

}  // namespace lapl
