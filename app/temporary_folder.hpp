// A folder for the time of a command, on the disk that a run writes to.
#pragma once

#include <filesystem>
#include <string>

namespace lapl {

/// `path`, or the nearest folder above it that exists.
std::filesystem::path nearest_existing(std::filesystem::path path);

/// The folder that a run folder is in, or would be made in: the nearest that exists.
std::filesystem::path parent_of(const std::string& run_folder);

/// A new folder that goes with the object, unless it is to be kept. Signals must be caught by then,
/// or they leave it behind.
class TemporaryFolder {
 public:
  /// Its name is `prefix` and six characters. Throws IoError.
  TemporaryFolder(const std::filesystem::path& parent, const std::string& prefix,
                  bool keep = false);
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  bool keep_;
};

}  // namespace lapl
