#include "kernels/machine/shared_kernels.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>

namespace lapl {
namespace {

using Word = std::uint64_t;

int opened = -1;

// The file of shared kernels. Each call opens it anew, so that its locks belong to the call and not
// to the process.
class Records {
 public:
  explicit Records(int file)
      : file_(file < 0
                  ? -1
                  : ::open(fmt::format("/proc/self/fd/{}", file).c_str(), O_RDWR | O_CLOEXEC)) {}
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;
  ~Records() {
    if (file_ >= 0) ::close(file_);
  }

  // The lock lasts until this object is destroyed or the process ends.
  bool lock(off_t place) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = place;
    lock.l_len = 1;
    return file_ >= 0 && ::fcntl(file_, F_OFD_SETLKW, &lock) == 0;
  }

  std::optional<std::string> find(std::string_view text) const {
    const Word end = this->end();
    for (Word at = sizeof(Word), lengths[2]; at + sizeof(lengths) <= end;
         at += sizeof(lengths) + lengths[0] + lengths[1]) {
      if (!read(at, lengths, sizeof(lengths))) break;
      if (lengths[0] != text.size()) continue;
      std::string found(lengths[0] + lengths[1], '\0');
      if (read(at + sizeof(lengths), found.data(), found.size()) && found.starts_with(text))
        return found.substr(text.size());
    }
    return std::nullopt;
  }

  // The record counts once the new end has been written.
  void append(std::string_view text, std::string_view code) {
    const Word lengths[] = {text.size(), code.size()};
    std::string record(sizeof(lengths), '\0');
    std::memcpy(record.data(), lengths, sizeof(lengths));
    record.append(text).append(code);
    const Word start = std::max<Word>(end(), sizeof(Word)), end = start + record.size();
    if (write(start, record.data(), record.size())) write(0, &end, sizeof(end));
  }

 private:
  Word end() const {
    Word end = 0;
    return read(0, &end, sizeof(end)) ? end : 0;
  }
  bool read(Word at, void* bytes, std::size_t size) const {
    return ::pread(file_, bytes, size, static_cast<off_t>(at)) == static_cast<ssize_t>(size);
  }
  bool write(Word at, const void* bytes, std::size_t size) const {
    return ::pwrite(file_, bytes, size, static_cast<off_t>(at)) == static_cast<ssize_t>(size);
  }

  int file_;
};

}  // namespace

int open_shared_kernels() { return opened = ::memfd_create("lapl-kernels", MFD_CLOEXEC); }
int shared_kernels() { return opened; }

std::string shared_kernel(int file, std::string_view text,
                          const std::function<std::string()>& make) {
  constexpr off_t end_of_file = 0, texts = off_t{1} << 40, kinds = 1 << 20;
  Records records(file);
  const auto kind = static_cast<off_t>(std::hash<std::string_view>()(text) % kinds);
  if (!records.lock(texts + kind)) return make();
  if (std::optional<std::string> found = records.find(text)) return *std::move(found);
  std::string code = make();
  if (!code.empty() && records.lock(end_of_file)) records.append(text, code);
  return code;
}

}  // namespace lapl
