#include "io/durable/posix_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "kernels/error.hpp"

namespace lapl {

void throw_system_error(const std::string& label, const std::string& operation) {
  const std::string reason = std::generic_category().message(errno);
  throw IoError(label + ": cannot " + operation + ": " + reason);
}

PosixFile::PosixFile(int descriptor, std::string label)
    : descriptor_(descriptor), label_(std::move(label)) {}

PosixFile::PosixFile(const std::filesystem::path& path, int flags, std::string label)
    : label_(std::move(label)) {
  do {
    // O_NONBLOCK, because opening a pipe would wait for the process at its other end.
    descriptor_ = ::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0666);
  } while (descriptor_ < 0 && errno == EINTR);
  // ENXIO: a socket, or a pipe without a reader.
  if (descriptor_ < 0 && errno != ENXIO)
    throw_system_error(label_, (flags & O_CREAT) != 0 ? "create" : "open");
  struct stat status;
  const bool known = descriptor_ >= 0 && ::fstat(descriptor_, &status) == 0;
  if (known && (S_ISREG(status.st_mode) || (flags & O_DIRECTORY) != 0)) return;
  if (descriptor_ >= 0) ::close(descriptor_);
  throw IoError(label_ + ": is not a regular file");
}

std::optional<PosixFile> PosixFile::in_memory(std::string label) {
  const int descriptor = ::memfd_create("lapl-scratch", MFD_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  PosixFile file(descriptor, std::move(label));
  if (::access(file.scratch_path().c_str(), R_OK | W_OK) != 0) return std::nullopt;
  return file;
}

PosixFile::PosixFile(PosixFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), label_(std::move(other.label_)) {}

PosixFile::~PosixFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t PosixFile::read(std::span<std::byte> buffer) const {
  std::span<std::byte> rest = buffer;
  while (!rest.empty()) {
    const ssize_t count = ::read(descriptor_, rest.data(), rest.size());
    if (count < 0 && errno != EINTR) throw_system_error(label_, "read");
    if (count == 0) break;
    if (count > 0) rest = rest.subspan(count);
  }
  return buffer.size() - rest.size();
}

void PosixFile::write(std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) throw_system_error(label_, "write");
    if (count > 0) bytes = bytes.subspan(count);
  }
}

void PosixFile::write_at(std::span<const std::byte> bytes, std::uint64_t position) const {
  while (!bytes.empty()) {
    const ssize_t count =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(position));
    if (count < 0 && errno != EINTR) throw_system_error(label_, "write");
    if (count > 0) {
      bytes = bytes.subspan(count);
      position += static_cast<std::uint64_t>(count);
    }
  }
}

void PosixFile::seek(std::uint64_t position) const {
  if (::lseek(descriptor_, static_cast<off_t>(position), SEEK_SET) < 0)
    throw_system_error(label_, "seek");
}

std::uint64_t PosixFile::size() const {
  struct stat status;
  if (::fstat(descriptor_, &status) != 0) throw_system_error(label_, "read the size");
  return static_cast<std::uint64_t>(status.st_size);
}

void PosixFile::sync() const {
  // EINVAL: the file system cannot sync folders.
  if (::fsync(descriptor_) != 0 && errno != EINVAL) throw_system_error(label_, "fsync");
}

void PosixFile::close() {
  // Linux releases the descriptor even if close fails, so it must not be closed again.
  if (::close(std::exchange(descriptor_, -1)) != 0) throw_system_error(label_, "close");
}

void PosixFile::truncate(std::uint64_t size) const noexcept {
  static_cast<void>(::ftruncate(descriptor_, static_cast<off_t>(size)) == 0);
}

PosixFile::Lock PosixFile::try_lock() const {
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return Lock::taken;
  if (errno == EWOULDBLOCK) return Lock::held;
  // Some file systems support only this other kind of lock, which also ends with the open file.
  struct flock whole {};
  whole.l_type = F_WRLCK;
  if (::fcntl(descriptor_, F_OFD_SETLK, &whole) == 0) return Lock::taken;
  if (errno == EAGAIN || errno == EACCES) return Lock::held;
  // EBADF: exclusive locks of this kind need a file opened for writing; a folder cannot be.
  for (const int none : {ENOLCK, ENOSYS, EOPNOTSUPP, EINVAL, EBADF})
    if (errno == none) return Lock::unsupported;
  throw_system_error(label_, "lock");
}

void PosixFile::protect() const noexcept {
  while (::flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

std::filesystem::path PosixFile::scratch_path() const {
  return "/proc/self/fd/" + std::to_string(descriptor_);
}

std::unique_ptr<std::FILE, int (*)(std::FILE*)> PosixFile::stream() const {
  const int copy = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  std::FILE* const stream = copy < 0 ? nullptr : ::fdopen(copy, "rb");
  if (stream == nullptr) {
    if (copy >= 0) ::close(copy);
    throw_system_error(label_, "open");
  }
  return {stream, &std::fclose};
}

void sync_folder(const std::filesystem::path& path) {
  PosixFile folder(path, O_RDONLY | O_DIRECTORY, path.string());
  folder.sync();
  folder.close();
}

std::string read_start(const std::filesystem::path& path, std::uint64_t most) {
  const PosixFile file(path, O_RDONLY, path.string());
  std::string text(std::min(file.size(), most), '\0');
  // Shorter if the file was cut after size() was read.
  text.resize(file.read(std::as_writable_bytes(std::span(text))));
  return text;
}

}  // namespace lapl
