// A library for LD_PRELOAD that delays file locks or makes them fail, as some file systems do.
//
//   LAPL_LOCKS_AT     N: before the Nth exclusive lock (flock) the process creates the file
//                     LAPL_LOCKS_MARK and waits until that file is removed
//   LAPL_LOCKS_ERROR  errno with which flock fails; with LAPL_LOCKS_ALL fcntl's lock of an open
//                     file fails too
#include <fcntl.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>

namespace {

std::atomic<int> locks = 0;

int number_in(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? 0 : std::atoi(value);
}

void wait_for_the_other() {
  const char* mark = std::getenv("LAPL_LOCKS_MARK");
  ::syscall(SYS_close, ::syscall(SYS_openat, AT_FDCWD, mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  for (int i = 0; i < 30000 && ::access(mark, F_OK) == 0; ++i) ::usleep(2000);
}

int control(int file, int command, void* argument) {
  const int error = number_in("LAPL_LOCKS_ERROR");
  if (command == F_OFD_SETLK && error != 0 && number_in("LAPL_LOCKS_ALL") != 0) {
    errno = error;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_fcntl, file, command, argument));
}

}  // namespace

#define FCNTL(name)                                  \
  int name(int file, int command, ...) {             \
    std::va_list arguments;                          \
    va_start(arguments, command);                    \
    void* const argument = va_arg(arguments, void*); \
    va_end(arguments);                               \
    return control(file, command, argument);         \
  }

extern "C" {

FCNTL(fcntl)
FCNTL(fcntl64)

int flock(int file, int operation) noexcept {
  if ((operation & LOCK_EX) != 0 && ++locks == number_in("LAPL_LOCKS_AT")) wait_for_the_other();
  if (const int error = number_in("LAPL_LOCKS_ERROR"); error != 0) {
    errno = error;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_flock, file, operation));
}

}  // extern "C"
