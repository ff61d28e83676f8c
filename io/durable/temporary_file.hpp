// A file that gets its name only when it is whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "io/durable/posix_file.hpp"

namespace lapl {

/// `.NAME.tmp-PID` beside the target; removed unless it was renamed to the target.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& target);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  const std::filesystem::path& path() const { return path_; }
  const std::filesystem::path& target() const { return target_; }

  /// Opens it, for as long as it is temporary.
  PosixFile open(int flags) const;

  /// Makes what was written to `file` durable under the target's name.
  void commit(PosixFile& file);

 private:
  void remove() const noexcept;

  std::filesystem::path target_, path_;
  bool renamed_ = false;
};

/// Calls `write_hdf5`. HDF5 keeps to itself why a write failed: where it was for want of room or
/// because of the disk, the message of its IoError gets the system's reason.
void naming_system_error(const std::function<void()>& write_hdf5);

/// Has `write_hdf5` write a file in memory, and returns that, while `expected_bytes` are at most
/// two MiB or a quarter of what is available; else at `path`, as where the system has no such
/// files. `label` names it in messages. Throws IoError.
std::optional<PosixFile> write_scratch(
    const std::filesystem::path& path, const std::string& label, std::uint64_t expected_bytes,
    const std::function<void(const std::filesystem::path&)>& write_hdf5);

}  // namespace lapl
