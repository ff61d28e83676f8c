// A folder for the time of a command, on the disk that a run writes to.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "io/durable/posix_file.hpp"

namespace lapl {

/// `path`, or the nearest folder above it that exists.
std::filesystem::path nearest_existing(std::filesystem::path path);

/// The folder that a run folder is in, or would be made in: the nearest that exists.
std::filesystem::path parent_of(const std::string& run_folder);

/// A new folder that goes with the object, unless it is to be kept. Where a signal ends the process
/// first, the next one of that name removes it.
class TemporaryFolder {
 public:
  /// Called `.lapl-NAME-` and six characters, or `NAME-` and these where it is to be kept. Throws
  /// IoError.
  TemporaryFolder(const std::filesystem::path& parent, const std::string& name, bool keep = false);
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::optional<PosixFile> held_;  // path_
  bool keep_;
};

}  // namespace lapl
