// A file that is written under a temporary name and renamed when it is complete.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "io/durable/posix_file.hpp"

namespace lapl {

/// The file `.NAME.tmp-PID` in the target's folder; the destructor removes it unless committed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& target);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  const std::filesystem::path& path() const { return path_; }
  const std::filesystem::path& target() const { return target_; }

  /// Opens the temporary file and protects it from remove_leftovers.
  PosixFile open(int flags) const;

  /// Syncs `file` and renames it to the target, durably.
  void commit(PosixFile& file);

 private:
  void remove() const noexcept;

  std::filesystem::path target_, path_;
  bool renamed_ = false;
};

/// Calls `write_hdf5`. If that throws IoError because the disk is full or failing, adds the
/// system's reason, which HDF5 does not report.
void naming_system_error(const std::function<void()>& write_hdf5);

/// Calls `write_hdf5` with the path of a file in memory and returns this file, if `expected_bytes`
/// are at most 2 MiB or a quarter of the available memory and the system has such files. Otherwise
/// calls it with `path` and returns none. Messages call the file `label`. Throws IoError.
std::optional<PosixFile> write_scratch(
    const std::filesystem::path& path, const std::string& label, std::uint64_t expected_bytes,
    const std::function<void(const std::filesystem::path&)>& write_hdf5);

}  // namespace lapl
