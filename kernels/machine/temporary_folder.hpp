// A folder for a while: that of a command beside the run it is for, that of code being compiled.
#pragma once

#include <filesystem>
#include <string>

namespace lapl {

/// $TMPDIR, or /tmp where that is not set or empty; absolute. Throws IoError.
std::filesystem::path folder_of_temporaries();

/// A new folder for this user alone that goes with the object, unless it is to be kept. Where a
/// signal ends the process first, the next one of that name removes it.
class TemporaryFolder {
 public:
  /// Called `.lapl-NAME-` and six characters, or `NAME-` and these where it is to be kept. Throws
  /// IoError.
  TemporaryFolder(const std::filesystem::path& parent, const std::string& name, bool keep = false);
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }
  /// The open folder: the same one even where somebody has renamed it.
  int descriptor() const { return descriptor_; }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;  // holds the lock that keeps remove_leftovers away
  bool keep_;
};

}  // namespace lapl
