// Runs the members of a sweep in forked processes, as many at once as cores and memory allow.
#include <fcntl.h>
#include <fmt/format.h>
#include <omp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <new>
#include <optional>
#include <span>
#include <sstream>
#include <system_error>

#include "app/commands/execute.hpp"
#include "app/exit_code.hpp"
#include "app/program.hpp"
#include "app/signals.hpp"
#include "app/sweep/sweep.hpp"
#include "app/view/console.hpp"
#include "io/durable/lines.hpp"
#include "io/durable/posix_file.hpp"
#include "io/json.hpp"
#include "io/run/run_backend.hpp"
#include "io/run/run_needs.hpp"
#include "kernels/backend.hpp"
#include "kernels/error.hpp"
#include "kernels/machine/code_cache.hpp"
#include "kernels/machine/temporary_folder.hpp"
#include "kernels/ranks/ranks.hpp"
#include "solver/clock.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

// A member's share of the machine while it runs.
struct Share {
  bool on_gpu = false;
  int cores = 1;
  int threads = 0;  // for compute.threads; 0: as the config says
  Memory memory;
};

// Forks a child that runs `body` and ends with its exit code. The child is killed if this process
// ends first. This process must have one thread, so neither OpenMP nor CUDA may have started.
template <class Body>
pid_t fork_child(const Body& body) {
  std::fflush(nullptr);  // or both processes would print what is still buffered
  const pid_t parent = getpid(), child = fork();
  if (child != 0) return child;
  int code = exit_device;
  try {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) throw IoError("the sweep of this run has ended");
    code = body();
  } catch (const std::bad_alloc&) {
    constexpr std::string_view text = "lapl: error: out of host memory\n";
    static_cast<void>(!write(STDERR_FILENO, text.data(), text.size()));
  } catch (const std::exception& error) {
    print_error(error.what());
    code = exit_io;
  }
  std::fflush(nullptr);
  _exit(code);
}

// Members with small grids get few cores each, so that many run at once; one with a large grid gets
// all.
Share member_share(const RunConfig& run, int cores, int at_once) {
  const std::string backend = choose_backend(run).backend;
  Share share{.on_gpu = backend == "cuda",
              .memory = memory_of_run(Model(run), backend, run.shape).all()};
  const int even = std::max(cores / at_once, 1);
  if (share.on_gpu) {
    // Processes step in turn on a GPU, but with small grids they start, store and end beside each
    // other.
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

fs::path member_log(const SweepMember& member) { return member.run.directory + ".log"; }

// The reason for this exit code of a member; empty if it is complete or was stopped early.
std::string member_error(const SweepMember& member, int code) {
  if (code == exit_complete || code == exit_stopped_early) return "";
  if (code > 128) return fmt::format("ended by signal {}", strsignal(code - 128));
  const std::string text = fs::exists(member_log(member)) ? read_start(member_log(member)) : "";
  constexpr std::string_view mark = "lapl: error: ";
  std::istringstream lines(text);
  std::string error;  // the last one: marked lines, and indented lines after them
  bool ended = true;
  for (std::string line; std::getline(lines, line);) {
    const bool marked = line.starts_with(mark);
    if (marked && ended) error.clear();
    ended = !marked && !line.starts_with(' ');
    if (ended) continue;
    if (marked) line.erase(0, mark.size());
    error += (error.empty() ? "" : "\n") + line;
  }
  if (error.empty())
    return fmt::format("exit code {}, for which {} gives no reason", code,
                       member_log(member).string());
  return error;
}

// Opens the log of a member; empties it unless `add` is set. Follows no symbolic link.
PosixFile open_log(const fs::path& path, bool add) {
  unshare(path);
  return {path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | (add ? 0 : O_TRUNC), path.string()};
}

// The needs of the members, and the machine's memory. A child determines them, because the driver
// of a GPU does not work in forks of a process that has started it.
struct Needs {
  std::vector<Share> shares;  // in the order of the members
  Memory available;
};

Needs members_needs(const std::vector<const SweepMember*>& members, int cores, int at_once) {
  // Memory that the child shares: a Share for each member, and one more with the machine's memory.
  const std::size_t bytes = (members.size() + 1) * sizeof(Share);
  void* const mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  const std::span<Share> shares(static_cast<Share*>(mapped), members.size() + 1);
  const pid_t child = fork_child([&] {
    bool any_on_gpu = false;
    for (std::size_t i = 0; i < members.size(); ++i) {
      shares[i] = member_share(members[i]->run, cores, at_once);
      any_on_gpu |= shares[i].on_gpu;
    }
    shares.back().memory = memory_available(any_on_gpu ? "cuda" : "cpu");
    return exit_complete;
  });
  int status = -1;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const Needs needs{{shares.begin(), shares.end() - 1}, shares.back().memory};
  munmap(mapped, bytes);
  if (status != 0)
    throw DeviceError("finding out what the members need: a process for it {}",
                      child < 0 ? "cannot be started" : "failed");
  return needs;
}

class Processes {
 public:
  Processes(const SweepOptions& options, const sigset_t& signals_before)
      : options_(options),
        signals_before_(signals_before),
        program_(fs::read_symlink("/proc/self/exe").string()) {
    try {
      codes_.emplace(folder_of_temporaries(), "codes");
    } catch (const IoError&) {  // each member then compiles its own code
    }
  }

  // Starts a member. Throws IoError if that fails.
  void start(const SweepMember& member, const Share& share) {
    const PosixFile log = open_log(member_log(member), options_.go_on);
    const pid_t child = fork_child([&] {
      pthread_sigmask(SIG_SETMASK, &signals_before_, nullptr);
      const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
      for (const auto& [from, to] : {std::pair(nothing, STDIN_FILENO),
                                     {log.descriptor(), STDOUT_FILENO},
                                     {log.descriptor(), STDERR_FILENO}})
        if (dup2(from, to) < 0) throw IoError("{}: cannot be opened", member_log(member).string());
      forget_launcher();
      finish_compilations();
      if (codes_) keep_codes_in(codes_->descriptor());
      checked_config_text = &options_.text;
      swept_values = json_text(member.swept);
      process_began = Clock::now();
      std::vector<std::string> words = member_words(member, share);
      std::vector<char*> arguments;
      for (std::string& word : words) arguments.push_back(word.data());
      arguments.push_back(nullptr);
      return run_program(static_cast<int>(words.size()), arguments.data());
    });
    if (child < 0)
      throw IoError("{}: cannot be started: {}", member_log(member).string(), std::strerror(errno));
    running_.emplace(child, std::pair(&member, share));
  }

  bool fits(const Share& share, const Memory& available, int cores) const {
    Share sum = share;
    for (const auto& [child, member] : running_) {
      sum.cores += member.second.cores;
      sum.memory.host += member.second.memory.host;
      sum.memory.device += member.second.memory.device;
    }
    const auto is_enough = [](double needed, double there) {
      return there == 0 || needed <= there;
    };
    return running_.empty() || (sum.cores <= cores && is_enough(sum.memory.host, available.host) &&
                                is_enough(sum.memory.device, available.device));
  }

  // The members that have ended since the last call, with their exit codes.
  std::vector<std::pair<const SweepMember*, int>> ended() {
    std::vector<std::pair<const SweepMember*, int>> result;
    int status = 0;
    std::erase_if(running_, [&](const auto& entry) {
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
  std::vector<std::string> member_words(const SweepMember& member, const Share& share) const {
    std::vector<std::string> words = {program_, "run", options_.config, "--output",
                                      member.run.directory};
    for (const std::string& setting : member.settings)
      words.insert(words.end(), {"--set", setting});
    if (share.threads > 0)
      words.insert(words.end(), {"--set", fmt::format("compute.threads={}", share.threads)});
    if (options_.go_on) words.emplace_back("--auto-resume");
    return words;
  }

  const SweepOptions& options_;
  const sigset_t& signals_before_;
  std::string program_;
  std::optional<TemporaryFolder> codes_;  // compiled code, for members without a cache
  std::map<pid_t, std::pair<const SweepMember*, Share>> running_;
};

}  // namespace

std::string run_members(const std::vector<SweepMember>& members, const SweepOptions& options,
                        const std::function<void(const SweepMember&, const MemberEnd&)>& ended) {
  // Signals are blocked, and taken one at a time by sigtimedwait below, so that none is missed.
  std::signal(SIGCHLD, SIG_DFL);
  std::signal(SIGPIPE, SIG_IGN);
  const sigset_t to_stop = heeded_stop_signals();
  sigset_t signals = to_stop, before;
  sigaddset(&signals, SIGCHLD);
  if (const int error = pthread_sigmask(SIG_BLOCK, &signals, &before); error != 0)
    throw std::system_error(error, std::generic_category(), "starting the members");

  std::vector<const SweepMember*> waiting;
  for (const SweepMember& member : members)
    if (!member.complete) waiting.push_back(&member);
  const int cores = omp_get_num_procs();
  const int most = options.jobs > 0 ? options.jobs : cores;
  const int at_once = std::min<int>(most, std::max<int>(static_cast<int>(waiting.size()), 1));
  const Needs needs = members_needs(waiting, cores, at_once);
  Processes processes(options, before);
  std::string stopped_by;
  std::size_t next = 0;
  const auto may_start = [&] {
    return next < waiting.size() && stopped_by.empty() &&
           static_cast<int>(processes.count()) < most &&
           processes.fits(needs.shares[next], needs.available, cores);
  };
  while (processes.count() > 0 || (next < waiting.size() && stopped_by.empty())) {
    for (; may_start(); ++next) {
      const SweepMember& member = *waiting[next];
      try {
        processes.start(member, needs.shares[next]);
      } catch (const IoError& error) {
        ended(member, {exit_io, error.what()});
      }
    }
    // At most a second: no signal comes if none of the last members could be started.
    constexpr timespec second{1, 0};
    int signal = sigtimedwait(&signals, nullptr, &second);
    const auto ended_now = processes.ended();
    // A stop signal that has ended members may come to this process too, after their SIGCHLD.
    constexpr timespec none{};
    for (; signal > 0; signal = sigtimedwait(&to_stop, nullptr, &none))
      if (signal != SIGCHLD) {
        stopped_by = name_of_signal(signal);
        processes.stop();
      }
    for (auto [member, code] : ended_now) {
      // The signal came before the member had a handler for it.
      const auto stops = [found = code](int stop) { return found == 128 + stop; };
      if (!stopped_by.empty() && std::ranges::any_of(stop_signals, stops))
        code = exit_stopped_early;
      ended(*member, {code, member_error(*member, code)});
    }
  }
  catch_stop_signals();  // or one that comes now would end the sweep without its table
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return stopped_by.empty() ? stop_signal() : stopped_by;
}

}  // namespace lapl
