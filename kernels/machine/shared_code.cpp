#include "kernels/machine/shared_code.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>

#include "kernels/cpu/compiler/compiled_code.hpp"

namespace lapl {
namespace {

constexpr int all_seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

int received = -1;

// The `size` bytes that end at offset `end`; empty if there are fewer.
std::string bytes_before(int file, off_t end, std::uint64_t size) {
  if (end < 0 || static_cast<std::uint64_t>(end) < size) return {};
  std::string bytes(size, '\0');
  const ssize_t got = ::pread(file, bytes.data(), size, end - static_cast<off_t>(size));
  return got == static_cast<ssize_t>(size) ? bytes : std::string();
}

std::string length_of(std::string_view text) {
  const std::uint64_t length = text.size();
  return {reinterpret_cast<const char*>(&length), sizeof(length)};
}

}  // namespace

int open_shared_code() { return ::memfd_create("lapl-code", MFD_CLOEXEC | MFD_ALLOW_SEALING); }

void seal_shared_code(int file, std::string_view library, std::string_view text) {
  if (!library.empty()) {
    const std::string all = std::string(library).append(text).append(length_of(text));
    // A library cut short could not be used, so it is discarded.
    if (::write(file, all.data(), all.size()) != static_cast<ssize_t>(all.size()) &&
        ::ftruncate(file, 0) != 0)
      return;
  }
  ::fcntl(file, F_ADD_SEALS, all_seals);
}

SharedCodeState shared_code_state(int file, std::string_view text) {
  struct stat status {};
  const int seals = ::fcntl(file, F_GET_SEALS);
  if (seals < 0 || ::fstat(file, &status) != 0 || status.st_uid != ::geteuid())
    return SharedCodeState::useless;
  if ((seals & all_seals) != all_seals)
    return (seals & F_SEAL_SEAL) != 0 ? SharedCodeState::useless : SharedCodeState::pending;
  const std::string end = std::string(text).append(length_of(text));
  return status.st_size > static_cast<off_t>(end.size()) &&
                 bytes_before(file, status.st_size, end.size()) == end
             ? SharedCodeState::usable
             : SharedCodeState::useless;
}

void receive_shared_code() {
  const char* const variable = std::getenv(shared_code_variable);
  if (variable == nullptr) return;
  const std::string_view digits = variable;
  int file = received = -1;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), file);
  if (read.ec == std::errc() && read.ptr == digits.data() + digits.size() && file > STDERR_FILENO &&
      ::fcntl(file, F_SETFD, FD_CLOEXEC) == 0)
    received = file;
  ::unsetenv(shared_code_variable);
}

int received_shared_code() { return received; }

SharedCode::SharedCode(const CodeText& text) : file_(open_shared_code()) {
  if (file_ >= 0) compiled_ = std::make_unique<CompiledCode>(text, file_);
}
SharedCode::~SharedCode() {
  if (file_ >= 0) ::close(file_);
}
bool SharedCode::ready() { return !compiled_ || compiled_->ready(); }

}  // namespace lapl
