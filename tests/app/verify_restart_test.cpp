// lapl verify-restart, and limits.verify_every on the command line.
#include <algorithm>
#include <csignal>
#include <thread>

#include "kernels/backend.hpp"
#include "tests/app/program.hpp"
#include "tests/backends.hpp"
#include "tests/text.hpp"

using lapl::cuda_unavailable;
using namespace lapl::test;

namespace {

// The temporary folder in the current folder; empty if there is none.
fs::path temporary_folder() {
  for (const auto& entry : fs::directory_iterator("."))
    if (has(entry.path().filename().string(), "verify-restart-")) return entry.path();
  return {};
}

// Long enough for the test to interfere.
std::string many_steps() {
  return "grid: {shape: [20, 30]}\n"
         "boundary: insulated\n"  // so that the end depends on the start after any number of steps
         "initial: {kind: hdf5, path: start.nc}\n"
         "equation: {coefficient: 0.25}\n"
         "time: {steps: 60000}\n"
         "output: {directory: out, every: 20000}\n"
         "checkpoint: {every: 400}\n";
}

// Makes two initial fields, start.nc and other.nc.
void make_initial_fields() {
  write_text("start.yaml", small_config("initial: {kind: gaussian}\n"));
  REQUIRE(run_lapl({"run", "start.yaml", "--set", "time.steps=0"}).code == 0);
  fs::rename("out/fields/step-000000000.nc", "start.nc");
  REQUIRE(run_lapl({"run", "start.yaml", "--set", "time.steps=1", "--overwrite"}).code == 0);
  fs::rename("out/fields/step-000000001.nc", "other.nc");
  fs::remove_all("out");
}

// True once verify-restart's first run has written to its folder.
bool has_begun(pid_t child) {
  for (const auto& entry : fs::directory_iterator("."))
    if (file_text(entry.path() / "whole" / ".lock") == std::to_string(child) &&
        fs::exists(entry.path() / "whole" / "run.json"))
      return true;
  return false;
}

// Starts verify-restart on the long config; returns when its first run has read the initial field.
pid_t start_long() {
  make_initial_fields();
  write_text("c.yaml", many_steps());
  const pid_t child = start({"verify-restart", "c.yaml", "--backend", "cpu"});
  wait_for(child, [&] { return has_begun(child); });
  return child;
}

}  // namespace

TEST_CASE("verify-restart prints the digest of the run and leaves nothing behind") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  for (const std::string& backend : backends()) {
    const Outcome run = run_lapl({"run", "c.yaml", "--overwrite", "--backend", backend});
    REQUIRE(run.code == 0);
    const std::string log = file_text("out/log.jsonl");
    for (const std::string splits : {"1", "3"}) {
      const Outcome outcome =
          run_lapl({"verify-restart", "c.yaml", "--splits", splits, "--backend", backend});
      CAPTURE(outcome.err);
      CHECK(outcome.code == 0);
      CHECK(outcome.out.starts_with("restart is bit-identical: " + splits + " split"));
      CHECK(last_digest(outcome.out) == last_digest(run.out));
      CHECK(outcome.err.empty());
      CHECK(temporary_folder().empty());
    }
    CHECK(file_text("out/log.jsonl") == log);  // an existing run folder is untouched
  }
  CHECK(run_lapl({"verify-restart", "c.yaml"}).out == run_lapl({"verify-restart", "c.yaml"}).out);
  CHECK(
      run_lapl({"verify-restart", "c.yaml", "--set", "time.steps=6", "--splits", "5"})
          .out.starts_with("restart is bit-identical: 5 splits at steps 1, 2, 3, 4, 5, digest 0x"));
}

TEST_CASE(
    "verify-restart handles filters, float64, checkpoints by the clock and wall-clock limits") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config("filters: [{name: blurred, kernel: gaussian}]\n"));
  const Outcome outcome =
      run_lapl({"verify-restart", "c.yaml", "--set", "compute.precision=float64", "--set",
                "checkpoint.every=1h", "--set", "limits.wall_time=0.000001s", "--set",
                "limits.verify_every=7", "--set", "output.directory=not/there/yet/"});
  CAPTURE(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(has(outcome.out, "restart is bit-identical: 3 splits at steps "));
  CHECK(!fs::exists("not"));
}

TEST_CASE("verify-restart --keep leaves both runs in --output") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  fs::create_directory("here");
  const Outcome outcome = run_lapl({"verify-restart", "c.yaml", "--keep", "--output", "here"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == 0);
  const fs::path folder = fs::directory_iterator("here")->path();
  CHECK(has(outcome.err, folder.string()));
  CHECK(run_lapl({"diff", folder / "whole/fields/step-000000060.nc",
                  folder / "split/fields/step-000000060.nc"})
            .code == 0);
  // The run is split into four parts, so it is restarted three times.
  const std::string log = file_text(folder / "split/log.jsonl");
  std::size_t restarts = 0;
  for (auto at = log.find("\"resumed\""); at != log.npos; at = log.find("\"resumed\"", at + 1))
    ++restarts;
  CHECK(restarts == 3);
}

TEST_CASE("verify-restart says where the runs differ") {
  const Sandbox sandbox;
  const pid_t child = start_long();
  fs::rename("other.nc", "start.nc");  // makes the second run start from another field
  const Outcome outcome = finish(child);
  CAPTURE(outcome.out);
  CAPTURE(outcome.err);
  CHECK(outcome.code == 7);
  CHECK(outcome.out.starts_with("restart is not bit-identical: 3 splits at steps "));
  CHECK(has(outcome.out, "\n  step 60000, row 0, column 0: "));
  CHECK(has(outcome.out, "from step-000000000.nc on: digest 0x"));
  CHECK(temporary_folder().empty());
}

TEST_CASE("verify-restart stops at a signal and cleans up") {
  const Sandbox sandbox;
  for (const auto& [signal, name] : {std::pair(SIGTERM, "SIGTERM"), std::pair(SIGHUP, "SIGHUP")}) {
    const pid_t child = start_long();
    kill(child, signal);
    const Outcome outcome = finish(child);
    CHECK(outcome.code == 75);
    CHECK(outcome.out == std::string("stopped by ") + name + ": nothing was verified\n");
    CHECK(temporary_folder().empty());
  }
}

TEST_CASE("verify-restart removes what a killed one left behind, but not what another works in") {
  const Sandbox sandbox;
  const pid_t killed = start_long();
  const fs::path left = temporary_folder();
  kill(killed, SIGKILL);
  CHECK(finish(killed).signal == SIGKILL);
  CHECK(fs::exists(left));
  const pid_t other = start_long();
  CHECK_FALSE(fs::exists(left));
  const fs::path used = temporary_folder();
  kill(other, SIGSTOP);  // keeps it running while the next one looks
  CHECK(run_lapl({"verify-restart", "start.yaml"}).code == 0);
  CHECK(fs::exists(used));
  kill(other, SIGTERM);
  kill(other, SIGCONT);
  int status = 0;
  REQUIRE(waitpid(other, &status, 0) == other);
  CHECK(WEXITSTATUS(status) == 75);
  CHECK(temporary_folder().empty());
}

TEST_CASE("verify-restart cleans up after an error") {
  const Sandbox sandbox;
  make_initial_fields();
  write_text("c.yaml", many_steps());
  const Outcome outcome =
      run_lapl({"verify-restart", "c.yaml", "--set", "initial.path=missing.nc"});
  CHECK(outcome.code == 4);
  CHECK(has(outcome.err, "missing.nc"));
  CHECK(temporary_folder().empty());
}

TEST_CASE("limits.verify_every changes no file but the config and the log") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml", "--output", "plain"}).code == 0);
  REQUIRE(
      run_lapl({"run", "c.yaml", "--output", "verified", "--set", "limits.verify_every=7"}).code ==
      0);
  CHECK(run_lapl({"diff", "plain", "verified"}).code == 0);
  for (const char* folder : {"fields", "checkpoints"}) {
    std::vector<std::string> names[2];
    for (int i = 0; i < 2; ++i)
      for (const auto& entry : fs::directory_iterator(fs::path(i ? "verified" : "plain") / folder))
        names[i].push_back(entry.path().filename());
    CHECK(names[0].size() >= 3);
    for (auto& list : names) std::sort(list.begin(), list.end());
    CHECK(names[0] == names[1]);
  }
}
