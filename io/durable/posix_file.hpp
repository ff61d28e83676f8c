// An open file whose every operation is checked: reads, writes, fsync and close that fail throw an
// IoError with the file's name, the operation and the system's reason.
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
  /// Opens `path` with open(2)'s flags; `label` stands for it in messages. Never waits: what is no
  /// regular file (nor a folder, with O_DIRECTORY) is refused, be it a pipe, a socket or a device.
  PosixFile(const std::filesystem::path& path, int flags, std::string label);

  /// An empty file in memory that also has a path (scratch_path); none where the system has no
  /// memfd or no /proc.
  static std::optional<PosixFile> in_memory(std::string label);

  PosixFile(PosixFile&& other) noexcept;
  PosixFile& operator=(PosixFile&&) = delete;
  ~PosixFile();

  /// Fills the buffer from the present position on. Returns the bytes read: fewer than that where
  /// the file ends before.
  std::size_t read(std::span<std::byte> buffer) const;
  void write(std::span<const std::byte> bytes) const;
  /// From `position` on, which leaves the present one as it is.
  void write_at(std::span<const std::byte> bytes, std::uint64_t position) const;
  /// The next read or write starts at `position`.
  void seek(std::uint64_t position) const;
  std::uint64_t size() const;
  /// fsync, once: after a failure the kernel may have dropped what it could not write, so a second
  /// fsync that succeeds would prove nothing (Rebello et al., "Can Applications Recover from fsync
  /// Failures?", USENIX ATC 2020).
  void sync() const;
  void close();
  /// Cuts the file to `size` bytes, for tidying up after an error: one of its own is not reported.
  void truncate(std::uint64_t size) const noexcept;

  enum class Lock { taken, held, unsupported };
  /// Locks the file against other processes until it is closed, however this process ends; `held`
  /// where one has done so before, `unsupported` where the file system has no such locks.
  Lock try_lock() const;

  /// Keeps remove_leftovers (kernels/machine/leftovers.hpp) away until the file is closed.
  void hold() const noexcept;

  /// A path by which this process can open the same file again, even where it has no name.
  std::filesystem::path scratch_path() const;

  /// The file, from where it is now on, as the C library reads it; stays open after this object.
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream() const;

 private:
  PosixFile(int descriptor, std::string label);

  int descriptor_ = -1;
  std::string label_;
};

/// The first `most` bytes of a regular file; all of it where it has no more. Throws IoError.
std::string read_start(const std::filesystem::path& path,
                       std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

/// Makes the names in a folder durable. Throws IoError.
void sync_folder(const std::filesystem::path& path);

/// Throws IoError "LABEL: cannot OPERATION: reason", the reason being errno's.
[[noreturn]] void throw_system_error(const std::string& label, const std::string& operation);

}  // namespace lapl
