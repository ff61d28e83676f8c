// Starts ranks for --ranks: runs a launcher in a child process and passes signals on to it.
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
#include <system_error>

#include "app/commands/launcher.hpp"
#include "app/exit_code.hpp"
#include "app/signals.hpp"
#include "app/view/console.hpp"
#include "io/run/provenance.hpp"
#include "kernels/error.hpp"
#include "kernels/ranks/ranks.hpp"
#include "solver/clock.hpp"

namespace lapl {
namespace {

// Environment variable with the path of a file: the first rank, or a rank that ends all ranks,
// writes its exit code there for start_ranks.
constexpr const char* code_variable = "LAPL_RANKS_CODE";

// A file next to that of the exit code. It exists while ranks of this machine wait for the others.
std::filesystem::path meeting_file(const std::filesystem::path& code_file) {
  return code_file.parent_path() / "meeting";
}

// Seconds within which all ranks must have connected to each other.
double limit_of_start() {
  const char* const given = std::getenv("LAPL_RANKS_START");
  const double limit = given == nullptr ? 0 : std::atof(given);
  return limit > 0 ? limit : 120;
}

// Replaces this child process by the launcher; exits with 127, like a shell, if that fails.
[[noreturn]] void become_launcher(const Launcher& launcher, int count, const sigset_t& mask,
                                  const LauncherFolders& folders,
                                  const std::filesystem::path& code_file, pid_t parent) {
  std::vector<std::string> words = words_of_ranks(launcher, count);
  words.insert(words.end(), command_words().begin(), command_words().end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  setpgid(0, 0);  // so that a signal from the terminal comes only once, from the parent
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  if (const int nothing = open("/dev/null", O_RDONLY); nothing >= 0) dup2(nothing, STDIN_FILENO);
  setenv(code_variable, code_file.c_str(), 1);
  folders.set_variables(launcher);
  execv(arguments[0], arguments.data());
  _exit(127);
}

// A command that the user can run to see the messages of the launcher.
std::string words_to_try(const Launcher& launcher, int count) {
  std::vector<std::string> words = launcher_words(launcher, count);
  std::erase(words, "--quiet");
  return fmt::format("{} lapl ...", fmt::join(words, " "));
}

// The exit code of a run on ranks. `code` is that of the launcher. If it is 0, the code of the
// first rank counts: Hydra of MPICH 4.0 returns either 0 or the rank's code after a signal.
int code_of_run(const Launcher& launcher, int code, const std::filesystem::path& code_file) {
  int reported = -1;
  std::ifstream(code_file) >> reported;
  if (code == 0) return std::max(reported, 0);
  const bool bare_signals = launcher.kind->bare_signals && reported < 0 && code < 32;
  if (bare_signals) code += 128;
  if (code > 128 && code - 128 <= SIGRTMAX)
    print_error(
        fmt::format("a rank was ended by {}, and the others with it; lapl resume goes "
                    "on from the last checkpoint",
                    bare_signals ? "a signal" : name_of_signal(code - 128)));
  // the launcher itself has failed
  else if (!is_exit_code(code) || (code == exit_internal && reported < 0))
    throw DeviceError("{} failed with code {} ({} may say why)", launcher.path, code,
                      words_to_try(launcher, 2));
  return code;
}

}  // namespace

std::vector<std::string> words_of_ranks(const Launcher& launcher, int count) {
  std::vector<std::string> words;
  if (count > 1) words = launcher_words(launcher, count);
  words.push_back(std::filesystem::read_symlink("/proc/self/exe").string());
  return words;
}

// Launchers may kill all ranks at SIGINT, SIGTERM and other stop signals. They pass SIGUSR1 on to
// all ranks, so the first stop signal is sent as SIGUSR1. They pass checkpoint_signal on, too.
int start_ranks(int count) {
  if (const std::string missing = ranks_unavailable(); !missing.empty())
    throw ConfigError("--ranks {}: {} (scripts/run installs it where --ranks is given)", count,
                      missing);
  if (std::getenv(code_variable) != nullptr)
    throw ConfigError("--ranks {}: started as one of them, but {} finds no others", count,
                      mpi_library());
  const Launcher launcher = find_launcher(mpi_library());
  sigset_t awaited = heeded_stop_signals(), before;
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, checkpoint_signal);
  sigprocmask(SIG_BLOCK, &awaited, &before);
  const LauncherFolders folders;
  const std::filesystem::path code_file = folders.path() / "exit-code";
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) throw DeviceError("--ranks {}: {}", count, std::strerror(errno));
  if (child == 0) become_launcher(launcher, count, before, folders, code_file, parent);
  const double limit = limit_of_start();
  const Clock::time_point begun = Clock::now();
  int killed_by = 0;
  bool given_up = false;
  for (std::optional<Clock::time_point> first, ended;;) {
    constexpr timespec between_checks{1, 0};
    const int signal = sigtimedwait(&awaited, nullptr, &between_checks);
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) {
      if (killed_by != 0) return 128 + killed_by;
      if (given_up)
        throw DeviceError("--ranks {}: they have not met within {:g} seconds ({} may say why)",
                          count, limit, words_to_try(launcher, count));
      const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      return code_of_run(launcher, code, code_file);
    }
    const auto end = [&] {
      kill(child, SIGTERM);
      ended = ended.value_or(Clock::now());
    };
    if (ended && seconds_since(*ended) >= std::min(limit, 10.0)) kill(child, SIGKILL);  // hangs
    if (!ended && seconds_since(begun) >= limit && exists(meeting_file(code_file))) {
      given_up = true;
      end();
    }
    if (signal < 0 || signal == SIGCHLD) continue;
    if (signal == checkpoint_signal) {
      kill(child, signal);
    } else if (!first) {
      kill(child, SIGUSR1);
      first = Clock::now();
    } else if (signal != SIGXCPU && seconds_since(*first) >= 1) {  // as in app/signals.hpp
      killed_by = signal;
      end();
    }
  }
}

void notify_starter_of_meeting(bool met) {
  const char* const path = std::getenv(code_variable);
  if (path == nullptr) return;
  std::error_code ignored;  // another machine lacks the folder, and nobody waits there
  if (met)
    std::filesystem::remove(meeting_file(path), ignored);
  else
    std::ofstream(meeting_file(path)).flush();
}

bool notify_starter(int exit_code) {
  const char* const path = std::getenv(code_variable);
  return path != nullptr && static_cast<bool>(std::ofstream(path) << exit_code << std::flush);
}

}  // namespace lapl
