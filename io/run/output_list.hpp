// RUN/checkpoints/outputs.csv, the list of a run's outputs. Lines are only ever added, so a
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

/// The path of the list beside a checkpoint.
std::filesystem::path output_list_beside(const std::filesystem::path& checkpoint);

/// The outputs in the part of the list that `mark` describes. Throws IoError where it cannot be
/// read or that part has changed.
OutputDigests read_output_list(const std::filesystem::path& path, const OutputListMark& mark);

/// The list of a run in progress.
class OutputList {
 public:
  /// Continues with the outputs of a checkpoint and its mark; `mark` is none for a new run.
  OutputList(std::filesystem::path path, const OutputDigests& outputs,
             const std::optional<OutputListMark>& mark);

  void add(std::int64_t step, std::uint64_t state_digest);
  void remove(std::int64_t step);

  /// Stores what was added, durably; where the file is gone or was cut, writes all of it. After an
  /// IoError it may be called again.
  OutputListMark store();

 private:
  std::filesystem::path path_;
  OutputDigests outputs_;
  SealMaker stored_;     // over the lines in the file
  OutputListMark mark_;  // of the lines in the file
  std::string waiting_;  // lines not in the file yet
};

}  // namespace lapl
