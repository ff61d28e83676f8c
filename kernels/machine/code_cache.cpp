#include "kernels/machine/code_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "kernels/machine/paths_in.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace lapl {
namespace {

namespace fs = std::filesystem;

// A file: magic | number of bytes of the key, in 8 bytes | key | code | seal, 16 bytes
constexpr std::string_view magic = "LAPLCODE";
constexpr std::size_t seal_bytes = 16, least_bytes = magic.size() + 8 + seal_bytes;
constexpr std::string_view file_ending = ".code";
constexpr mode_t writable_by_others = S_IWGRP | S_IWOTH;

std::atomic<bool> is_on = true, finishes = false;
std::atomic<int> spare_folder = -1;

std::string digest_of_bytes(std::string_view bytes) {
  const XXH128_hash_t digest = XXH3_128bits(bytes.data(), bytes.size());
  std::string result(seal_bytes, '\0');
  std::memcpy(result.data(), &digest.low64, 8);
  std::memcpy(result.data() + 8, &digest.high64, 8);
  return result;
}

int open_folder(int parent, const char* path, int flags) {
  return ::openat(parent, path, O_DIRECTORY | O_CLOEXEC | flags);
}

// Opens the folder `name` in `parent`; makes it first if it is missing and `parent` is this user's.
int open_or_make(int parent, const char* name, int flags) {
  const int found = open_folder(parent, name, flags);
  if (found >= 0 || errno != ENOENT || !is_own(parent, S_IFDIR, 0)) return found;
  ::mkdirat(parent, name, 0700);  // another process may be faster
  return open_folder(parent, name, flags);
}

// $XDG_CACHE_HOME or ~/.cache; empty without both. Relative paths do not count.
fs::path cache_home() {
  const auto absolute = [](const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr && *value == '/' ? fs::path(value) : fs::path();
  };
  if (const fs::path given = absolute("XDG_CACHE_HOME"); !given.empty())
    return given.has_filename() ? given : given.parent_path();
  const fs::path home = absolute("HOME");
  return home.empty() ? home : home / ".cache";
}

// The folder of the cache; -1 if there is none that this user alone can change.
int open_own_cache() {
  const fs::path home = cache_home();
  if (!is_on || home.empty()) return -1;
  const Descriptor above(open_folder(AT_FDCWD, home.parent_path().c_str(), O_PATH));
  // The user may keep the folder of all caches elsewhere, behind a link.
  const Descriptor caches(open_or_make(above.get(), home.filename().c_str(), O_PATH));
  const int folder = open_or_make(caches.get(), "lapl", O_RDONLY | O_NOFOLLOW);
  if (is_own(folder, S_IFDIR, writable_by_others)) return folder;
  if (folder >= 0) ::close(folder);
  return -1;
}

int open_cache() {
  const int folder = open_own_cache();
  return folder >= 0 || spare_folder < 0 ? folder : open_folder(spare_folder, ".", O_RDONLY);
}

bool write_whole(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return false;
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
  return true;
}

// While the files have more than code_cache_bytes, removes those that were not used for the longest
// time. Removes temporary files that killed processes have left.
void trim(int folder) {
  struct File {
    timespec time;
    std::uint64_t bytes;
    std::string name;
  };
  constexpr time_t leftover_seconds = 3600;
  std::vector<File> files;
  std::uint64_t sum = 0;
  std::error_code ignored;
  for (const fs::path& path : paths_in(fmt::format("/proc/self/fd/{}", folder), ignored)) {
    std::string name = path.filename().string();
    struct stat status {};
    if (::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode))
      continue;
    if (name.starts_with('.') && status.st_mtim.tv_sec + leftover_seconds < std::time(nullptr))
      ::unlinkat(folder, name.c_str(), 0);
    if (!name.ends_with(file_ending)) continue;
    files.push_back({status.st_mtim, static_cast<std::uint64_t>(status.st_size), std::move(name)});
    sum += files.back().bytes;
  }
  std::ranges::sort(
      files, {}, [](const File& file) { return std::pair(file.time.tv_sec, file.time.tv_nsec); });
  for (auto file = files.begin(); sum > code_cache_bytes; ++file) {
    ::unlinkat(folder, file->name.c_str(), 0);
    sum -= file->bytes;
  }
}

// The names of codes that this process is compiling. A process does not wait for itself, because a
// compilation may end only when its own user asks for the code.
std::mutex own_mutex;
std::multiset<std::string> own_names;

}  // namespace

void use_code_cache(bool use) { is_on = use; }
void keep_codes_in(int folder) { spare_folder = folder; }
void finish_compilations() { finishes = true; }
bool finishes_compilations() { return finishes; }

CachedCode::CachedCode(std::string key, std::chrono::milliseconds patience)
    : key_(std::move(key)),
      wait_until_(std::chrono::steady_clock::now() + patience),
      folder_(open_cache()) {
  if (folder_.get() < 0) return;
  for (const char byte : digest_of_bytes(key_))
    name_ += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  code_ = stored();
}

CachedCode::~CachedCode() {
  const std::lock_guard guard(own_mutex);
  if (const auto own = own_names.find(name_); compiling_ && own != own_names.end())
    own_names.erase(own);
}

bool CachedCode::settled() {
  if (settled_ || code_ || folder_.get() < 0) return true;
  if (others_compile()) return false;
  settled_ = true;
  code_ = stored();  // another process may have compiled it since
  if (code_) {
    lock_.reset(-1);
    return true;
  }
  const std::lock_guard guard(own_mutex);
  own_names.insert(name_);
  return compiling_ = true;
}

// True if another process has locked the byte of this code in the file `lock`; else locks it. The
// lock belongs to this object's descriptor, so that it ends with the object and with the process.
bool CachedCode::others_compile() {
  if (std::chrono::steady_clock::now() >= wait_until_) return false;
  if (const std::lock_guard guard(own_mutex); own_names.contains(name_)) return false;
  if (lock_.get() < 0)
    lock_.reset(::openat(folder_.get(), "lock",
                         O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  if (lock_.get() < 0) return false;
  struct flock byte {};
  byte.l_type = F_WRLCK;
  byte.l_whence = SEEK_SET;
  byte.l_start = static_cast<off_t>(XXH3_64bits(key_.data(), key_.size()) >> 2);
  byte.l_len = 1;
  // Other errors: this file system has no locks.
  return ::fcntl(lock_.get(), F_OFD_SETLK, &byte) != 0 && (errno == EAGAIN || errno == EACCES);
}

std::optional<std::string> CachedCode::stored() const {
  std::optional<std::string> bytes = plain_file(folder_.get(), name_ + std::string(file_ending),
                                                code_cache_bytes, writable_by_others);
  if (!bytes || bytes->size() < least_bytes + key_.size() || !bytes->starts_with(magic))
    return std::nullopt;
  const std::size_t end = bytes->size() - seal_bytes;
  const std::string_view content = std::string_view(*bytes).substr(0, end);
  std::uint64_t key_bytes = 0;
  std::memcpy(&key_bytes, content.data() + magic.size(), sizeof(key_bytes));
  const std::string_view after = content.substr(magic.size() + sizeof(key_bytes));
  if (digest_of_bytes(content) != bytes->substr(end) || key_bytes != key_.size() ||
      !after.starts_with(key_))
    return std::nullopt;
  // Marks the file as used; on a disk that can only be read, its time stays as it is.
  ::utimensat(folder_.get(), (name_ + std::string(file_ending)).c_str(), nullptr,
              AT_SYMLINK_NOFOLLOW);
  return std::string(after.substr(key_.size()));
}

void CachedCode::store(std::string_view code) const {
  if (folder_.get() < 0 || code.empty()) return;
  const std::uint64_t key_bytes = key_.size();
  std::string bytes(magic);
  bytes.append(reinterpret_cast<const char*>(&key_bytes), sizeof(key_bytes));
  bytes.append(key_).append(code);
  bytes.append(digest_of_bytes(bytes));
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof(number), 0) != sizeof(number)) return;
  const std::string temporary = fmt::format(".{:016x}", number),
                    final = name_ + std::string(file_ending);
  const Descriptor file(::openat(folder_.get(), temporary.c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file.get() < 0) return;
  if (!write_whole(file.get(), bytes) ||
      ::renameat(folder_.get(), temporary.c_str(), folder_.get(), final.c_str()) != 0)
    ::unlinkat(folder_.get(), temporary.c_str(), 0);
  else
    trim(folder_.get());
}

}  // namespace lapl
