#include "io/durable/lines.hpp"

#include <fcntl.h>

#include <span>

#include "io/durable/durable_file.hpp"
#include "io/durable/posix_file.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace fs = std::filesystem;

bool is_shared(const fs::path& path) {
  std::error_code error;
  const bool is_file = fs::is_regular_file(fs::symlink_status(path, error));
  return is_file && fs::hard_link_count(path, error) > 1 && !error;
}

void unshare(const fs::path& path) {
  if (is_shared(path)) replace_file(path, read_start(path));
}

void append_lines(const fs::path& path, const std::string& lines, Durable durable) {
  unshare(path);
  PosixFile file(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, path.string());
  const std::uint64_t before = file.size();
  try {
    file.write(std::as_bytes(std::span(lines)));
    if (durable == Durable::now) file.sync();
    file.close();
  } catch (const IoError&) {  // the lines may have been written if only closing failed
    std::error_code error;
    fs::resize_file(path, before, error);
    throw;
  }
}

void drop_torn_line(const fs::path& path) {
  if (!fs::is_regular_file(fs::symlink_status(path))) return;  // append_lines refuses symlinks
  unshare(path);
  const std::string text = read_start(path);
  const std::size_t whole = text.rfind('\n') + 1;  // 0 if there is no newline
  if (whole < text.size()) fs::resize_file(path, whole);
}

void sync_lines(const fs::path& path) {
  if (!fs::exists(path)) return;
  PosixFile file(path, O_WRONLY | O_NOFOLLOW, path.string());
  file.sync();
  file.close();
}

}  // namespace lapl
