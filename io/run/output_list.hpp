// RUN/checkpoints/outputs.csv: which outputs a run has, in lines that are only ever added, so that
// a checkpoint need not hold them all. docs/format.md gives its layout.
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

/// The list beside a checkpoint.
std::filesystem::path output_list_beside(const std::filesystem::path& checkpoint);

/// The outputs that the list had when it was as long as `mark` says. Throws IoError where it cannot
/// be read, or where that part of it is not what it was.
OutputDigests read_output_list(const std::filesystem::path& path, const OutputListMark& mark);

/// The list of a run that is under way.
class OutputList {
 public:
  /// Goes on from the outputs of a checkpoint; `mark` is that of the checkpoint, none of a new run.
  OutputList(std::filesystem::path path, const OutputDigests& outputs,
             const std::optional<OutputListMark>& mark);

  void add(std::int64_t step, std::uint64_t state_digest);
  void remove(std::int64_t step);

  /// Stores what was added durably; where the file is gone or was cut, all of it. Throws IoError,
  /// and may be called again then.
  OutputListMark store();

 private:
  std::filesystem::path path_;
  OutputDigests outputs_;
  SealMaker stored_;     // of the lines in the file
  OutputListMark mark_;  // of the same
  std::string waiting_;  // lines that are not in the file yet
};

}  // namespace lapl
