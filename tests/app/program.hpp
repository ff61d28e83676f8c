// Runs lapl as a user does, in a temporary folder, as a library call unless a test needs a real
// process.
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/program.hpp"
#include "io/hdf5/hdf5_handle.hpp"
#include "tests/scratch_root.hpp"
#include "tests/text.hpp"

namespace lapl::test {

namespace fs = std::filesystem;

inline std::string file_text(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return std::move(text).str();
}

inline void write_text(const fs::path& path, const std::string& text) {
  std::ofstream(path) << text;
}

/// A new empty folder, current while the object exists; the destructor removes it.
class Sandbox {
 public:
  Sandbox() : before_(fs::current_path()) {
    static_cast<void>(Hdf5Session());  // must set up HDF5 before the test's own calls
    std::string name = (scratch_root() / "lapl-test-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
    fs::current_path(path_);
    ++open;
  }
  ~Sandbox() {
    --open;
    fs::current_path(before_);
    fs::remove_all(path_);
  }
  Sandbox(const Sandbox&) = delete;
  const fs::path& path() const { return path_; }

  inline static int open = 0;  ///< how many there are

 private:
  fs::path before_, path_;
};

/// The program under test: the one built with the tests, or $LAPL_PROGRAM.
inline std::string lapl_program() {
  const char* other = std::getenv("LAPL_PROGRAM");
  return other != nullptr ? other : LAPL_PROGRAM;
}

/// How a command ended, and its output.
struct Outcome {
  int code = -1;    ///< exit code
  int signal = 0;   ///< signal that ended the process; 0: none
  std::string out;  ///< stdout
  std::string err;  ///< stderr
};

/// Starts lapl, or another program, with its output in out.txt and err.txt; returns the process id.
inline pid_t start(const std::vector<std::string>& arguments,
                   std::string program = lapl_program()) {
  REQUIRE_MESSAGE(Sandbox::open > 0, "a test that runs a program needs a Sandbox for its files");
  std::vector<char*> argv = {program.data()};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  const int flags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&files, 1, "out.txt", flags, 0600);
  posix_spawn_file_actions_addopen(&files, 2, "err.txt", flags, 0600);
  // Restores the default actions of signals that nohup or a run in this process may have changed.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGHUP);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  REQUIRE(posix_spawn(&child, program.c_str(), &files, &attributes, argv.data(), environ) == 0);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return child;
}

inline Outcome finish(pid_t child) {
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status) ? WTERMSIG(status) : 0,
          file_text("out.txt"), file_text("err.txt")};
}

/// Waits until a run started in `folder` has stored a checkpoint. Any step counts, because older
/// checkpoints are removed.
inline void wait_for_checkpoint(const std::filesystem::path& folder) {
  const auto is_there = [&] {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "checkpoints", error))
      if (entry.path().filename().string().starts_with("step-")) return true;
    return false;
  };
  while (!is_there()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// Waits until `done` returns true; fails the test if the process ends first.
template <class Done>
void wait_for(pid_t process, const Done& done) {
  while (!done()) {
    siginfo_t ended{};
    waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOHANG | WNOWAIT);
    if (ended.si_pid != 0 && !done()) FAIL("ended early: " << file_text("err.txt"));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// Redirects stdout and stderr to out.txt and err.txt while the object exists.
class StreamsToFiles {
 public:
  StreamsToFiles() {
    std::fflush(nullptr);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
      before_[stream - 1] = fcntl(stream, F_DUPFD_CLOEXEC, 3);
      const int file = open(stream == STDOUT_FILENO ? "out.txt" : "err.txt",
                            O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
      REQUIRE(dup2(file, stream) == stream);
      close(file);
    }
  }
  ~StreamsToFiles() {
    std::fflush(nullptr);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
      dup2(before_[stream - 1], stream);
      close(before_[stream - 1]);
    }
  }
  StreamsToFiles(const StreamsToFiles&) = delete;

 private:
  std::array<int, 2> before_{};
};

/// True if the command starts the program again, or if another build is under test.
inline bool needs_process(const std::vector<std::string>& arguments) {
  return lapl_program() != LAPL_PROGRAM || (!arguments.empty() && arguments[0] == "sweep") ||
         std::ranges::find(arguments, "--ranks") != arguments.end();
}

/// Runs lapl with these arguments as a library call, without main.
inline Outcome run_lapl(const std::vector<std::string>& arguments) {
  if (needs_process(arguments)) return finish(start(arguments));
  std::vector<std::string> words = {lapl_program()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  Outcome outcome;
  {
    const StreamsToFiles streams;
    outcome.code = run_program(static_cast<int>(words.size()), argv.data());
  }
  outcome.out = file_text("out.txt");
  outcome.err = file_text("err.txt");
  return outcome;
}

/// True if the command failed because this build cannot draw pictures.
inline bool lacks_cairo(const Outcome& outcome) {
  if (outcome.err.find("built without cairo") == std::string::npos) return false;
  CHECK(outcome.code == 2);
  MESSAGE("skipped: lapl was built without cairo (package libcairo2-dev)");
  return true;
}

/// Arguments that lapl refuses, with the exit code and a part of the message.
struct Refusal {
  std::vector<std::string> words;
  int code;
  std::string message;
};

/// Checks that `command` followed by the words of each row fails with that row's code and message.
inline void expect_refused(const std::vector<std::string>& command,
                           const std::vector<Refusal>& refusals) {
  for (const Refusal& row : refusals) {
    std::vector<std::string> words = command;
    words.insert(words.end(), row.words.begin(), row.words.end());
    const Outcome outcome = run_lapl(words);
    if (lacks_cairo(outcome)) continue;
    CAPTURE(row.message);
    CAPTURE(outcome.err);
    CHECK(outcome.code == row.code);
    CHECK(has(outcome.err, row.message));
  }
}

/// A config that runs in an instant, with the entries `more` added.
inline std::string small_config(const std::string& more = "",
                                const std::string& equation = "{coefficient: 0.25}") {
  return "grid: {shape: [20, 30]}\n"
         "equation: " +
         equation +
         "\n"
         "time: {steps: 60}\n"
         "output: {directory: out, every: 20}\n"
         "checkpoint: {every: 20}\n" +
         more;
}

inline const std::string letters = LAPL_SOURCE_DIR "/configs/pictures/letters.png";

/// Runs c.yaml, which starts from the picture `letters`, into the folder out.
inline void run_letters() {
  write_text("c.yaml",
             "grid: {shape: [96, 256]}\nequation: {coefficient: 0.2}\ntime: {steps: 5}\n"
             "output: {directory: out}\ninitial: {kind: image, path: " +
                 letters + "}\n");
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
}

/// The file of a run's last output.
inline std::string last_output(const std::string& run) {
  std::string last;
  for (const auto& entry : fs::directory_iterator(run + "/fields"))
    if (entry.path().filename().string().starts_with("step-"))
      last = std::max(last, entry.path().string());
  return last;
}

/// The digest in the line that a run prints about its last output.
inline std::string last_digest(const std::string& out) {
  const auto at = out.rfind("digest 0x");
  REQUIRE(at != std::string::npos);
  return out.substr(at + 7, 18);
}

/// run.json of the run folder out.
inline nlohmann::json out_summary() { return nlohmann::json::parse(file_text("out/run.json")); }

}  // namespace lapl::test
