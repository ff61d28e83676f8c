// A library for LD_PRELOAD that makes the system calls which change files fail, or ends the process
// at one of them.
//
// It counts, over all threads, the calls that change files in or below one folder: opening for
// writing, write, ftruncate, fsync, close, rename, unlink, mkdir, and opening a folder (which
// precedes its fsync). Paths are compared after symbolic links are resolved, so a link that leads
// out of the folder does not count. Files in memory never count.
//
//   LAPL_FAULTS_UNDER   the folder: absolute, without symbolic links
//   LAPL_FAULTS_LOG     file that gets a line "N NAME PATH" before each call, and a line
//                       "outside NAME PATH" if a file elsewhere (except in /dev and /proc) is
//                       opened for writing, renamed, removed or created
//   LAPL_FAULTS_AT      N: the call at which the fault LAPL_FAULTS_ACTION occurs:
//     kill              SIGKILL before the call
//     kill-torn         SIGKILL after half of the bytes are written (calls that write)
//     kill-after        SIGKILL after the call
//     power-cut         SIGKILL before the call; bytes written since a file's last fsync are lost
//     power-cut-names   the same; names changed since a folder's last fsync are lost too
//     short             half of the bytes are written and reported (calls that write)
//     delay:MS          waits for so many milliseconds before the call
//     error:E:once      the call fails with errno E and has no effect (except that close closes)
//     error:E:forever   the same, also for all later calls named in LAPL_FAULTS_CALLS (names and
//                       spaces)
//   LAPL_FAULTS_NO_MEMORY_FILES   if set, memfd_create fails, as on a system without it
//
// A second fsync of a file whose first fsync has failed may succeed although data are lost. So a
// second fsync ends the process with SIGABRT and a message.
//
// A program that links this file (forks.cpp) calls lapl_read_faults to apply a new environment.
//
// Calls from inside glibc (for example by fwrite) are not intercepted.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>

#include "tests/torture/power_cut.hpp"

namespace {

using std::string_view_literals::operator""sv;

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

struct Plan {
  std::string under = environment("LAPL_FAULTS_UNDER");
  std::string action = environment("LAPL_FAULTS_ACTION");
  std::string calls = " " + std::string(environment("LAPL_FAULTS_CALLS")) + " ";
  long at = std::atol(environment("LAPL_FAULTS_AT"));
  int log = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, environment("LAPL_FAULTS_LOG"),
                                       O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));

  /// The number after the first colon of `action`.
  long number() const { return std::atol(action.c_str() + action.find(':') + 1); }
};

Plan& plan() {
  static Plan* const read = new Plan;  // never destroyed, because calls come until the process ends
  return *read;
}

std::atomic<long> calls_made = 0;
PowerCut power_cut;
std::array<std::atomic<bool>, 4096> sync_failed;  // index: the descriptor

std::string open_path(int descriptor) {
  std::array<char, PATH_MAX> path;
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t length = ::readlink(link.c_str(), path.data(), path.size());
  return {path.data(), length < 0 ? 0 : static_cast<std::size_t>(length)};
}

/// The path of `name` in `folder`, with symbolic links resolved except in the last component.
std::string open_path(int folder, const char* name) {
  std::string path = name;
  if (!path.starts_with('/')) {
    std::array<char, PATH_MAX> current;
    const bool here = folder == AT_FDCWD && ::getcwd(current.data(), current.size()) != nullptr;
    path = (here ? std::string(current.data()) : open_path(folder)) + "/" + path;
  }
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const std::size_t slash = path.rfind('/');
  std::array<char, PATH_MAX> parent;
  if (::realpath(path.substr(0, std::max<std::size_t>(slash, 1)).c_str(), parent.data()) != nullptr)
    path = std::string(parent.data()) + path.substr(slash);
  return path;
}

/// The path of the file that open(`name`) would open, with all symbolic links resolved.
std::string link_target(int folder, const char* name) {
  const std::string path = open_path(folder, name);
  std::array<char, PATH_MAX> target;
  return ::realpath(path.c_str(), target.data()) != nullptr ? target.data() : path;
}

bool is_under(const std::string& path, const std::string& folder) {
  return !folder.empty() && path.starts_with(folder) &&
         (path.size() == folder.size() || path[folder.size()] == '/');
}

/// True if a power cut must know about calls at `path`.
bool is_noted(const std::string& path) {
  return plan().action.starts_with("power-cut") && is_under(path, plan().under);
}

/// Called before the name `path` changes: the file `from` is renamed to it, a file is created
/// there, or it is removed (`goes`).
void note_name(const std::string& path, const std::string& from, bool goes) {
  if (is_noted(path)) power_cut.names(path, from, goes, plan().under);
}

void log_call(const std::string& number, const char* name, const std::string& path) {
  if (plan().log < 0) return;
  const std::string line = number + " " + name + " " + path + "\n";
  ::syscall(SYS_write, plan().log, line.data(), line.size());
}

[[noreturn]] void kill_self() {
  for (;;) ::kill(::getpid(), SIGKILL);
}

void wait_ms(long milliseconds) {
  timespec left = {milliseconds / 1000, milliseconds % 1000 * 1'000'000};
  while (::nanosleep(&left, &left) != 0 && errno == EINTR) continue;
}

constexpr auto no_half = [] { return 0L; };

/// Makes a call that changes `path`, or the planned fault instead. `half` writes half of the bytes
/// that `call` would write.
template <class Call, class Half = decltype(no_half)>
long make(const char* name, const std::string& path, Call call, Half half = no_half) {
  if (!is_under(path, plan().under)) {
    const bool by_path =
        "open fopen truncate rename unlink mkdir"sv.find(name) != std::string_view::npos;
    if (by_path && !is_under(path, "/dev") && !is_under(path, "/proc"))
      log_call("outside", name, path);
    return call();
  }
  const long number = ++calls_made;
  log_call(std::to_string(number), name, path);
  const std::string& action = plan().action;
  if (action.starts_with("error:")) {
    const bool fails = action.ends_with(":once")
                           ? number == plan().at
                           : number >= plan().at && plan().calls.find(" " + std::string(name) +
                                                                      " ") != std::string::npos;
    if (!fails) return call();
    if (name == "close"sv) call();
    errno = static_cast<int>(plan().number());
    return -1;
  }
  if (number != plan().at) return call();
  if (action == "kill") kill_self();
  if (action == "kill-torn") half(), kill_self();
  if (action == "kill-after") call(), kill_self();
  if (is_noted(path)) power_cut.cut(action == "power-cut-names"), kill_self();
  if (action == "short" && name == "write"sv) return half();
  if (action.starts_with("delay:")) wait_ms(plan().number());
  return call();
}

int open_file(int folder, const char* path, int flags, mode_t mode) {
  const auto call = [&] { return ::syscall(SYS_openat, folder, path, flags, mode); };
  const bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0;
  const bool is_folder = (flags & O_DIRECTORY) != 0;
  if (!writes && !is_folder) return static_cast<int>(call());
  const bool follows = (flags & (O_NOFOLLOW | O_EXCL)) == 0;
  const std::string target = follows ? link_target(folder, path) : open_path(folder, path);
  return static_cast<int>(make(writes ? "open" : "open_folder", target, [&] {
    if ((flags & O_CREAT) != 0) note_name(target, "", false);
    return call();
  }));
}

int sync_file(const char* name, long system_call, int file) {
  const auto slot = static_cast<std::size_t>(file) % sync_failed.size();
  const std::string path = open_path(file);
  if (sync_failed[slot]) {
    const std::string message = "io_faults: fsync again, after it has failed: " + path + "\n";
    ::syscall(SYS_write, STDERR_FILENO, message.data(), message.size());
    std::abort();
  }
  const long result = make(name, path, [&] {
    const long done = ::syscall(system_call, file);
    if (done == 0 && is_noted(path)) power_cut.synced(file, path);
    return done;
  });
  if (result != 0) sync_failed[slot] = true;
  return static_cast<int>(result);
}

ssize_t write_bytes(int file, const iovec* parts, int count, off_t offset) {
  const auto write_first = [&](const iovec* from, int number) {
    return offset < 0 ? ::syscall(SYS_writev, file, from, number)
                      : ::syscall(SYS_pwritev, file, from, number, offset, 0);
  };
  const auto half = [&] {
    const iovec first = {parts[0].iov_base, (parts[0].iov_len + 1) / 2};
    return write_first(&first, 1);
  };
  const std::string path = open_path(file);
  const auto all = [&] {
    if (is_noted(path)) power_cut.writes(file);
    return write_first(parts, count);
  };
  return make("write", path, all, half);
}

mode_t open_mode(int flags, std::va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

FILE* open_stream(const char* name, const char* path, const char* mode) {
  using Open = FILE* (*)(const char*, const char*);
  static_assert(sizeof(Open) == sizeof(void*));
  void* const symbol = ::dlsym(RTLD_NEXT, name);
  Open real;
  std::memcpy(&real, &symbol, sizeof real);
  if (std::strpbrk(mode, "wa+") == nullptr) return real(path, mode);
  FILE* stream = nullptr;
  make("fopen", link_target(AT_FDCWD, path), [&] {
    stream = real(path, mode);
    return 0L;
  });
  return stream;
}

long rename_file(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  const std::string path = open_path(to_folder, to);
  return make("rename", path, [&] {
    note_name(path, open_path(from_folder, from), false);
    return ::syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
  });
}

long remove_file(int folder, const char* path, int flags) {
  const std::string target = open_path(folder, path);
  return make("unlink", target, [&] {
    note_name(target, "", true);
    return ::syscall(SYS_unlinkat, folder, path, flags);
  });
}

long make_folder(int folder, const char* path, mode_t mode) {
  const std::string target = open_path(folder, path);
  return make("mkdir", target, [&] {
    note_name(target, "", false);
    return ::syscall(SYS_mkdirat, folder, path, mode);
  });
}

}  // namespace

#define OPEN(name)                                   \
  int name(const char* path, int flags, ...) {       \
    std::va_list arguments;                          \
    va_start(arguments, flags);                      \
    const mode_t mode = open_mode(flags, arguments); \
    va_end(arguments);                               \
    return open_file(AT_FDCWD, path, flags, mode);   \
  }
#define OPENAT(name)                                       \
  int name(int folder, const char* path, int flags, ...) { \
    std::va_list arguments;                                \
    va_start(arguments, flags);                            \
    const mode_t mode = open_mode(flags, arguments);       \
    va_end(arguments);                                     \
    return open_file(folder, path, flags, mode);           \
  }

extern "C" {

// For programs that link this file: reads the environment again and resets the count.
void lapl_read_faults() {
  plan() = Plan();
  calls_made = 0;
}

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
// With _FORTIFY_SOURCE, glibc's headers replace an open without a mode by these.
int __open_2(const char* path, int flags) { return open_file(AT_FDCWD, path, flags, 0); }
int __open64_2(const char* path, int flags) { return open_file(AT_FDCWD, path, flags, 0); }
int __openat_2(int folder, const char* path, int flags) {
  return open_file(folder, path, flags, 0);
}
int __openat64_2(int folder, const char* path, int flags) {
  return open_file(folder, path, flags, 0);
}
int creat(const char* path, mode_t mode) {
  return open_file(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}
int creat64(const char* path, mode_t mode) { return creat(path, mode); }
FILE* fopen(const char* path, const char* mode) { return open_stream("fopen", path, mode); }
FILE* fopen64(const char* path, const char* mode) { return open_stream("fopen64", path, mode); }

ssize_t write(int file, const void* bytes, size_t size) {
  const iovec part = {const_cast<void*>(bytes), size};
  return write_bytes(file, &part, 1, -1);
}
ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
  const iovec part = {const_cast<void*>(bytes), size};
  return write_bytes(file, &part, 1, offset);
}
ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t offset) {
  return pwrite(file, bytes, size, offset);
}
ssize_t writev(int file, const iovec* parts, int count) {
  return write_bytes(file, parts, count, -1);
}
ssize_t pwritev(int file, const iovec* parts, int count, off_t offset) {
  return write_bytes(file, parts, count, offset);
}
ssize_t pwritev64(int file, const iovec* parts, int count, off64_t offset) {
  return write_bytes(file, parts, count, offset);
}

int ftruncate(int file, off_t length) noexcept {
  const std::string path = open_path(file);
  return static_cast<int>(make("ftruncate", path, [&] {
    if (is_noted(path)) power_cut.writes(file);
    return ::syscall(SYS_ftruncate, file, length);
  }));
}
int ftruncate64(int file, off64_t length) noexcept { return ftruncate(file, length); }
int truncate(const char* path, off_t length) noexcept {
  return static_cast<int>(make("truncate", link_target(AT_FDCWD, path),
                               [&] { return ::syscall(SYS_truncate, path, length); }));
}
int truncate64(const char* path, off64_t length) noexcept { return truncate(path, length); }
int fsync(int file) { return sync_file("fsync", SYS_fsync, file); }
int fdatasync(int file) { return sync_file("fsync", SYS_fdatasync, file); }

int close(int file) {
  const auto call = [&] { return ::syscall(SYS_close, file); };
  const int flags = ::fcntl(file, F_GETFL);
  if (flags < 0 || ((flags & O_ACCMODE) == O_RDONLY && (flags & O_DIRECTORY) == 0))
    return static_cast<int>(call());
  sync_failed[static_cast<std::size_t>(file) % sync_failed.size()] = false;
  return static_cast<int>(make("close", open_path(file), call));
}

int rename(const char* from, const char* to) noexcept {
  return static_cast<int>(rename_file(AT_FDCWD, from, AT_FDCWD, to, 0));
}
int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  return static_cast<int>(rename_file(from_folder, from, to_folder, to, 0));
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
  return static_cast<int>(rename_file(from_folder, from, to_folder, to, flags));
}
int unlink(const char* path) noexcept { return static_cast<int>(remove_file(AT_FDCWD, path, 0)); }
int unlinkat(int folder, const char* path, int flags) noexcept {
  return static_cast<int>(remove_file(folder, path, flags));
}
int rmdir(const char* path) noexcept {
  return static_cast<int>(remove_file(AT_FDCWD, path, AT_REMOVEDIR));
}
int remove(const char* path) noexcept {
  struct stat status;
  const bool folder = ::lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
  return static_cast<int>(remove_file(AT_FDCWD, path, folder ? AT_REMOVEDIR : 0));
}
int mkdir(const char* path, mode_t mode) noexcept {
  return static_cast<int>(make_folder(AT_FDCWD, path, mode));
}
int mkdirat(int folder, const char* path, mode_t mode) noexcept {
  return static_cast<int>(make_folder(folder, path, mode));
}

int memfd_create(const char* name, unsigned flags) noexcept {
  if (*environment("LAPL_FAULTS_NO_MEMORY_FILES") == '\0')
    return static_cast<int>(::syscall(SYS_memfd_create, name, flags));
  errno = ENOSYS;
  return -1;
}

}  // extern "C"
