#pragma once

#include <filesystem>
#include <string>

namespace lapl {

/// $TMPDIR as an absolute path, or /tmp if it is unset or empty. Throws IoError.
std::filesystem::path folder_of_temporaries();

/// A new folder that only this user can enter. The destructor removes it, unless it is to be kept.
/// If the process is killed first, the next process that creates a folder of this name removes it.
class TemporaryFolder {
 public:
  /// Creates the folder `.lapl-NAME-` plus six characters, or `NAME-` plus six if it is to be kept.
  /// Throws IoError.
  TemporaryFolder(const std::filesystem::path& parent, const std::string& name, bool keep = false);
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }
  /// Descriptor of the open folder, which stays valid if the folder is renamed.
  int descriptor() const { return descriptor_; }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;  // holds the lock that protects the folder from remove_leftovers
  bool keep_;
};

}  // namespace lapl
