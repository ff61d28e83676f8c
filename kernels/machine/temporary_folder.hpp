#pragma once

#include <filesystem>
#include <string>

namespace lapl {

/// $TMPDIR as an absolute path, or /tmp if it is not set or empty. Throws IoError.
std::filesystem::path folder_of_temporaries();

/// A new folder that only this user can enter. It is removed with the object, unless it is to be
/// kept. If the process is killed first, the next one that makes a folder of this name removes it.
class TemporaryFolder {
 public:
  /// Makes the folder `.lapl-NAME-` plus six characters, or `NAME-` plus six if it is to be kept.
  /// Throws IoError.
  TemporaryFolder(const std::filesystem::path& parent, const std::string& name, bool keep = false);
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }
  /// Descriptor of the open folder, which stays the same one if it is renamed.
  int descriptor() const { return descriptor_; }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;  // holds the lock that keeps remove_leftovers away
  bool keep_;
};

}  // namespace lapl
