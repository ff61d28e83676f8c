#include "app/commands/run_ranks.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/commands/run_backend.hpp"
#include "app/exit_code.hpp"
#include "app/signals.hpp"
#include "app/view/console.hpp"
#include "io/initial_source.hpp"
#include "io/provenance.hpp"
#include "io/rank_writer.hpp"
#include "kernels/backend.hpp"
#include "kernels/error.hpp"
#include "kernels/ranks/rows.hpp"
#include "kernels/temporary_folder.hpp"
#include "solver/clock.hpp"
#include "solver/initial_field.hpp"
#include "solver/run.hpp"

namespace lapl {
namespace {

// What this process is among the ranks, once it has met them: the first one, which tells the others
// what to run, one of these, or one of those that all do the same.
enum class Role : std::uint8_t { alone, first, follower, equal };
Role role = Role::alone;
bool amid_run = false;

// Where it cannot be started: exits with 127, as shells do. Open MPI 4 keeps its sockets and files
// in `sessions`: in the folder that it takes by itself, an mpirun that begins may meet one that
// ends and removes it.
[[noreturn]] void become_mpirun(int count, const sigset_t& mask,
                                const std::filesystem::path& sessions) {
  std::vector<std::string> words = words_of_ranks(count);
  words.insert(words.end(), command_words().begin(), command_words().end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  setpgid(0, 0);  // what a terminal sends comes from this program's parent, once
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  setenv("OMPI_MCA_orte_tmpdir_base", sessions.c_str(), 0);
  execvp("mpirun", arguments.data());
  _exit(127);
}

// Runs the ranks, and returns how they ended. mpirun takes every signal that asks to stop for an
// order to kill, but SIGUSR1, which it hands on to all ranks: so that is what the first one
// becomes.
int code_of_ranks(int count) {
  if (const std::string missing = ranks_unavailable(); !missing.empty())
    throw ConfigError("--ranks {}: {} (scripts/run installs it where --ranks is given)", count,
                      missing);
  sigset_t awaited, before;
  sigemptyset(&awaited);
  for (const int signal : stop_signals) sigaddset(&awaited, signal);
  sigaddset(&awaited, SIGCHLD);
  sigprocmask(SIG_BLOCK, &awaited, &before);
  const TemporaryFolder sessions(std::filesystem::temp_directory_path(), "ranks");
  const pid_t mpirun = fork();
  if (mpirun < 0) throw DeviceError("--ranks {}: {}", count, std::strerror(errno));
  if (mpirun == 0) become_mpirun(count, before, sessions.path());
  for (std::optional<Clock::time_point> first;;) {
    const int signal = sigwaitinfo(&awaited, nullptr);
    int status = 0;
    if (signal == SIGCHLD && waitpid(mpirun, &status, WNOHANG) == mpirun) {
      const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      if (code == 127) throw ConfigError("--ranks {}: mpirun cannot be started", count);
      if (code > 128)
        print_error(
            fmt::format("a rank was ended by {}, and the others with it; lapl resume goes "
                        "on from the last checkpoint",
                        name_of_signal(code - 128)));
      else if (!is_exit_code(code))
        throw DeviceError(
            "--ranks {}: mpirun failed with code {} (mpirun -n {} lapl ... may say why)", count,
            code, count);
      return code;
    }
    if (signal < 0 || signal == SIGCHLD) continue;
    if (!first)
      kill(mpirun, SIGUSR1);
    else if (signal != SIGXCPU && seconds_since(*first) >= 1)  // as app/signals.hpp has it
      kill(mpirun, SIGTERM);
    if (!first) first = Clock::now();
  }
}

// One run, as the first rank has told it.
template <class T>
void take_part(Ranks& ranks, const RunConfig& config, const std::string& backend_name,
               const std::optional<StoredState>& from) {
  const CoefficientFields coefficients = unread_coefficients(config);  // those of the first
  const auto backend = run_backend<T>(
      config, {backend_name, ""}, coefficients, [](const std::string&) {}, ranks);
  if (from) {
    restore_rows(*backend, *from, config, ranks);
  } else {
    set_initial_state(*backend, config, coefficients, {}, ranks);
    require_finite_start(*backend, config, ranks);
  }
  RankWriter<T> writer(config, ranks);
  run(*backend, config, from ? from->step : 0, writer, stop_signal, ranks);
}

// Takes part in what the first rank runs, until it has no more.
void follow_first_rank(Ranks& ranks) {
  for (;;) {
    ranks.rest();
    const std::string text = broadcast_text(ranks, "");
    if (text.empty()) return;
    amid_run = true;
    const auto said = nlohmann::json::parse(text);
    const RunConfig config =
        parse_config(said["config"].get<std::string>(), "the first rank's config", ".", {}).run;
    std::optional<StoredState> from;
    if (said.contains("state"))
      from = {said["state"]["path"].get<std::string>(), said["state"]["step"].get<std::int64_t>(),
              said["state"]["digest"].get<std::uint64_t>()};
    try {
      with_precision(config.precision, [&]<class T>() {
        take_part<T>(ranks, config, said["backend"].get<std::string>(), from);
      });
    } catch (const NumericalError&) {   // all have found it, and the first says so
    } catch (const CheckpointError&) {  // likewise, and ends all
      ranks.rest();
    }
    amid_run = false;
  }
}

}  // namespace

Ranks& run_ranks() {
  if (!is_started_as_rank()) return only_rank();
  static const std::unique_ptr<Ranks> all = [] {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // never outlives what has started it
    std::unique_ptr<Ranks> met = all_ranks();
    if (met->count() > 1) role = Role::equal;
    choose_device(met->index_on_this_machine());
    return met;
  }();
  return *all;
}

void share_run(Ranks& ranks, const LoadedConfig& config, const std::string& backend,
               const std::optional<Restart>& restart) {
  if (ranks.count() == 1) return;
  nlohmann::json said = {{"config", resolved_yaml(config)}, {"backend", backend}};
  if (restart)
    said["state"] = {{"path", restart->path.string()},
                     {"step", restart->checkpoint.header.step},
                     {"digest", restart->checkpoint.header.state_digest}};
  ranks.rest();
  broadcast_text(ranks, said.dump());
  amid_run = true;
}

template <class T>
void restore_rows(Backend<T>& backend, const StoredState& from, const RunConfig& config,
                  Ranks& ranks) {
  const RowRange rows = backend.rows();
  const std::int64_t cells = rows.count * config.shape.columns;
  std::vector<T> state;
  std::uint64_t digest = 0;
  std::string problem;
  try {
    FieldValues values = read_checkpoint_rows(from.path, rows);
    auto* const read = std::get_if<std::vector<T>>(&values);
    if (read == nullptr)
      throw CheckpointError("{}: holds another precision than compute.precision says",
                            from.path.string());
    state = std::move(*read);
    for (std::int64_t field = 0; field < std::ssize(config.fields); ++field)
      digest += digest_of(std::span<const T>(state).subspan(field * cells, cells),
                          static_cast<std::uint64_t>(field * config.shape.cells() +
                                                     rows.first * config.shape.columns));
  } catch (const std::exception& error) {
    problem = error.what();
  }
  problem = first_text(ranks, problem);
  if (ranks.reduce(Reduction::sum, digest) != from.digest && problem.empty())
    problem = from.path.string() + ": has changed since it was verified";
  if (!problem.empty()) throw CheckpointError(problem);
  backend.set_state(state, from.step);
}
template void restore_rows(Backend<float>&, const StoredState&, const RunConfig&, Ranks&);
template void restore_rows(Backend<double>&, const StoredState&, const RunConfig&, Ranks&);

void end_shared_run() { amid_run = false; }

std::vector<std::string> words_of_ranks(int count) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  if (count == 1) return {program};
  std::vector<std::string> words = {
      "mpirun", "--quiet", "--oversubscribe",     "--bind-to", "none", "--stdin",
      "none",   "-n",      std::to_string(count), program};
  // Open MPI takes root for a mistake; a container has no other user.
  if (geteuid() == 0) words.insert(words.begin() + 1, "--allow-run-as-root");
  return words;
}

std::optional<int> done_on_ranks(int wanted, bool live) {
  if (live && (wanted > 1 || run_ranks().count() > 1))
    throw ConfigError("--live: no rank has the whole field (lapl watch shows a run on ranks)");
  if (!is_started_as_rank() && wanted > 1) return code_of_ranks(wanted);
  if (const int found = run_ranks().count(); wanted > 0 && found != wanted)
    throw ConfigError("--ranks {}: found, but {} were started (expected as many, or no --ranks)",
                      wanted, found);
  if (run_ranks().count() == 1) return std::nullopt;
  role = run_ranks().is_first() ? Role::first : Role::follower;
  if (run_ranks().is_first()) return std::nullopt;
  follow_first_rank(run_ranks());
  return exit_complete;
}

void leave_ranks(int exit_code) {
  const bool waited_for = amid_run || role == Role::equal;
  if (waited_for && exit_code != exit_complete && exit_code != exit_numerical)
    end_all_ranks(exit_code);
  if (role != Role::first) return;
  run_ranks().rest();
  broadcast_text(run_ranks(), "");
}

}  // namespace lapl
