// time.start: a run whose first time is not 0 has the outputs, formulas and steps of that time.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/app/csv.hpp"
#include "tests/app/program.hpp"
#include "tests/text.hpp"

using namespace lapl::test;

namespace {

// A run of a uniform field with this rate.
std::string started_run(const std::string& rate, const std::string& time, const std::string& every,
                        const std::string& more = "") {
  return fmt::format(
      "grid: {{shape: [4]}}\nboundary: periodic\nequation: {{u: \"{}\"}}\n"
      "initial: {{u: \"0\"}}\ntime: {{{}}}\n"
      "output: {{directory: out, every: {}}}\ncompute: {{backend: cpu, precision: float64}}\n{}",
      rate, time, every, more);
}

Outcome run_started(const std::string& text, const std::vector<std::string>& settings = {}) {
  write_text("c.yaml", text);
  std::vector<std::string> words = {"run", "c.yaml", "--overwrite"};
  for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
  return run_lapl(words);
}

std::string run_digest() { return nlohmann::json::parse(file_text("out/run.json"))["digest"]; }

std::vector<std::string> output_times() { return column("out/diagnostics.csv", "time"); }

}  // namespace

TEST_CASE("outputs and formulas of a run count from time.start, with every scheme") {
  const Sandbox sandbox;
  const double exact = std::sin(0.6) - std::sin(-0.3);
  for (const auto& [scheme, error] : {std::pair("euler, step: 1e-3", 1e-3),
                                      {"heun, step: 0.01", 1e-4},
                                      {"rk4, step: 0.1", 1e-6},
                                      {"rkl2, stages: 3, step: 0.01", 1e-4},
                                      {"imex, step: 0.01", 1e-4},
                                      {"etdrk4, step: 0.1", 1e-6},
                                      {"sdirk2, step: 0.01", 1e-4},
                                      {"bs23, tolerance: 1e-6", 1e-5},
                                      {"dopri5, tolerance: 1e-8", 1e-7},
                                      {"imex, tolerance: 1e-6", 1e-5},
                                      {"etdrk4, tolerance: 1e-8", 1e-6}}) {
    CAPTURE(std::string(scheme));
    const Outcome run = run_started(
        started_run("cos(t) + 1e-12*u + 0*laplacian(u)",
                    fmt::format("start: -0.3, end: 0.6, scheme: {}", scheme), "{time: 0.3}"));
    REQUIRE_MESSAGE(run.code == 0, run.err);
    CHECK(output_times() == std::vector<std::string>{"-0.3", "0", "0.3", "0.6"});
    CHECK(last_value("mean") == doctest::Approx(exact).epsilon(error));
  }
}

TEST_CASE("comparisons of t meet decimals, also from a start on") {
  const Sandbox sandbox;
  REQUIRE(
      run_started(started_run("(t >= 0.6) and (t < 0.9)", "start: 0.3, step: 0.1, end: 1.2", "1"))
          .code == 0);
  CHECK(last_value("mean") == doctest::Approx(0.3).epsilon(1e-13));
  CHECK(output_times() == std::vector<std::string>{"0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9",
                                                   "1", "1.1", "1.2"});
  REQUIRE(run_started(started_run("(t < -0.2)",
                                  "start: -0.5, meet: [-0.2], end: 0.1, scheme: bs23, "
                                  "tolerance: 1e-6",
                                  "{time: 0.6}"))
              .code == 0);
  CHECK(last_value("mean") == doctest::Approx(0.3).epsilon(1e-13));
}

TEST_CASE("a start shifts a run, bit by bit, where the shift is exact") {
  const Sandbox sandbox;
  const auto digest = [](const std::string& formula, const std::string& time) {
    const Outcome run = run_started(fmt::format(
        "grid: {{shape: [12, 17]}}\nequation: {{u: \"0.2*laplacian(u) + {0}\", v: 0.1*u}}\n"
        "boundary: {{left: {{value: \"{0}\", at: node}}, right: {{value: \"{0}\"}}}}\n"
        "initial: {{u: random, v: 0}}\ntime: {{{1}}}\n"
        "output: {{directory: out, every: 8, fields: [u, v]}}\ncompute: {{backend: cpu}}\n",
        formula, time));
    REQUIRE_MESSAGE(run.code == 0, run.err);
    return run_digest();
  };
  for (const char* const scheme :
       {"euler, step: 0.25", "rk4, step: 0.25", "bs23, tolerance: 1e-3, step: 0.25"}) {
    CAPTURE(std::string(scheme));
    CHECK(digest("sin(t)", fmt::format("end: 6, scheme: {}", scheme)) ==
          digest("sin(t - 64)", fmt::format("start: 64, end: 70, scheme: {}", scheme)));
    CHECK(digest("sin(t)", fmt::format("end: 6, scheme: {}", scheme)) ==
          digest("sin(t + 16)", fmt::format("start: -16, end: -10, scheme: {}", scheme)));
  }
}

TEST_CASE("noise belongs to the step, not to the time") {
  const Sandbox sandbox;
  const std::string text = started_run("noise", "step: 0.5, steps: 9", "3");
  REQUIRE(run_started(text).code == 0);
  const std::string digest = run_digest();
  REQUIRE(run_started(text, {"time.start=1.3"}).code == 0);
  CHECK(run_digest() == digest);
  CHECK(output_times() == std::vector<std::string>{"1.3", "2.8", "4.3", "5.8"});
  CHECK(column("out/diagnostics.csv", "step") == std::vector<std::string>{"0", "3", "6", "9"});
}

TEST_CASE("engines and restarts agree on the bits of a run with a start") {
  const Sandbox sandbox;
  for (const char* const time : {"start: -0.35, step: 0.1, end: 2.65, scheme: heun",
                                 "start: 1.7, end: 4.7, scheme: bs23, tolerance: 1e-3"}) {
    CAPTURE(std::string(time));
    const std::string text =
        "grid: {shape: [16, 9]}\nequation: {u: 0.3*laplacian(u) + cos(3*t)*u}\n"
        "boundary: {y: periodic, x: {value: sin(t)}}\ninitial: {u: random}\n"
        "output: {directory: out, every: {time: 1.5}, fields: [u]}\ncheckpoint: {every: 7}\n"
        "compute: {backend: cpu}\ntime: {" +
        std::string(time) + "}\n";
    REQUIRE(run_started(text, {"compute.engine=reference"}).code == 0);
    const std::string digest = run_digest();
    for (const char* const engine : {"interpreted", "threaded", "blocked"}) {
      REQUIRE(run_started(text, {fmt::format("compute.engine={}", engine)}).code == 0);
      CHECK(run_digest() == digest);
    }
    for (const char* const from : {"7", "14"}) {
      if (!fs::exists(fmt::format("out/checkpoints/step-{:0>9}.h5", from))) continue;
      const Outcome on = run_lapl({"resume", "out", "--from", from});
      REQUIRE_MESSAGE(on.code == 0, on.err);
      CHECK(run_digest() == digest);
    }
    const Outcome verified = run_lapl({"verify-restart", "c.yaml"});
    CHECK_MESSAGE(verified.code == 0, verified.err);
  }
}

TEST_CASE("steps that lapl finds, outputs by count and plans know time.start") {
  const Sandbox sandbox;
  const std::string text =
      "grid: {shape: [32]}\nequation: {u: (1 + 0*t)*laplacian(u)}\ninitial: {u: random}\n"
      "boundary: periodic\ntime: {start: 10.2, end: 12.2}\noutput: {directory: out, count: 4}\n";
  const Outcome run = run_started(text);
  REQUIRE_MESSAGE(run.code == 0, run.err);
  CHECK(output_times() == std::vector<std::string>{"10.2", "10.7", "11.2", "11.7", "12.2"});
  REQUIRE(run_started(text, {"time.scheme=bs23", "time.tolerance=1e-3"}).code == 0);
  CHECK(has(nlohmann::json::parse(file_text("out/run.json"))["resume"].get<std::string>(),
            "--set time.end=14.2"));
  write_text("p.yaml", text + "compute: {backend: cpu}\n");
  for (const char* const time :
       {"time={start: 10.2, end: 12.2, scheme: bs23, tolerance: 1e-3}", "time.start=-10.2"}) {
    const Outcome plan = run_lapl({"plan", "p.yaml", "--schemes", "--set", time});
    CHECK_MESSAGE(plan.code == 0, plan.err);
  }
}

TEST_CASE("mistakes about the start of a run are listed together") {
  const Sandbox sandbox;
  write_text("c.yaml", started_run("0*u",
                                   "start: 2, end: 1.5, meet: [1, 3], scheme: bs23, "
                                   "tolerance: 1e-3",
                                   "1"));
  const Outcome late = run_lapl({"validate", "c.yaml"});
  CHECK(late.code == 2);
  CHECK_MESSAGE(has(late.err, "time.end: found 1.5 (expected a time after time.start, 2)"),
                late.err);
  CHECK(has(late.err, "time.meet: found 1 (expected a time after time.start, 2)"));
  const auto refusal = [](const std::string& time, const std::string& every = "1") {
    write_text("c.yaml", started_run("0*u", time, every));
    return run_lapl({"validate", "c.yaml"}).err;
  };
  CHECK(has(refusal("step: 1, end: 0"), "time.end: found 0 (expected a time after time.start, 0)"));
  CHECK(has(refusal("start: 1e300, step: 1, steps: 4"),
            "time.start: found 1e+300, so far from 0 that float64 cannot tell times 1 "
            "(time.step) apart"));
  CHECK(has(refusal("start: 0.1, step: 0.3, end: 0.6, ", "{time: 0.4}"),
            "time.step: 0.3 does not divide time.end 0.6 from 0.1 on and output.every 0.4 "
            "(expected 0.1)"));
  CHECK(has(refusal("start: soon, step: 1, steps: 4"),
            "time.start: found soon (expected a finite number)"));
}
