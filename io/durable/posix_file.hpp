// An open file with checked operations: a read, write, fsync or close that fails throws IoError
// with the file's name, the operation and the system's reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace lapl {

class PosixFile {
 public:
  /// Opens `path`, a regular file (or, with O_DIRECTORY, a folder), with the flags of open(2);
  /// messages call it `label`. Throws IoError for anything else, without waiting for a pipe.
  PosixFile(const std::filesystem::path& path, int flags, std::string label);

  /// An empty file in memory, with a path (scratch_path); none on systems without memfd or /proc.
  static std::optional<PosixFile> in_memory(std::string label);

  PosixFile(PosixFile&& other) noexcept;
  PosixFile& operator=(PosixFile&&) = delete;
  ~PosixFile();

  /// Fills the buffer from the file offset on. Returns the number of bytes read, which is smaller
  /// at the end of the file.
  std::size_t read(std::span<std::byte> buffer) const;
  void write(std::span<const std::byte> bytes) const;
  /// Writes at `position` and leaves the file offset unchanged.
  void write_at(std::span<const std::byte> bytes, std::uint64_t position) const;
  /// Sets the file offset.
  void seek(std::uint64_t position) const;
  std::uint64_t size() const;
  /// Calls fsync. Must not be called again after a failure: the kernel may have dropped unwritten
  /// pages, so a second fsync that succeeds proves nothing (Rebello et al., "Can Applications
  /// Recover from fsync Failures?", USENIX ATC 2020).
  void sync() const;
  void close();
  /// Cuts the file to `size` bytes; for cleaning up after an error, so a failure is ignored.
  void truncate(std::uint64_t size) const noexcept;

  enum class Lock { taken, held, unsupported };
  /// Locks the file against other processes until it is closed or this process ends. `held`:
  /// another process holds the lock; `unsupported`: the file system has no such locks.
  Lock try_lock() const;

  /// Protects the file from remove_leftovers (kernels/machine/leftovers.hpp) until it is closed.
  void protect() const noexcept;

  /// A path by which this process can open the file again, even if the file has no name.
  std::filesystem::path scratch_path() const;
  int descriptor() const { return descriptor_; }

  /// The file as a C stream from the file offset on; the stream may outlive this object.
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream() const;

 private:
  PosixFile(int descriptor, std::string label);

  int descriptor_ = -1;
  std::string label_;
};

/// The first `most` bytes of a regular file, or all of them if there are fewer. Throws IoError.
std::string read_start(const std::filesystem::path& path,
                       std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

/// Makes creations and renames in a folder durable. Throws IoError.
void sync_folder(const std::filesystem::path& path);

/// Throws IoError "LABEL: cannot OPERATION: reason", with the reason that errno gives.
[[noreturn]] void throw_system_error(const std::string& label, const std::string& operation);

}  // namespace lapl
