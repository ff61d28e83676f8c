#include "app/commands/start_ranks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include "app/commands/launcher.hpp"
#include "app/exit_code.hpp"
#include "app/signals.hpp"
#include "app/view/console.hpp"
#include "io/provenance.hpp"
#include "kernels/error.hpp"
#include "kernels/ranks/ranks.hpp"
#include "kernels/temporary_folder.hpp"
#include "solver/clock.hpp"

namespace lapl {
namespace {

// Names the file in which the first rank, or one that ends all, leaves its exit code for what has
// started them.
constexpr const char* code_variable = "LAPL_RANKS_CODE";

// Where it cannot be started: exits with 127, as shells do. Open MPI keeps its sockets and files
// in the folder of `code_file`: in the one that it takes by itself, an mpirun that begins may meet
// one that ends and removes it.
[[noreturn]] void become_launcher(const Launcher& launcher, int count, const sigset_t& mask,
                                  const std::filesystem::path& code_file, pid_t parent) {
  std::vector<std::string> words = launcher_words(launcher, count);
  words.push_back(std::filesystem::read_symlink("/proc/self/exe").string());
  words.insert(words.end(), command_words().begin(), command_words().end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  setpgid(0, 0);  // what a terminal sends comes from this program's parent, once
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  if (const int nothing = open("/dev/null", O_RDONLY); nothing >= 0) dup2(nothing, STDIN_FILENO);
  setenv(code_variable, code_file.c_str(), 1);
  if (const std::string_view name = launcher.kind->folder_variable; !name.empty())
    setenv(name.data(), code_file.parent_path().c_str(), 0);
  execv(arguments[0], arguments.data());
  _exit(127);
}

// How a run on ranks has ended, by its launcher's exit code. What the first rank has said counts
// where that is 0: Hydra of MPICH 4.0 returns 0 or the rank's code after a signal, as it happens.
int code_of_run(const Launcher& launcher, int code, const std::filesystem::path& code_file) {
  int said = -1;
  std::ifstream(code_file) >> said;
  if (code == 0) return std::max(said, 0);
  const bool bare_signals = launcher.kind->bare_signals && said < 0 && code < 32;
  if (bare_signals) code += 128;
  if (code > 128 && code - 128 <= SIGRTMAX)
    print_error(
        fmt::format("a rank was ended by {}, and the others with it; lapl resume goes "
                    "on from the last checkpoint",
                    bare_signals ? "a signal" : name_of_signal(code - 128)));
  else if (!is_exit_code(code))
    throw DeviceError("{} failed with code {} ({} lapl ... may say why)", launcher.path, code,
                      fmt::join(launcher_words(launcher, 2), " "));
  return code;
}

}  // namespace

std::vector<std::string> words_of_ranks(int count) {
  std::vector<std::string> words;
  if (count > 1) words = launcher_words(find_launcher(mpi_library()), count);
  words.push_back(std::filesystem::read_symlink("/proc/self/exe").string());
  return words;
}

// Launchers may take any signal that asks to stop for an order to kill, but SIGUSR1, which all of
// them hand on to all ranks: so that is what the first one becomes.
int start_ranks(int count) {
  if (const std::string missing = ranks_unavailable(); !missing.empty())
    throw ConfigError("--ranks {}: {} (scripts/run installs it where --ranks is given)", count,
                      missing);
  if (std::getenv(code_variable) != nullptr)
    throw ConfigError("--ranks {}: started as one of them, but {} finds no others", count,
                      mpi_library());
  const Launcher launcher = find_launcher(mpi_library());
  sigset_t awaited, before;
  sigemptyset(&awaited);
  for (const int signal : stop_signals) sigaddset(&awaited, signal);
  sigaddset(&awaited, SIGCHLD);
  sigprocmask(SIG_BLOCK, &awaited, &before);
  const TemporaryFolder sessions(std::filesystem::temp_directory_path(), "ranks");
  const std::filesystem::path code_file = sessions.path() / "exit-code";
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) throw DeviceError("--ranks {}: {}", count, std::strerror(errno));
  if (child == 0) become_launcher(launcher, count, before, code_file, parent);
  int killed_by = 0;
  for (std::optional<Clock::time_point> first;;) {
    const int signal = sigwaitinfo(&awaited, nullptr);
    int status = 0;
    if (signal == SIGCHLD && waitpid(child, &status, WNOHANG) == child) {
      if (killed_by != 0) return 128 + killed_by;
      const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      return code_of_run(launcher, code, code_file);
    }
    if (signal < 0 || signal == SIGCHLD) continue;
    if (!first) {
      kill(child, SIGUSR1);
    } else if (signal != SIGXCPU && seconds_since(*first) >= 1) {  // as app/signals.hpp has it
      kill(child, SIGTERM);
      killed_by = signal;
    }
    if (!first) first = Clock::now();
  }
}

bool tell_starter(int exit_code) {
  const char* const path = std::getenv(code_variable);
  return path != nullptr && static_cast<bool>(std::ofstream(path) << exit_code << std::flush);
}

}  // namespace lapl
