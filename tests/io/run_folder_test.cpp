// A run writes only within its folder, and while an earlier run is removed, the rest of it never
// looks like a complete run.
#include "io/run/run_folder.hpp"

#include <sched.h>
#include <sys/inotify.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <nlohmann/json.hpp>

#include "io/run/run_table.hpp"
#include "kernels/error.hpp"
#include "tests/io/scratch_folder.hpp"

namespace lapl::test {

namespace fs = std::filesystem;

TEST_CASE("links out of a run folder are refused or replaced, and never written through") {
  const ScratchFolder folder;
  const fs::path run = folder / "run", elsewhere = folder / "elsewhere";
  { const RunFolder made = RunFolder::create(run, RunFolder::Existing::refuse); }
  const std::string text = "a line\nwithout its end";
  for (const std::string name :
       {"fields", "checkpoints", ".replaced", "log.jsonl", ".lock", "diagnostics.csv"}) {
    CAPTURE(name);
    fs::remove_all(elsewhere);
    const bool is_folder = name != "log.jsonl" && name != ".lock" && name != "diagnostics.csv";
    const fs::path file = is_folder ? elsewhere / "step-000000000.nc" : elsewhere;
    if (is_folder) fs::create_directory(elsewhere);
    write_bytes(file, text);
    if (is_folder) write_bytes(elsewhere / ".a.tmp-1", text);
    fs::remove_all(run / name);
    fs::create_symlink(elsewhere, run / name);

    const auto use = [&] {
      const RunFolder opened = RunFolder::open(run);
      RunTable(opened.diagnostics(), {}).begin(0);
      opened.log({{"event", "a test"}});
    };
    if (name == "diagnostics.csv")
      CHECK_NOTHROW(use());  // the link was replaced
    else
      CHECK(contains(thrown_message<IoError>(use), (run / name).string() + ": "));
    if (is_folder)
      CHECK(contains(
          thrown_message<IoError>([&] { RunFolder::create(run, RunFolder::Existing::overwrite); }),
          "is a symbolic link (expected a folder"));
    CHECK(read_bytes(file) == text);
    if (is_folder) CHECK(read_bytes(elsewhere / ".a.tmp-1") == text);

    fs::remove(run / name);
    if (is_folder) fs::create_directory(run / name);
  }
}

TEST_CASE("a run that is replaced comes back, unless the new one has a checkpoint") {
  const ScratchFolder folder;
  const fs::path run = folder / "run", checkpoint = run / "checkpoints/step-000000010.h5",
                 output = run / "fields/step-000000010.nc";
  { const RunFolder made = RunFolder::create(run, RunFolder::Existing::refuse); }
  write_bytes(run / "run.json", "of the old run");
  write_bytes(checkpoint, "a checkpoint");
  write_bytes(output, "an output");
  const auto is_old = [&] {
    return read_bytes(checkpoint) == "a checkpoint" && read_bytes(output) == "an output" &&
           read_bytes(run / "run.json") == "of the old run" && !fs::exists(run / ".replaced");
  };
  {
    const RunFolder made = RunFolder::create(run, RunFolder::Existing::overwrite);
    CHECK(fs::is_empty(run / "checkpoints"));
    CHECK(fs::is_empty(run / "fields"));
    CHECK(RunFolder::has_run(run));
    write_bytes(run / "fields/step-000000000.nc", "of the new run");
  }
  CHECK(is_old());
  CHECK_FALSE(fs::exists(run / "fields/step-000000000.nc"));

  // The folder as an interrupted move leaves it.
  fs::create_directories(run / ".replaced/checkpoints");
  fs::create_directories(run / ".replaced/fields");
  fs::rename(checkpoint, run / ".replaced/checkpoints/step-000000010.h5");
  RunFolder::open(run);
  CHECK(is_old());

  {
    const RunFolder made = RunFolder::create(run, RunFolder::Existing::overwrite);
    write_bytes(run / "checkpoints/step-000000000.h5", "of the new run");
  }
  CHECK_FALSE(fs::exists(output));
  CHECK_FALSE(fs::exists(run / ".replaced"));
  CHECK_FALSE(fs::exists(run / ".dropped"));
}

TEST_CASE("missing folders of outputs and checkpoints are made again") {
  const ScratchFolder folder;
  const fs::path run = folder / "run";
  { const RunFolder made = RunFolder::create(run, RunFolder::Existing::refuse); }
  fs::remove(run / "fields");
  fs::remove(run / "checkpoints");
  const RunFolder opened = RunFolder::open(run);
  CHECK(fs::is_directory(opened.fields()));
  CHECK(fs::is_directory(opened.checkpoints()));
}

TEST_CASE("a run folder copied with hard links has a lock and a log of its own") {
  const ScratchFolder folder;
  const fs::path run = folder / "run", copy = folder / "copy";
  const RunFolder first = RunFolder::create(run, RunFolder::Existing::refuse);
  first.log({{"event", "of the first"}});
  fs::copy(run, copy, fs::copy_options::recursive | fs::copy_options::create_hard_links);
  REQUIRE(fs::equivalent(run / "log.jsonl", copy / "log.jsonl"));
  const std::string log = read_bytes(run / "log.jsonl");
  {
    const RunFolder second = RunFolder::open(copy);
    second.log({{"event", "of the copy"}});
    RunTable(second.diagnostics(), {}).add("0,0\n");
    CHECK(read_bytes(run / "log.jsonl") == log);
    CHECK(read_bytes(copy / "log.jsonl").starts_with(log));
    CHECK_FALSE(contains(read_bytes(run / "diagnostics.csv"), "\n0,"));
    first.log({{"event", "of the first"}});
    CHECK_FALSE(contains(read_bytes(copy / "log.jsonl").substr(log.size()), "of the first"));
    CHECK(contains(thrown_message<IoError>([&] { RunFolder::open(copy); }),
                   "another run is writing"));
  }
  // The log of the first folder stays as it is if an incomplete line is cut off in the copy.
  write_bytes(copy / "log.jsonl", log + "torn");
  fs::remove(run / "log.jsonl");
  fs::create_hard_link(copy / "log.jsonl", run / "log.jsonl");
  RunFolder::open(copy);
  CHECK(read_bytes(copy / "log.jsonl") == log);
  CHECK(read_bytes(run / "log.jsonl") == log + "torn");
  CHECK(contains(thrown_message<IoError>([&] { RunFolder::open(run); }), "another run is writing"));
}

TEST_CASE("the lock of a killed process is waited for while its child still holds it") {
  const ScratchFolder folder;
  const fs::path run = folder / "run";
  bool reaped = false;
  SUBCASE("its parent knows") { reaped = true; }
  SUBCASE("its parent does not know yet") {}
  std::array<int, 2> ready{};
  REQUIRE(::pipe(ready.data()) == 0);
  const pid_t owner = ::fork();
  if (owner == 0) {
    const RunFolder made = RunFolder::create(run, RunFolder::Existing::refuse);
    if (::fork() == 0) {  // ends after somebody has tried to take the lock
      const int watch = ::inotify_init1(0);
      ::inotify_add_watch(watch, (run / ".lock").c_str(), IN_OPEN);
      static_cast<void>(::write(ready[1], "", 1));
      std::array<char, 4096> event{};
      static_cast<void>(::read(watch, event.data(), event.size()));
      ::_exit(0);
    }
    for (;;) ::pause();
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  ::kill(owner, SIGKILL);
  siginfo_t ended{};
  REQUIRE(::waitid(P_PID, owner, &ended, WEXITED | (reaped ? 0 : WNOWAIT)) == 0);
  CHECK_NOTHROW(RunFolder::open(run));
  if (!reaped) ::waitpid(owner, nullptr, 0);
  for (const int each : ready) ::close(each);
}

TEST_CASE("the lock of a process is waited for while SIGKILL waits for a busy processor") {
  const ScratchFolder folder;
  const fs::path run = folder / "run";
  cpu_set_t before, one;
  REQUIRE(::sched_getaffinity(0, sizeof before, &before) == 0);
  CPU_ZERO(&one);
  CPU_SET(::sched_getcpu(), &one);
  REQUIRE(::sched_setaffinity(0, sizeof one, &one) == 0);
  std::array<int, 2> ready{};
  REQUIRE(::pipe(ready.data()) == 0);
  const pid_t owner = ::fork();
  if (owner == 0) {
    const RunFolder made = RunFolder::create(run, RunFolder::Existing::refuse);
    const sched_param least{};
    ::sched_setscheduler(0, SCHED_IDLE, &least);  // it runs only while this test sleeps
    static_cast<void>(::write(ready[1], "", 1));
    for (;;) ::pause();
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  ::kill(owner, SIGKILL);
  CHECK_NOTHROW(RunFolder::open(run));
  ::waitpid(owner, nullptr, 0);
  ::sched_setaffinity(0, sizeof before, &before);
  for (const int each : ready) ::close(each);
}

// A process in its exit. The first process of a namespace stays there, flagged as exiting but not
// yet a zombie, until all others in the namespace are reaped. It holds the lock until somebody has
// tried to take it twice. `ready` receives a byte: 's' if no namespace can be created.
[[noreturn]] void hold_for_exiting(const fs::path& run, int ready) {
  const RunFolder made = RunFolder::create(run, RunFolder::Existing::refuse);
  if (::unshare(CLONE_NEWPID) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) {
    static_cast<void>(::write(ready, "s", 1));
    ::_exit(0);
  }
  std::array<pid_t, 2> inside{};
  for (pid_t& process : inside)
    if (process = ::fork(); process == 0)
      for (;;) ::pause();
  ::kill(inside[0], SIGKILL);
  siginfo_t ended{};
  ::waitid(P_PID, inside[1], &ended, WEXITED | WNOWAIT);  // the exit of the first process kills it
  write_bytes(run / ".lock", std::to_string(inside[0]));
  const int watch = ::inotify_init1(0);
  ::inotify_add_watch(watch, (run / ".lock").c_str(), IN_OPEN);
  static_cast<void>(::write(ready, "r", 1));
  inotify_event event{};
  for (int opened = 0; opened < 2; ++opened) static_cast<void>(::read(watch, &event, sizeof event));
  for (const pid_t process : {inside[1], inside[0]}) ::waitpid(process, nullptr, 0);
  ::_exit(0);
}

TEST_CASE("the lock of an exiting process is waited for") {
  const ScratchFolder folder;
  std::array<int, 2> ready{};
  REQUIRE(::pipe(ready.data()) == 0);
  const pid_t holder = ::fork();
  if (holder == 0) hold_for_exiting(folder / "run", ready[1]);
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  if (byte == 's')
    MESSAGE("skipped: no namespace of processes can be made here");
  else
    CHECK_NOTHROW(RunFolder::open(folder / "run"));
  ::kill(holder, SIGKILL);
  ::waitpid(holder, nullptr, 0);
  for (const int each : ready) ::close(each);
}

TEST_CASE("a path that exists only once it is made cannot get around the guard") {
  const ScratchFolder folder;
  const fs::path work = folder / "work";
  fs::create_directory(work);
  write_bytes(work / "config.yaml", "mine");
  for (const char* path : {"new/..", "new/../", "new/deeper/../..", "new/../../work"})
    for (const auto existing : {RunFolder::Existing::refuse, RunFolder::Existing::overwrite}) {
      CAPTURE(path);
      CHECK(contains(thrown_message<ConfigError>([&] { RunFolder::create(work / path, existing); }),
                     "leads through a folder that is not there"));
    }
  CHECK(std::distance(fs::directory_iterator(work), {}) == 1);
  CHECK(read_bytes(work / "config.yaml") == "mine");
}

}  // namespace lapl::test
