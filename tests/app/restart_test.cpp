// Restarts lose nothing and are bit-identical.
#include <algorithm>
#include <csignal>
#include <fstream>
#include <random>
#include <thread>

#include "kernels/backend.hpp"
#include "tests/app/program.hpp"
#include "tests/backends.hpp"

using lapl::cuda_unavailable;
using namespace lapl::test;

namespace {

// A run long enough to be killed midway, with a checkpoint every few milliseconds.
std::string long_config() {
  return "grid: {shape: [60, 70]}\n"
         "boundary: {rows: periodic, columns: insulated}\n"
         "equation: {coefficient: 0.25}\n"
         "time: {steps: 40000}\n"
         "output: {directory: out, every: 9000}\n"
         "checkpoint: {every: 500}\n";
}

// For runs that the test stops or kills.
const std::string endless = "time.steps=900000000";

// The step of the newest checkpoint; -1 if there is none.
std::int64_t newest_step(const fs::path& folder) {
  std::int64_t newest = -1;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder / "checkpoints", none))
    if (const std::string name = entry.path().filename().string(); name.starts_with("step-"))
      newest = std::max(newest, std::int64_t{std::stoll(name.substr(5))});
  return newest;
}

// A last step beyond this checkpoint and any that the run may store meanwhile.
std::string steps_beyond(std::int64_t step) { return "time.steps=" + std::to_string(step + 1200); }

std::string digest_of_whole_run(const std::string& backend,
                                const std::string& steps = "time.steps=40000") {
  const Outcome whole = run_lapl(
      {"run", "c.yaml", "--output", "whole", "--overwrite", "--backend", backend, "--set", steps});
  CAPTURE(whole.err);
  REQUIRE(whole.code == 0);
  return last_digest(whole.out);
}

}  // namespace

TEST_CASE("going back sets aside what the run had stored of later steps") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml", "--output", "whole"}).code == 0);
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const auto names_in = [](const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  };
  const std::string rows = file_text("out/diagnostics.csv");
  REQUIRE(fs::exists("out/checkpoints/step-000000040.h5"));
  for (const char* aside : {"out/after-step-40", "out/after-step-40-2"}) {
    const Outcome back = run_lapl({"resume", "out", "--from", "40", "--set", "time.steps=50"});
    CAPTURE(back.err);
    CHECK(back.code == 0);
    CHECK(back.err.find(std::string("of later steps is in ") + aside) != std::string::npos);
    CHECK(names_in("out/fields") ==
          std::vector<std::string>{"step-000000000.nc", "step-000000020.nc", "step-000000040.nc",
                                   "step-000000050.nc"});
  }
  CHECK(names_in("out/after-step-40/fields") == std::vector<std::string>{"step-000000060.nc"});
  CHECK(names_in("out/after-step-40/checkpoints") == std::vector<std::string>{"step-000000060.h5"});
  CHECK(file_text("out/after-step-40/diagnostics.csv") == rows);
  const std::string shorter = file_text("out/diagnostics.csv");
  CHECK(std::count(shorter.begin(), shorter.end(), '\n') == 5);
  REQUIRE(run_lapl({"resume", "out", "--set", "time.steps=60"}).code == 0);
  fs::remove("out/fields/step-000000050.nc");
  CHECK(run_lapl({"diff", "out", "whole"}).code == 0);
  const std::string longer = file_text("out/diagnostics.csv");
  CHECK(longer.starts_with(shorter.substr(0, shorter.rfind("\n50,"))));
  CHECK(std::count(longer.begin(), longer.end(), '\n') == 6);
}

TEST_CASE("a run with an axis that is periodic for one field resumes to the same digest") {
  const Sandbox sandbox;
  write_text(
      "c.yaml",
      "grid: {shape: [9, 12]}\nequation: {u: laplacian(u), v: laplacian(v) + u}\nboundary:\n"
      "  left: {u: periodic, v: insulated}\n  right: {u: periodic, v: 0.3}\n"
      "initial: random\ntime: {step: 0.1, steps: 40}\noutput: {directory: out, every: 20}\n");
  const Outcome whole = run_lapl({"run", "c.yaml", "--output", "whole"});
  CAPTURE(whole.err);
  REQUIRE(whole.code == 0);
  REQUIRE(run_lapl({"run", "c.yaml", "--set", "time.steps=20"}).code == 0);
  const Outcome resumed = run_lapl({"resume", "out", "--set", "time.steps=40"});
  CHECK(resumed.code == 0);
  CHECK(last_digest(resumed.out) == last_digest(whole.out));
}

TEST_CASE("a resume that cannot start sets nothing aside") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  // The CPU lacks this engine, which is noticed only when the backend is created.
  const Outcome refused = run_lapl(
      {"resume", "out", "--from", "40", "--backend", "cpu", "--set", "compute.engine=resident"});
  CAPTURE(refused.err);
  CHECK(refused.code != 0);
  CHECK_FALSE(fs::exists("out/after-step-40"));
  CHECK(fs::exists("out/fields/step-000000060.nc"));
  CHECK(run_lapl({"resume", "out", "--from", "40"}).code == 0);
  CHECK(has(file_text("out/log.jsonl"), "after-step-40"));
}

TEST_CASE("a run whose folders of outputs or checkpoints are removed makes them again") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  fs::copy_file("out/checkpoints/step-000000040.h5", "kept.h5");
  fs::remove_all("out/checkpoints");
  REQUIRE(run_lapl({"resume", "out", "--from", "kept.h5"}).code == 0);
  CHECK(fs::exists("out/checkpoints/step-000000060.h5"));
}

TEST_CASE("a run killed at random times and resumed ends with the digest of the uninterrupted run" *
          doctest::test_suite("slow")) {
  const Sandbox sandbox;
  write_text("c.yaml", long_config());
  std::mt19937 random(1);
  for (const std::string& backend : backends())
    for (int trial = 0; trial < 5; ++trial) {
      fs::remove_all("out");
      pid_t child = start({"run", "c.yaml", "--backend", backend, "--set", endless});
      wait_for_checkpoint("out");
      for (int kills = 0; kills < 3; ++kills) {
        std::this_thread::sleep_for(std::chrono::milliseconds(random() % 150));
        kill(child, SIGKILL);
        finish(child);
        if (kills < 2) child = start({"resume", "out", "--set", endless});
      }
      const std::string steps = steps_beyond(newest_step("out"));
      const Outcome end = run_lapl({"resume", "out", "--set", steps});
      CAPTURE(end.err);
      REQUIRE(end.code == 0);
      CHECK(last_digest(end.out) == digest_of_whole_run(backend, steps));
      const Outcome diff = run_lapl({"diff", "whole", "out"});
      CAPTURE(diff.out);
      CHECK(diff.code == 0);
      CHECK(file_text("out/diagnostics.csv").size() > 0);
    }
}

TEST_CASE("run --auto-resume in a loop of signals ends with the right digest" *
          doctest::test_suite("slow")) {
  const Sandbox sandbox;
  write_text("c.yaml", long_config());
  const std::vector<std::string> command = {"run",       "c.yaml", "--auto-resume",
                                            "--backend", "cpu",    "--set"};
  const auto with = [&](const std::string& steps) {
    std::vector<std::string> words = command;
    words.push_back(steps);
    return words;
  };
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1, SIGHUP, SIGXCPU}) {
    const std::int64_t before = newest_step("out");
    const pid_t child = start(with(endless));
    wait_for(child, [&] { return newest_step("out") > before; });
    kill(child, signal);
    const Outcome stopped = finish(child);
    CAPTURE(stopped.err);
    CHECK(stopped.code == 75);
    CHECK(stopped.out.find("stopped by SIG") != std::string::npos);
  }
  const std::string steps = steps_beyond(newest_step("out"));
  const Outcome end = run_lapl(with(steps));
  CAPTURE(end.err);
  CHECK(end.code == 0);
  CHECK(last_digest(end.out) == digest_of_whole_run("cpu", steps));
}

TEST_CASE("SIGUSR2 stores a checkpoint, and the run goes on") {
  const Sandbox sandbox;
  write_text("c.yaml", long_config());
  const pid_t child = start({"run", "c.yaml", "--backend", "cpu", "--set", endless, "--set",
                             "checkpoint.every=800000000"});
  std::int64_t newest = -1;
  for (int asked = 0; asked < 3; ++asked) {  // the first one is of step 0
    wait_for(child, [&] { return newest_step("out") > newest; });
    newest = newest_step("out");
    kill(child, asked < 2 ? SIGUSR2 : SIGTERM);
  }
  CHECK(finish(child).code == 75);
  const std::string steps = steps_beyond(newest_step("out"));
  const Outcome end = run_lapl({"resume", "out", "--set", steps});
  CHECK(last_digest(end.out) == digest_of_whole_run("cpu", steps));
}

TEST_CASE("a run split by time.steps keeps its bits with other threads, cadence and backends") {
  const Sandbox sandbox;
  write_text("c.yaml", long_config());
  const std::vector<std::string> used = backends();
  const std::string digest = digest_of_whole_run(used.front());
  write_text("stored.yaml",
             long_config() + "initial: {kind: hdf5, path: whole/fields/step-000000000.nc}\n");
  REQUIRE(run_lapl({"run", "stored.yaml", "--set", "time.steps=1"}).code == 0);
  std::size_t turn = 0;
  for (const char* steps : {"2", "499", "9000", "20001", "40000"}) {
    const Outcome end = run_lapl({"resume", "out", "--set", std::string("time.steps=") + steps,
                                  "--set", "compute.threads=1", "--set", "output.every=7000",
                                  "--backend", used[++turn % used.size()]});
    CAPTURE(end.err);
    REQUIRE(end.code == 0);
    if (std::string(steps) == "40000") CHECK(last_digest(end.out) == digest);
  }
}

TEST_CASE("--from goes on from an older checkpoint, by step or by file") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  const Outcome whole = run_lapl({"run", "c.yaml"});
  for (const std::string from : {"20", "out/checkpoints/step-000000040.h5"}) {
    const Outcome again = run_lapl({"resume", "out", "--from", from});
    CAPTURE(again.err);
    CHECK(again.code == 0);
    CHECK(last_digest(again.out) == last_digest(whole.out));
    CHECK(again.err.find("going on from step") != std::string::npos);
  }
  const std::string diagnostics = file_text("out/diagnostics.csv");
  CHECK(std::count(diagnostics.begin(), diagnostics.end(), '\n') == 5);  // no line appears twice
}

TEST_CASE(
    "if the list of outputs is lost, the existing ones count, and a checkpoint kept elsewhere is "
    "valid") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  const Outcome whole = run_lapl({"run", "c.yaml"});
  // The size of checkpoints does not depend on the number of outputs.
  CHECK(fs::file_size("out/checkpoints/step-000000060.h5") ==
        fs::file_size("out/checkpoints/step-000000040.h5"));
  fs::rename("out/checkpoints/step-000000040.h5", "kept.h5");
  const Outcome kept = run_lapl({"resume", "out", "--from", "kept.h5"});
  CAPTURE(kept.err);
  CHECK(kept.code == 0);
  CHECK(kept.err.find("outputs.csv") == std::string::npos);
  CHECK(last_digest(kept.out) == last_digest(whole.out));

  fs::remove("out/checkpoints/outputs.csv");
  const Outcome lying = run_lapl({"resume", "out", "--set", "time.steps=80"});
  CAPTURE(lying.err);
  CHECK(lying.code == 0);
  CHECK(lying.err.find("outputs.csv: cannot open: No such file or directory; the outputs in "
                       "out/fields are taken as they are") != std::string::npos);
  const Outcome listed = run_lapl({"resume", "out", "--set", "time.steps=100"});
  CAPTURE(listed.err);
  CHECK(listed.code == 0);
  CHECK(listed.err.find("outputs.csv") == std::string::npos);
  // Nor must a missing output count as existing.
  std::string list = file_text("out/checkpoints/outputs.csv");
  list[list.size() / 2] ^= 1;
  write_text("out/checkpoints/outputs.csv", list);
  fs::remove("out/fields/step-000000020.nc");
  const Outcome lacking = run_lapl({"resume", "out"});
  CAPTURE(lacking.err);
  CHECK(lacking.code == 4);
  CHECK(lacking.err.find("the output of step 20") != std::string::npos);
}

TEST_CASE("a damaged newest checkpoint is named and an older one used, or with none exit 6") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  const Outcome whole = run_lapl({"run", "c.yaml"});
  const fs::path newest = "out/checkpoints/step-000000060.h5";
  std::string bytes = file_text(newest);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_text(newest, bytes);
  const Outcome again = run_lapl({"resume", "out"});
  CHECK(again.code == 0);
  CHECK(again.err.find("checkpoint rejected: out/checkpoints/step-000000060.h5: ") !=
        std::string::npos);
  CHECK(again.err.find("going on from step 40 of") != std::string::npos);
  CHECK(last_digest(again.out) == last_digest(whole.out));

  for (const auto& entry : fs::directory_iterator("out/checkpoints"))
    fs::resize_file(entry.path(), 100);
  const Outcome none = run_lapl({"resume", "out"});
  CHECK(none.code == 6);
  CHECK(none.err.find("no checkpoint to go on from") != std::string::npos);
  CHECK(none.err.find("step-000000040.h5: ") != std::string::npos);
  CHECK(run_lapl({"run", "c.yaml", "--auto-resume"}).code == 6);
}

TEST_CASE("a restart may not change the problem") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  for (const char* setting :
       {"grid.shape=[30, 20]", "compute.precision=float64", "boundary=periodic", "initial.seed=1",
        "equation.coefficient=0.2", "grid.spacing=2.0"}) {
    CAPTURE(setting);
    const Outcome refused = run_lapl({"resume", "out", "--set", setting});
    CAPTURE(refused.err);
    CHECK(refused.code == 2);
    CHECK(refused.err.find("a restart may not change it") != std::string::npos);
  }
  const Outcome back = run_lapl({"resume", "out", "--set", "time.steps=10"});
  CHECK(back.code == 2);
  CHECK(back.err.find("time.steps: 10 is before step 60") != std::string::npos);
}

TEST_CASE("resume goes on beyond the end, in a folder that was moved") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  fs::rename("out", "elsewhere");
  const Outcome longer = run_lapl({"resume", "elsewhere", "--set", "time.steps=100"});
  CAPTURE(longer.err);
  CHECK(longer.code == 0);
  CHECK(!fs::exists("out"));
  REQUIRE(run_lapl({"run", "c.yaml", "--set", "time.steps=100"}).code == 0);
  CHECK(run_lapl({"diff", "out/fields/step-000000100.nc", "elsewhere/fields/step-000000100.nc"})
            .code == 0);
  // config.yaml shows where each value came from when the run began.
  const auto key_origin = [](const std::string& key) {
    std::ifstream file("elsewhere/config.yaml");
    std::string line;
    while (std::getline(file, line) && line.find(' ' + key + ':') == std::string::npos) continue;
    return line.substr(line.find("# ") + 2);
  };
  CHECK(key_origin("shape") == "c.yaml:1");
  CHECK(key_origin("spacing") == "default");
  CHECK(key_origin("steps") == "--set");
}

TEST_CASE("a checkpoint of another problem is refused, by resume, --from and --auto-resume") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  const Outcome whole = run_lapl({"run", "c.yaml"});
  const std::string setting = "equation.coefficient=0.2";
  REQUIRE(run_lapl({"run", "c.yaml", "--output", "b", "--set", setting, "--set", "time.steps=80"})
              .code == 0);
  const fs::path foreign = "b/checkpoints/step-000000080.h5";
  const Outcome from = run_lapl({"resume", "out", "--from", foreign});
  CHECK(from.code == 6);
  const std::string words =
      "step-000000080.h5: is of another run than config.yaml: equation.coefficient: 0.2 in it";
  CHECK(from.err.find(words) != std::string::npos);
  fs::copy_file(foreign, "out/checkpoints/step-000000080.h5");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"resume", "out"}, {"run", "c.yaml", "--auto-resume"}}) {
    const Outcome again = run_lapl(command);
    CAPTURE(again.err);
    CHECK(again.code == 0);
    CHECK(again.err.find(words) != std::string::npos);
    CHECK(last_digest(again.out) == last_digest(whole.out));
  }
  // A config must fit the folder even if it fits the checkpoint.
  const Outcome other = run_lapl({"run", "c.yaml", "--auto-resume", "--set", setting});
  CHECK(other.code == 2);
  CHECK(other.err.find("equation.coefficient: 0.25 in the run folder, 0.2 now") !=
        std::string::npos);
}

TEST_CASE(
    "an old output that was changed or removed is made again, or exit 4 names the command for it") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  const Outcome whole = run_lapl({"run", "c.yaml", "--set", "checkpoint.keep=2"});
  fs::copy("out", "whole", fs::copy_options::recursive);
  const auto annotate = [](const char* file) { write_text(file, file_text(file) + "more"); };
  annotate("out/fields/step-000000060.nc");
  const Outcome made = run_lapl({"resume", "out"});
  CAPTURE(made.err);
  CHECK(made.code == 0);
  CHECK(made.err.find("lacks the output of step 60 (out/fields/step-000000060.nc: has no seal") !=
        std::string::npos);
  CHECK(run_lapl({"diff", "whole", "out"}).code == 0);

  annotate("out/fields/step-000000020.nc");
  const Outcome named = run_lapl({"resume", "out", "--set", "time.steps=80"});
  CAPTURE(named.err);
  CHECK(named.code == 4);
  CHECK(named.err.find("the output of step 20; no checkpoint from before is left") !=
        std::string::npos);
  CHECK(fs::exists("out/fields/step-000000080.nc"));
  CHECK(run_lapl({"inspect", "out/fields.nc"}).code == 0);
  fs::remove("out/fields/step-000000020.nc");
  CHECK(run_lapl({"resume", "out"}).code == 4);
  // The command suggested by the message works.
  CHECK(named.err.find("run out/config.yaml --output out --overwrite") != std::string::npos);
  CHECK(run_lapl({"run", "out/config.yaml", "--output", "out", "--overwrite"}).code == 0);
  CHECK(run_lapl({"diff", "whole/fields/step-000000020.nc", "out/fields/step-000000020.nc"}).code ==
        0);
}
