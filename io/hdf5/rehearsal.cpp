#include "io/hdf5/rehearsal.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <new>

#include "io/durable/posix_file.hpp"
#include "kernels/error.hpp"
#include "kernels/machine/leftovers.hpp"
#include "kernels/machine/size_text.hpp"

namespace lapl {
namespace {

enum ExitStatus { done = 0, out_of_memory = 2 };

bool amid_rehearsal = false;

rlim_t seconds_for(std::uintmax_t file_bytes) { return 2 + file_bytes / 10'000'000; }

void limit(int resource, rlim_t most) {
  rlimit limits;
  if (getrlimit(static_cast<__rlimit_resource_t>(resource), &limits) != 0) return;
  limits.rlim_cur = std::min(limits.rlim_max, most);
  setrlimit(static_cast<__rlimit_resource_t>(resource), &limits);
}

/// Limits the address space of this process to its present size plus `more` bytes.
void limit_memory(std::uintmax_t more) {
  std::ifstream file("/proc/self/statm");
  rlim_t pages = 0;
  if (file >> pages) limit(RLIMIT_AS, pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + more);
}

[[noreturn]] void run_child(std::uintmax_t file_bytes, const std::function<void()>& read) {
  amid_rehearsal = true;
  // Dies with its parent, so that it does not keep the lock of a run folder.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  syscall(SYS_close_range, 3u, ~0u, 0u);
  remove_openmp_name();
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU})
    std::signal(signal, SIG_DFL);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, seconds_for(file_bytes));
  limit_memory((std::uintmax_t{1} << 30) + 2 * file_bytes);
#ifdef M_PERTURB
  // Fills allocated memory with a pattern. In a new process, memory that nobody has set is 0, and
  // an error that reads a null pointer there would not show.
  mallopt(M_PERTURB, 0x5A);
#endif
  // Silences stderr, to which the C library reports heap damage.
  if (const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0)
    ::dup2(nowhere, STDERR_FILENO);
  errno = 0;
  try {
    read();
  } catch (const std::bad_alloc&) {
    _exit(out_of_memory);
  } catch (const std::exception&) {
    // HDF5 reports a lack of memory like any other error, but here the limit is the cause.
    if (errno == ENOMEM) _exit(out_of_memory);
  }
  _exit(done);
}

}  // namespace

bool is_rehearsal() { return amid_rehearsal; }

void allow_decompressing(std::uint64_t bytes) {
  rlimit limits;
  if (!amid_rehearsal || getrlimit(RLIMIT_CPU, &limits) != 0) return;
  limit(RLIMIT_CPU, limits.rlim_cur + 1 + bytes / 50'000'000);
}

void rehearse(const std::filesystem::path& path, const std::function<void()>& read,
              const char* format) {
  const std::string name = path.string();
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error) return;  // the reader reports it
  const pid_t child = ::fork();
  if (child < 0) return;  // no memory for a copy: reading matters more than this precaution
  if (child == 0) run_child(bytes, read);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw_system_error(name, "wait for the process that reads it");
  if (WIFEXITED(status) && WEXITSTATUS(status) == done) return;
  const std::string problem = name + ": cannot be read as " + format + ": ";
  if (WIFEXITED(status) && WEXITSTATUS(status) == out_of_memory)
    throw IoError(problem + "takes more memory than a file of " +
                  size_text(static_cast<double>(bytes)) + " may");
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    throw IoError(problem + "not done after " + std::to_string(seconds_for(bytes)) +
                  " s (the file is damaged, or made so)");
  throw IoError(problem + "the library crashes on it (the file is damaged, or made so)");
}

}  // namespace lapl
