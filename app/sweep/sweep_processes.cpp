#include "app/sweep/sweep_processes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <omp.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <span>
#include <system_error>

#include "app/commands/run_backend.hpp"
#include "app/commands/run_needs.hpp"
#include "app/exit_code.hpp"
#include "app/signals.hpp"
#include "app/sweep/shared_codes.hpp"
#include "io/durable/lines.hpp"
#include "io/durable/posix_file.hpp"
#include "kernels/backend.hpp"
#include "kernels/error.hpp"
#include "kernels/machine/shared_code.hpp"
#include "kernels/ranks/ranks.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

// A member's share of the machine while it runs.
struct Share {
  int cores = 1;
  int threads = 0;  // for compute.threads; 0: as the config says
  Memory memory;
};

// Small grids get few cores each, so that many run at once; a large one gets all.
Share share_of(const RunConfig& run, int cores, int at_once) {
  const std::string backend = choose_backend(run).backend;
  Share share{.memory = memory_of_run(Model(run), backend, run.shape)};
  const int even = std::max(cores / at_once, 1);
  if (backend == "cuda") {
    // Processes take turns on a GPU: those of small grids start, store and end beside each other.
    constexpr std::int64_t large_grid = std::int64_t{1} << 24;
    constexpr double context_bytes = 6e8;
    share.memory.device += context_bytes;
    share.cores = std::max(run.shape.cells() >= large_grid ? cores : cores / 4, even);
  } else if (run.threads > 0) {
    share.cores = std::min(run.threads, cores);
  } else {
    constexpr std::int64_t cells_a_core = std::int64_t{1} << 20;
    const auto full = std::min<std::int64_t>(run.shape.cells() / cells_a_core + 1, cores);
    share.threads = std::min(std::max(static_cast<int>(full), even), useful_threads(run.shape));
    share.cores = share.threads;
  }
  return share;
}

// Gives a member the process id of its sweep, and says that its standard input is the config.
constexpr const char* sweep_variable = "LAPL_SWEEP";

fs::path log_of(const SweepMember& member) { return member.run.directory + ".log"; }

// Why a member ended with this code, where that is no good one.
std::string error_of(const SweepMember& member, int code) {
  if (code == exit_complete || code == exit_stopped_early) return "";
  if (code > 128) return fmt::format("ended by signal {}", strsignal(code - 128));
  const std::string text = fs::exists(log_of(member)) ? read_start(log_of(member)) : "";
  constexpr std::string_view mark = "lapl: error: ";
  const auto at = text.rfind(mark);
  if (at == std::string::npos)
    return fmt::format("exit code {}, for which {} gives no reason", code, log_of(member).string());
  const auto start = at + mark.size();
  return text.substr(start, text.find_last_not_of('\n') + 1 - start);
}

// Empty, unless it is added to. As other files of a run: no link is followed, no pipe is waited
// for.
PosixFile open_log(const fs::path& path, bool add) {
  unshare(path);
  return {path, O_WRONLY | O_CREAT | O_NOFOLLOW | (add ? 0 : O_TRUNC), path.string()};
}

// A file in memory, which each member opens for itself.
PosixFile file_of(const std::string& text) {
  std::optional<PosixFile> file = PosixFile::in_memory("the members' config");
  if (!file) throw IoError("the members' config: this system has no files in memory");
  file->write(std::as_bytes(std::span(text)));
  return std::move(*file);
}

// For calls that return what errno would be.
void require(int error) {
  if (error != 0) throw std::system_error(error, std::generic_category(), "starting the members");
}

class Processes {
 public:
  Processes(const SweepOptions& options, const sigset_t& signals_before)
      : options_(options),
        program_(fs::read_symlink("/proc/self/exe").string()),
        config_(file_of(options.text)) {
    require(posix_spawnattr_init(&attributes_));
    require(posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK));
    require(posix_spawnattr_setsigmask(&attributes_, &signals_before));
  }
  Processes(const Processes&) = delete;
  ~Processes() { posix_spawnattr_destroy(&attributes_); }

  // Throws IoError where the member cannot be started. `code`: -1 or a file for it.
  void start(const SweepMember& member, const Share& share, int code) {
    std::vector<std::string> words = {program_, "run", options_.config, "--output",
                                      member.run.directory};
    for (const std::string& setting : member.settings)
      words.insert(words.end(), {"--set", setting});
    if (share.threads > 0)
      words.insert(words.end(), {"--set", fmt::format("compute.threads={}", share.threads)});
    if (options_.go_on) words.emplace_back("--auto-resume");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);

    const PosixFile log = open_log(log_of(member), options_.go_on);
    posix_spawn_file_actions_t files;
    require(posix_spawn_file_actions_init(&files));
    require(posix_spawn_file_actions_addopen(&files, STDIN_FILENO, config_.scratch_path().c_str(),
                                             O_RDONLY, 0));
    require(posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.scratch_path().c_str(),
                                             O_WRONLY | O_APPEND, 0));
    require(posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO));
    std::string own_variable = fmt::format("{}={}", sweep_variable, getpid());
    std::string code_variable = fmt::format("{}={}", shared_code_variable, code_descriptor);
    std::vector<char*> variables;
    for (char** variable = environ; *variable != nullptr; ++variable)
      if (!makes_rank(*variable)) variables.push_back(*variable);
    variables.push_back(own_variable.data());
    if (code >= 0) {
      require(posix_spawn_file_actions_adddup2(&files, code, code_descriptor));
      variables.push_back(code_variable.data());
    }
    variables.push_back(nullptr);
    pid_t child = 0;
    const int error = posix_spawn(&child, program_.c_str(), &files, &attributes_, arguments.data(),
                                  variables.data());
    posix_spawn_file_actions_destroy(&files);
    if (error != 0)
      throw IoError("{}: cannot be started: {}", log_of(member).string(), std::strerror(error));
    running_.emplace(child, std::pair(&member, share));
  }

  bool fits(const Share& share, const Memory& available, int cores) const {
    Share sum = share;
    for (const auto& [child, member] : running_) {
      sum.cores += member.second.cores;
      sum.memory.host += member.second.memory.host;
      sum.memory.device += member.second.memory.device;
    }
    const auto enough = [](double needed, double there) { return there == 0 || needed <= there; };
    return running_.empty() || (sum.cores <= cores && enough(sum.memory.host, available.host) &&
                                enough(sum.memory.device, available.device));
  }

  // Members that have ended since the last call.
  std::vector<std::pair<const SweepMember*, int>> ended() {
    std::vector<std::pair<const SweepMember*, int>> result;
    int status = 0;
    std::erase_if(running_, [&](const auto& entry) {  // no others: a compiler may be among them
      if (waitpid(entry.first, &status, WNOHANG) <= 0) return false;
      result.emplace_back(entry.second.first,
                          WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
      return true;
    });
    return result;
  }

  void stop() const {
    for (const auto& [child, member] : running_) kill(child, SIGTERM);
  }
  std::size_t count() const { return running_.size(); }

 private:
  static constexpr int code_descriptor = STDERR_FILENO + 1;  // in a member

  const SweepOptions& options_;
  std::string program_;
  PosixFile config_;
  posix_spawnattr_t attributes_{};
  std::map<pid_t, std::pair<const SweepMember*, Share>> running_;
};

}  // namespace

LoadedConfig config_of_run(const fs::path& path, const std::vector<std::string>& settings) {
  const char* const sweep = std::getenv(sweep_variable);
  if (sweep == nullptr) return load_config(path, settings);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (std::to_string(getppid()) != sweep) throw IoError("the sweep of this run has ended");
  unsetenv(sweep_variable);
  return parse_config(read_config_text("/proc/self/fd/0"), path.string(), path.parent_path(),
                      settings);
}

std::string run_members(const std::vector<SweepMember>& members, const SweepOptions& options,
                        const std::function<void(const SweepMember&, const MemberEnd&)>& ended) {
  // Taken one at a time by sigwaitinfo, so that none can come in between; blocked before a GPU's
  // driver starts threads, which would be told of them.
  std::signal(SIGCHLD, SIG_DFL);
  std::signal(SIGPIPE, SIG_IGN);
  sigset_t signals = heeded_stop_signals(), before;
  sigaddset(&signals, SIGCHLD);
  require(pthread_sigmask(SIG_BLOCK, &signals, &before));

  std::vector<const SweepMember*> waiting;
  for (const SweepMember& member : members)
    if (!member.complete) waiting.push_back(&member);
  const int cores = omp_get_num_procs();
  const int most = options.jobs > 0 ? options.jobs : cores;
  const int at_once = std::min<int>(most, std::max<int>(static_cast<int>(waiting.size()), 1));
  const auto cuda = [](const SweepMember* member) {
    return choose_backend(member->run).backend == "cuda";
  };
  const Memory available = memory_available(std::ranges::any_of(waiting, cuda) ? "cuda" : "cpu");
  Processes processes(options, before);
  SharedCodes codes(waiting);
  std::string stopped_by;
  auto next = waiting.begin();
  for (;;) {
    for (;
         next != waiting.end() && stopped_by.empty() && static_cast<int>(processes.count()) < most;
         ++next) {
      const Share share = share_of((*next)->run, cores, at_once);
      if (!processes.fits(share, available, cores)) break;
      try {
        processes.start(**next, share, codes.of_next(**next));
      } catch (const IoError& error) {
        ended(**next, {exit_io, error.what()});
      }
    }
    if (processes.count() == 0) break;
    const int signal = sigwaitinfo(&signals, nullptr);
    if (signal != SIGCHLD && signal > 0) {
      stopped_by = name_of_signal(signal);
      processes.stop();
    }
    codes.look();
    for (auto [member, code] : processes.ended()) {
      // Signalled before it had a handler for that.
      const auto stops = [found = code](int stop) { return found == 128 + stop; };
      if (!stopped_by.empty() && std::ranges::any_of(stop_signals, stops))
        code = exit_stopped_early;
      ended(*member, {code, error_of(*member, code)});
    }
  }
  require(pthread_sigmask(SIG_SETMASK, &before, nullptr));
  return stopped_by;
}

}  // namespace lapl
