// Times of the model, the end at a steady state, and a changed equation.
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

nlohmann::json summary() { return nlohmann::json::parse(text_of("out/run.json")); }

}  // namespace

TEST_CASE("time.end and output.every of a time are counted in steps") {
  const Sandbox sandbox;
  write_text("c.yaml",
             with_time("{step: 0.3, end: 6}", "output: {directory: out, every: {time: 2}}\n"));
  const Outcome run = run_lapl({"run", "c.yaml"});
  CAPTURE(run.err);
  REQUIRE(run.code == 0);
  CHECK(summary()["steps"] == 20);
  std::string outputs;
  for (const auto& entry : fs::directory_iterator("out/fields"))
    outputs += entry.path().filename().string();
  for (const char* step : {"000000000", "000000007", "000000014", "000000020"})
    CHECK_MESSAGE(has(outputs, step), outputs);
  CHECK(std::distance(fs::directory_iterator("out/fields"), {}) == 4);
  // A setting of the other key takes the place of the file's.
  REQUIRE(run_lapl({"resume", "out", "--set", "time.steps=25"}).code == 0);
  CHECK(summary()["steps"] == 25);
  REQUIRE(run_lapl({"resume", "out", "--set", "time.end=9"}).code == 0);
  CHECK(summary()["steps"] == 30);
  CHECK(run_lapl({"verify-restart", "c.yaml"}).code == 0);
  CHECK(run_lapl({"run", "out/config.yaml", "--overwrite"}).code == 0);
}

TEST_CASE("limits.steady: complete at the same step however the run was interrupted") {
  const Sandbox sandbox;
  const std::string limits =
      "limits: {steady: 1e-4, check_finite_every: 30}\ninitial: {kind: gaussian}\n";
  write_text("c.yaml", with_time("{step: 1, steps: 100000}",
                                 "output: {directory: out, every: 1000}\n" + limits));
  const Outcome run = run_lapl({"run", "c.yaml"});
  CAPTURE(run.err);
  REQUIRE(run.code == 0);
  const auto whole = summary();
  CHECK(whole["status"] == "complete");
  CHECK(whole["stopped_by"] == "steady");
  const auto step = whole["step"].get<std::int64_t>();
  CHECK(step % 30 == 0);
  CHECK(step > 30);
  CHECK(step < 10000);
  CHECK(has(run.out, "steady (limits.steady)"));
  const std::string table = text_of("out/diagnostics.csv");

  REQUIRE(run_lapl({"run", "c.yaml", "--overwrite", "--set", "time.steps=44"}).code == 0);
  REQUIRE(run_lapl({"resume", "out", "--set", "time.steps=100000"}).code == 0);
  CHECK(summary()["step"] == step);
  CHECK(summary()["digest"] == whole["digest"]);
  // Once more from where it came to rest: the same end, and no line twice.
  const std::string before = text_of("out/diagnostics.csv");
  REQUIRE(run_lapl({"resume", "out"}).code == 0);
  CHECK(summary()["step"] == step);
  CHECK(summary()["stopped_by"] == "steady");
  CHECK(std::ranges::count(text_of("out/diagnostics.csv"), '\n') ==
        std::ranges::count(before, '\n'));
  CHECK(has(run_lapl({"watch", "out", "--once"}).out, "steady"));
}

TEST_CASE("resume --change-equation changes equation and parameters, and says so for good") {
  const Sandbox sandbox;
  write_text("c.yaml", with_time("{step: 1, steps: 40}", "output: {directory: out, every: 20}\n"));
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const std::vector<std::string> change = {"resume",        "out",   "--set",
                                           "time.steps=60", "--set", "equation.diffusivity=0.125"};
  const Outcome refused = run_lapl(change);
  CHECK(refused.code == 2);
  CHECK(has(refused.err,
            "equation.diffusivity: 0.25 in the checkpoint, 0.125 now (a restart may not "
            "change it; lapl resume --change-equation does)"));
  std::vector<std::string> allowed = change;
  allowed.emplace_back("--change-equation");
  allowed.insert(allowed.end(), {"--set", "time.step=2"});
  CHECK(has(run_lapl(allowed).err,
            "time.step: 1 in the checkpoint, 2 now (a restart may not change "
            "it)"));
  allowed.resize(allowed.size() - 2);
  const Outcome changed = run_lapl(allowed);
  CAPTURE(changed.err);
  REQUIRE(changed.code == 0);
  const std::string words = "equation.diffusivity: 0.25 before, 0.125 from then on";
  CHECK(has(text_of("out/log.jsonl"), words));
  const auto changes_at = [](const char* file) {
    const auto found = nlohmann::json::parse(run_lapl({"inspect", file, "--json"}).out);
    return found["provenance"].value("equation_changes", "");
  };
  CHECK(changes_at("out/fields/step-000000060.nc") == "step 40: " + words);
  CHECK(changes_at("out/fields/step-000000020.nc").empty());
  // Back to a checkpoint from before, which has the other equation.
  CHECK(has(run_lapl({"resume", "out", "--from", "20"}).err, "is of another run than config.yaml"));
  // As of a run that was killed before its first checkpoint: the changed equation stays.
  fs::remove("out/checkpoints/step-000000060.h5");
  const Outcome again = run_lapl({"resume", "out", "--set", "time.steps=80"});
  CAPTURE(again.err);
  REQUIRE(again.code == 0);
  CHECK(changes_at("out/fields/step-000000080.nc") == "step 40: " + words);
  CHECK(has(text_of("out/config.yaml"), "diffusivity: 0.125"));
}
