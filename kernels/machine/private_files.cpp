#include "kernels/machine/private_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

namespace lapl {

bool is_own(int descriptor, mode_t kind, mode_t forbidden) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && (status.st_mode & S_IFMT) == kind &&
         status.st_uid == ::geteuid() && (status.st_mode & forbidden) == 0;
}

std::optional<std::string> plain_file(int folder, const std::string& name, std::size_t most,
                                      mode_t forbidden) {
  const Descriptor file(
      ::openat(folder, name.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!is_own(file.get(), S_IFREG, forbidden) || ::fstat(file.get(), &status) != 0)
    return std::nullopt;
  std::string bytes(std::min<std::size_t>(most, static_cast<std::size_t>(status.st_size)), '\0');
  std::size_t done = 0;
  for (ssize_t got = 1; got != 0 && done < bytes.size(); done += std::max<ssize_t>(got, 0)) {
    got = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno != EINTR) break;
  }
  bytes.resize(done);
  return bytes;
}

}  // namespace lapl
