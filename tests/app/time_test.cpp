// Simulated times, and ending at a steady state.
#include <nlohmann/json.hpp>

#include "tests/app/program.hpp"
#include "tests/text.hpp"

using namespace lapl::test;

namespace {

std::string with_time(const std::string& time, const std::string& more = "") {
  return "grid: {shape: [20, 30]}\n"
         "equation: {diffusivity: 0.25}\n"
         "checkpoint: {every: 20}\n"
         "compute: {backend: cpu}\n"
         "time: " +
         time + "\n" + more;
}

}  // namespace

TEST_CASE("time.end and output.every of a time are counted in steps") {
  const Sandbox sandbox;
  write_text("c.yaml",
             with_time("{step: 0.25, end: 6}", "output: {directory: out, every: {time: 2}}\n"));
  const Outcome run = run_lapl({"run", "c.yaml"});
  CAPTURE(run.err);
  REQUIRE(run.code == 0);
  CHECK(out_summary()["steps"] == 24);
  std::string outputs;
  for (const auto& entry : fs::directory_iterator("out/fields"))
    outputs += entry.path().filename().string();
  for (const char* step : {"000000000", "000000008", "000000016", "000000024"})
    CHECK_MESSAGE(has(outputs, step), outputs);
  CHECK(std::distance(fs::directory_iterator("out/fields"), {}) == 4);
  // A setting of time.steps replaces the file's time.end.
  REQUIRE(run_lapl({"resume", "out", "--set", "time.steps=25"}).code == 0);
  CHECK(out_summary()["steps"] == 25);
  REQUIRE(run_lapl({"resume", "out", "--set", "time.end=8"}).code == 0);
  CHECK(out_summary()["steps"] == 32);
  const Outcome odd = run_lapl({"run", "c.yaml", "--overwrite", "--set", "time.step=0.3"});
  CHECK(odd.code == 2);
  CHECK_MESSAGE(has(odd.err,
                    "time.step: 0.3 does not divide time.end 6 and output.every 2 (expected "
                    "0.2857142857142857 or 0.3333333333333333)"),
                odd.err);
  const Outcome restart = run_lapl({"verify-restart", "c.yaml"});
  CHECK_MESSAGE(restart.code == 0, restart.err);
  CHECK(last_digest(restart.out) == last_digest(run.out));
  CHECK(run_lapl({"run", "out/config.yaml", "--overwrite"}).code == 0);
}

TEST_CASE("limits.steady ends a run at the same step however it was interrupted") {
  const Sandbox sandbox;
  const std::string limits =
      "limits: {steady: 1e-4, check_finite_every: 30}\ninitial: {kind: gaussian}\n";
  write_text("c.yaml", with_time("{step: 1, steps: 100000}",
                                 "output: {directory: out, every: 1000}\n" + limits));
  const Outcome run = run_lapl({"run", "c.yaml"});
  CAPTURE(run.err);
  REQUIRE(run.code == 0);
  const auto whole = out_summary();
  CHECK(whole["status"] == "complete");
  CHECK(whole["stopped_by"] == "steady");
  const auto step = whole["step"].get<std::int64_t>();
  CHECK(step % 30 == 0);
  CHECK(step > 30);
  CHECK(step < 10000);
  CHECK(has(run.out, "steady (limits.steady)"));
  const std::string table = file_text("out/diagnostics.csv");

  REQUIRE(run_lapl({"run", "c.yaml", "--overwrite", "--set", "time.steps=44"}).code == 0);
  REQUIRE(run_lapl({"resume", "out", "--set", "time.steps=100000"}).code == 0);
  CHECK(out_summary()["step"] == step);
  CHECK(out_summary()["digest"] == whole["digest"]);
  CHECK(whole["digest"] == last_digest(run_lapl({"verify-restart", "c.yaml"}).out));
  // Resuming a steady run ends it again at once and does not repeat a line.
  const std::string before = file_text("out/diagnostics.csv");
  REQUIRE(run_lapl({"resume", "out"}).code == 0);
  CHECK(out_summary()["step"] == step);
  CHECK(out_summary()["stopped_by"] == "steady");
  CHECK(std::ranges::count(file_text("out/diagnostics.csv"), '\n') ==
        std::ranges::count(before, '\n'));
  CHECK(has(run_lapl({"watch", "out", "--once"}).out, "steady"));
}
