#include "kernels/cpu/compiler/compiler_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "kernels/error.hpp"

namespace lapl {
namespace {

// Limits processor time (seconds), memory and file size (bytes). Compiling one small file takes
// about a hundredth of each.
void limit_compiler(pid_t child) {
  const auto limit = [child](auto resource, rlim_t most) {
    rlimit limits{};
    if (::prlimit(child, resource, nullptr, &limits) != 0) return;
    limits.rlim_cur = limits.rlim_max = std::min(limits.rlim_max, most);
    ::prlimit(child, resource, &limits, nullptr);
  };
  limit(RLIMIT_CPU, 60);
  limit(RLIMIT_AS, rlim_t{8} << 30);
  limit(RLIMIT_FSIZE, rlim_t{256} << 20);
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

// Settings of posix_spawn; the destructor frees them.
class SpawnActions {
 public:
  SpawnActions(int folder, const std::string& messages) {
    require(posix_spawn_file_actions_init(&files));
    require(posix_spawnattr_init(&attributes));
    require(posix_spawn_file_actions_addfchdir_np(&files, folder));
    require(posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0));
    require(posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, messages.c_str(),
                                             O_WRONLY | O_CREAT | O_TRUNC, 0600));
    require(posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO));
    require(posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1));
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    for (const int signal : {SIGPIPE, SIGXFSZ, SIGCHLD}) sigaddset(&usual, signal);
    require(posix_spawnattr_setsigmask(&attributes, &none));
    require(posix_spawnattr_setsigdefault(&attributes, &usual));
    require(posix_spawnattr_setpgroup(&attributes, 0));
    require(posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  }
  SpawnActions(const SpawnActions&) = delete;
  ~SpawnActions() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }

  int error = 0;  ///< the first error
  posix_spawn_file_actions_t files{};
  posix_spawnattr_t attributes{};

 private:
  void require(int code) {
    if (error == 0) error = code;
  }
};

}  // namespace

CompilerProcess::CompilerProcess(std::vector<std::string> words,
                                 std::vector<std::string> environment, int folder,
                                 const std::string& messages) {
  const std::vector<char*> arguments = pointers_to(words), variables = pointers_to(environment);
  SpawnActions actions(folder, messages);
  if (actions.error == 0)
    actions.error = ::posix_spawn(&child_, arguments[0], &actions.files, &actions.attributes,
                                  arguments.data(), variables.data());
  if (actions.error != 0) {
    child_ = -1;
    throw IoError("{}: cannot be started: {}", words[0], std::strerror(actions.error));
  }
  limit_compiler(child_);
}

CompilerProcess::~CompilerProcess() {
  if (child_ > 0) reap();
}

std::optional<int> CompilerProcess::ended() {
  siginfo_t found{};
  const bool told =
      ::waitid(P_PID, static_cast<id_t>(child_), &found, WEXITED | WNOHANG | WNOWAIT) == 0;
  if (told && found.si_pid == 0) return std::nullopt;
  return reap();
}

int CompilerProcess::reap() {
  // Kills the process group before waitpid, after which its number may belong to another process.
  siginfo_t found{};
  if (::waitid(P_PID, static_cast<id_t>(child_), &found, WEXITED | WNOHANG | WNOWAIT) == 0)
    ::kill(-child_, SIGKILL);
  int status = 0;
  pid_t reaped = 0;
  while ((reaped = ::waitpid(child_, &status, 0)) < 0 && errno == EINTR) {
  }
  child_ = -1;
  return reaped < 0 ? -1 : status;
}

std::string end_text(int status) {
  if (status == -1) return "ended, but nothing was learned of how";
  if (WIFEXITED(status)) return fmt::format("ended with exit code {}", WEXITSTATUS(status));
  return fmt::format("was ended by signal {}", ::strsignal(WTERMSIG(status)));
}

}  // namespace lapl
