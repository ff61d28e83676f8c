// A file that gets its name only when it is whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

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

/// What HDF5 has written: in memory, or in the temporary file itself.
struct ScratchFile {
  PosixFile file;  ///< the temporary one, open for writing
  std::optional<PosixFile> memory;

  const PosixFile& written() const { return memory ? *memory : file; }
};

/// Has `write_hdf5` write at a scratch path, as write_sealed says. Throws IoError.
ScratchFile write_scratch(const TemporaryFile& temporary, std::uint64_t expected_bytes,
                          const std::function<void(const std::filesystem::path&)>& write_hdf5);

}  // namespace lapl
