// Maps, values after each step, and limits.stop, as configs give them.
#include <nlohmann/json.hpp>

#include "tests/app/program.hpp"
#include "tests/text.hpp"

using namespace lapl::test;

namespace {

// One cell, whose value after n steps is n.
const char* const counting =
    "grid: {shape: [1]}\n"
    "initial: 0\n"
    "equation: {w: {next: w + 1}}\n"
    "time: {steps: 1000}\n"
    "compute: {backend: cpu}\n"
    "output: {directory: out, every: 10}\n";

}  // namespace

TEST_CASE("a config of maps has steps of 1, and ends where limits.stop holds") {
  const Sandbox sandbox;
  write_text("c.yaml", std::string(counting) + "limits: {stop: maximum(w) > 36}\n");
  const Outcome run = run_lapl({"run", "c.yaml"});
  REQUIRE_MESSAGE(run.code == 0, run.err);
  CHECK(has(run.out, "complete: step 37, where limits.stop holds"));
  CHECK(out_summary()["status"] == "complete");
  CHECK(out_summary()["stopped_by"] == "limits.stop");
  CHECK(out_summary()["step"] == 37);
  CHECK(has(run_lapl({"watch", "out", "--once"}).out, "limits.stop holds"));

  // The step does not depend on where a run was interrupted.
  const auto digest = out_summary()["digest"];
  REQUIRE(run_lapl({"run", "c.yaml", "--overwrite", "--set", "time.steps=20"}).code == 0);
  REQUIRE(run_lapl({"resume", "out", "--set", "time.steps=1000"}).code == 0);
  CHECK(out_summary()["step"] == 37);
  CHECK(out_summary()["digest"] == digest);
  // Resumed, it ends at once; without the condition it goes on.
  REQUIRE(run_lapl({"resume", "out"}).code == 0);
  CHECK(out_summary()["step"] == 37);
  REQUIRE(run_lapl({"resume", "out", "--set", "limits.stop=null", "--set", "time.steps=50"}).code ==
          0);
  CHECK(out_summary()["step"] == 50);
  CHECK(out_summary()["status"] == "complete");
  CHECK(run_lapl({"verify-restart", "c.yaml"}).code == 0);
}

TEST_CASE("limits.stop holds as soon as it does in one cell, at the steps that are checked") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [8, 6]}\n"
             "initial: where(x == 3 and y == 5, 1, 0)\n"
             "equation: {u: u}\n"
             "time: {step: 0.125, steps: 1000, scheme: rk4}\n"
             "compute: {backend: cpu, precision: float64}\n"
             "limits: {stop: {when: u > 3, every: 4}}\n"
             "output: {directory: out, every: 1000, integrals: {all: u}}\n");
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  CHECK(out_summary()["step"] == 12);      // exp(9 / 8) = 3.08
  for (const char* ranks : {"3", "11"}) {  // some of 11 have no rows
    REQUIRE(run_lapl({"run", "c.yaml", "--overwrite", "--ranks", ranks, "--set",
                      "limits.stop={when: u > 3 and u == maximum(u), every: 4}"})
                .code == 0);
    CHECK(out_summary()["step"] == 12);
  }
}

TEST_CASE("mistakes in maps, in values after steps and in limits.stop have messages") {
  const auto message = [](const std::string& equation, const std::string& more) {
    const Sandbox sandbox;
    write_text("c.yaml",
               "grid: {shape: [8, 6]}\ninitial: {w: 0, u: 0}\nequation: " + equation + "\n" + more);
    const Outcome run = run_lapl({"validate", "c.yaml"});
    CHECK(run.code != 0);
    return run.err;
  };
  const std::string time = "time: {steps: 4, step: 0.1}\n";
  CHECK(has(message("{w: {next: w}, u: -u}", "time: {steps: 4, step: 0.1, scheme: rk4}\n"),
            "equation.w: found {next: FORMULA} with time.scheme rk4 (expected euler, which "
            "evaluates it once)"));
  CHECK(has(message("{w: {next: w, then: 2}, u: -u}", time),
            "equation.w: then: unknown key (expected next)"));
  CHECK(has(message("{w: {next: q}, u: -u}", time), "equation.w: unknown name q"));
  CHECK(has(message("{w: -w, u: -u, after: {v: 1}}", time),
            "equation.after: found v (expected fields: w, u)"));
  CHECK(has(message("{w: {next: w}, u: -u, after: {w: 1}}", time),
            "equation.after: found w, which has {next: FORMULA} (expected the value after a step "
            "there)"));
  CHECK(has(message("{w: -w, let: {u: {solve: laplacian(u) - u, equals: w}}, after: {u: 1}}", time),
            "equation.after: found u, which its equation in equation.let determines (expected "
            "another field)"));
  CHECK(has(message("{w: -w, u: -u, after: {w: noise}}", time),
            "reads noise, which only rates and next values have"));
  CHECK(has(message("{w: -w, u: -u, after: {w: 2 +}}", time), "equation.after: ends where"));
  CHECK(has(message("{w: -w, u: -u}", time + "limits: {stop: w > }\n"), "limits.stop: ends where"));
  CHECK(has(message("{w: -w, u: -u}", time + "limits: {stop: {every: 2}}\n"),
            "limits.stop: when: missing"));
  CHECK(
      has(message("{w: -w, u: -u, after: {u: 2}}", "time: {steps: 4, step: 0.1, scheme: etdrk2}\n"),
          "time.scheme: found etdrk2, which cannot step this: equation.after replaces values "
          "after a step"));
  CHECK(has(message("{w: {next: w}, u: -u}",
                    time + "boundary: {columns: {first: {w: {absorbing: 1}}, last: zero}}\n"),
            "absorbing: w has no rate, but a next value"));
}
