// The time of a run: its outputs, formulas and steps read one clock, which a restart keeps.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/app/csv.hpp"
#include "tests/app/program.hpp"
#include "tests/text.hpp"

using namespace lapl::test;

namespace {

// A run in which every cell has the value `rate` integrates to; `more` is of its time and output.
std::string uniform(const std::string& rate, const std::string& time, const std::string& output,
                    const std::string& precision = "float64") {
  return fmt::format(
      "grid: {{shape: [4]}}\nboundary: periodic\nequation: {{kind: formula, field: \"{}\"}}\n"
      "initial: {{kind: uniform, value: 0}}\ntime: {{{}}}\n"
      "output: {{directory: out, every: {}, fields: [field]}}\n"
      "compute: {{backend: cpu, precision: {}}}\n",
      rate, time, output, precision);
}

Outcome run_config(const std::string& text) {
  write_text("c.yaml", text);
  return run_lapl({"run", "c.yaml", "--overwrite"});
}

std::string newest_checkpoint() {
  std::string last;
  for (const auto& file : fs::directory_iterator("out/checkpoints"))
    if (file.path().extension() == ".h5") last = std::max(last, file.path().string());
  return last;
}

std::vector<std::string> times() { return column("out/diagnostics.csv", "time"); }

}  // namespace

TEST_CASE("times are multiples of what the config names, rounded once, with any scheme") {
  const Sandbox sandbox;
  for (const char* const scheme : {"bs23", "rkl2"})
    for (const auto& [end, every, labels] :
         {std::tuple("2.1", "0.7", std::vector<std::string>{"0", "0.7", "1.4", "2.1"}),
          {"0.9", "0.3", {"0", "0.3", "0.6", "0.9"}}}) {
      REQUIRE(run_config(uniform("0*field + cos(t)",
                                 fmt::format("scheme: {}, tolerance: 1e-6, end: {}", scheme, end),
                                 fmt::format("{{time: {}}}", every)))
                  .code == 0);
      CHECK(times() == labels);
    }
}

TEST_CASE("comparisons of t meet the decimals, in both precisions") {
  const Sandbox sandbox;
  for (const char* const precision : {"float32", "float64"}) {
    REQUIRE(
        run_config(uniform("(t < 0.9) + 0*field", "step: 0.3, end: 1.5", "1", precision)).code ==
        0);
    CHECK(last_value("mean") == doctest::Approx(0.9).epsilon(1e-6));
    CHECK(times() == std::vector<std::string>{"0", "0.3", "0.6", "0.9", "1.2", "1.5"});
    REQUIRE(
        run_config(uniform("(t < 2.1) + 0*field", "step: 0.7, end: 3.5", "1", precision)).code ==
        0);
    CHECK(last_value("mean") == doctest::Approx(2.1).epsilon(1e-6));
  }
}

TEST_CASE("what reads t alone is computed in float64, on every engine" *
          doctest::test_suite("slow")) {
  const Sandbox sandbox;
  for (const char* const engine : {"reference", "interpreted", "threaded", "blocked"}) {
    write_text("c.yaml", uniform("cos(2*pi*t - 1) * (t >= 1000000) + 0*field",
                                 "step: 1, steps: 1000001", "1000001", "float32"));
    const Outcome run =
        run_lapl({"run", "c.yaml", "--overwrite", "--set", fmt::format("compute.engine={}", engine),
                  "--set", "time={step: 100000, steps: 11}", "--set", "output.every=11"});
    REQUIRE_MESSAGE(run.code == 0, run.err);
    CHECK(last_value("mean") == doctest::Approx(100000 * std::cos(1.0)).epsilon(1e-6));
  }
}

TEST_CASE("kind: diffusion steps by the dt of its clock where steps vary") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [32]}\nequation: {kind: diffusion, diffusivity: 1}\n"
             "boundary: {columns: {first: insulated, last: {derivative: -0.01 * field}}}\n"
             "initial: {kind: uniform, value: 1}\ntime: {step: auto, end: 1}\n"
             "compute: {precision: float64, backend: cpu}\n"
             "output: {directory: out, every: {time: 0.5}, fields: [field]}\n");
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  // Heat flows out at 0.01 * u, and u stays near 1.
  CHECK(32 * (1 - last_value("mean")) == doctest::Approx(0.00996).epsilon(2e-3));
}

TEST_CASE("a restart with other outputs or another end keeps its time") {
  const Sandbox sandbox;
  const std::string text =
      "grid: {shape: [32]}\n"
      "equation: {kind: formula, field: laplacian(field) - 1e-6 * field^3 + cos(t)}\n"
      "boundary: insulated\ninitial: {kind: uniform, value: 0}\n"
      "time: {scheme: rk4, step: auto, steps: 50}\ncompute: {precision: float64, backend: cpu}\n"
      "output: {directory: out, every: {time: 50}, fields: [field]}\n";
  write_text("c.yaml", text);
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  REQUIRE(run_lapl({"resume", "out", "--set", "time.steps=150", "--set", "output.every={time: 20}"})
              .code == 0);
  CHECK(times() == std::vector<std::string>{"0", "31.25", "40", "60", "80", "93.75"});
  const auto means = column("out/diagnostics.csv", "mean");
  for (std::size_t i = 0; i < means.size(); ++i)
    CHECK(std::stod(means[i]) == doctest::Approx(std::sin(std::stod(times()[i]))).epsilon(1e-3));
  const Outcome earlier =
      run_lapl({"resume", "out", "--set", "time.steps=null", "--set", "time.end=49.7"});
  CHECK(earlier.code == 2);
  CHECK_MESSAGE(has(earlier.err, "time.end: 49.7 is before the time 93.75"), earlier.err);
}

TEST_CASE("estimates of the largest stable step look at the times ahead") {
  const Sandbox sandbox;
  for (const char* const scheme : {"euler", "rk4"}) {
    write_text("c.yaml",
               "grid: {shape: [64]}\nboundary: periodic\n"
               "equation: {kind: formula, field: (0.01 + 0.1 * t) * laplacian(field)}\n"
               "initial: {kind: formula, formula: random}\n"
               "time: {step: auto, end: 100}\ncompute: {precision: float64, backend: cpu}\n"
               "output: {directory: out, every: {time: 10}, fields: [field]}\n");
    const Outcome run =
        run_lapl({"run", "c.yaml", "--overwrite", "--set", fmt::format("time.scheme={}", scheme)});
    REQUIRE_MESSAGE(run.code == 0, run.err);
    for (const std::string& largest : column("out/diagnostics.csv", "max"))
      CHECK(std::stod(largest) <= 1);
  }
}

TEST_CASE("limits.smallest_step holds for each step, also after a restart") {
  const Sandbox sandbox;
  for (const char* const scheme : {"imex", "bs23", "dopri5"}) {
    write_text(
        "c.yaml",
        fmt::format(
            "grid: {{shape: [8, 9]}}\n"
            "equation: {{kind: formula, field: \"-1e12*(field-cos(t)) + 0.1*laplacian(field)\"}}\n"
            "initial: {{kind: formula, formula: 2*random-1}}\n"
            "time: {{scheme: {}, tolerance: 1e-9, end: 1e-6}}\nlimits: {{smallest_step: 1e-9}}\n"
            "output: {{directory: out, fields: [field], every: 1}}\n"
            "compute: {{backend: cpu, precision: float64}}\n",
            scheme));
    for (const Outcome& run :
         {run_lapl({"run", "c.yaml", "--overwrite"}), run_lapl({"resume", "out"})}) {
      CHECK(run.code == 3);
      CHECK_MESSAGE(has(run.err, "below limits.smallest_step of 1e-09;"), run.err);
    }
    CHECK(times() == std::vector<std::string>{"0"});
  }
  CHECK(has(run_lapl({"validate", "c.yaml", "--set", "time.step=1e-10"}).err,
            "time.step: found 1e-10, below limits.smallest_step (expected at least 1e-09)"));
  CHECK(
      has(run_lapl({"validate", "c.yaml", "--set", "time.largest_step=1e-10"}).err,
          "time.largest_step: found 1e-10, below limits.smallest_step (expected at least 1e-09)"));
}

TEST_CASE("limits.smallest_step holds for steps that the stages of rkl2 shorten") {
  const Sandbox sandbox;
  const auto run = [](int stages) {
    write_text("c.yaml",
               fmt::format("grid: {{shape: [16]}}\nboundary: insulated\n"
                           "equation: {{u: 100 * laplacian(u) - 0.001 * u^3}}\n"
                           "initial: cos(x * pi / 16)\n"
                           "time: {{scheme: rkl2, stages: {}, tolerance: 1e-2, end: 1}}\n"
                           "limits: {{smallest_step: 0.02}}\noutput: {{directory: out, every: 1}}\n"
                           "compute: {{backend: cpu, precision: float64}}\n",
                           stages));
    return run_lapl({"run", "c.yaml", "--overwrite"});
  };
  const Outcome refused = run(3);  // of which the longest is 0.012 s
  CHECK(refused.code == 3);
  CHECK_MESSAGE(has(refused.err, "below limits.smallest_step of 0.02;"), refused.err);
  const Outcome enough = run(64);
  REQUIRE_MESSAGE(enough.code == 0, enough.err);
  for (const std::string& size : column("out/diagnostics.csv", "step_size"))
    CHECK(std::stod(size) >= 0.02 * (1 - 1e-9));
}

TEST_CASE("steps by error end where doubles hold no shorter one") {
  const Sandbox sandbox;
  std::string text =
      uniform("(field + 0.0262)^2", "scheme: dopri5, tolerance: 1e-8, end: 100", "{time: 50}");
  const Outcome run = run_config(text);  // infinite at t = 1 / 0.0262
  CHECK(run.code == 3);
  CHECK_MESSAGE(has(run.err, "ten times the spacing of float64 there"), run.err);
}

TEST_CASE("steps meet jumps and pulses that the config names") {
  const Sandbox sandbox;
  for (const char* const scheme : {"bs23", "dopri5"}) {
    REQUIRE(
        run_config(uniform("(t < 0.7) + 0*field",
                           fmt::format("scheme: {}, tolerance: 1e-6, end: 2, meet: [0.7]", scheme),
                           "{time: 1}"))
            .code == 0);
    CHECK(last_value("mean") == doctest::Approx(0.7).epsilon(1e-13));
    REQUIRE(
        run_config(
            uniform("exp(-((t-50)/0.1)^2) + 0*field",
                    fmt::format("scheme: {}, tolerance: 1e-6, end: 100, largest_step: 0.1", scheme),
                    "{time: 50}"))
            .code == 0);
    CHECK(last_value("mean") == doctest::Approx(0.1 * std::sqrt(std::acos(-1.0))).epsilon(1e-5));
  }
  const Outcome fixed = run_config(uniform("0*field", "step: 0.1, end: 1, meet: [0.7]", "1"));
  CHECK(fixed.code == 2);
  CHECK(has(fixed.err, "time.meet: given without time.tolerance or time.step auto"));
}

// The estimate alone would take steps that the pulse makes unstable.
TEST_CASE("estimated steps meet the jumps that the config names") {
  const Sandbox sandbox;
  const auto run = [](const std::string& rate, const std::string& time) {
    write_text("c.yaml", "grid: {shape: [64]}\nequation: {u: \"" + rate +
                             "\"}\nboundary: periodic\ninitial: {u: random}\ntime: {" + time +
                             "}\noutput: {count: 6, directory: out}\n"
                             "compute: {precision: float64}\n");
    return run_lapl({"run", "c.yaml", "--overwrite"});
  };
  REQUIRE(run("(1 + 30*((t >= 120) and (t < 126)))*laplacian(u)",
              "scheme: euler, step: auto, end: 300, meet: [120, 126]")
              .code == 0);
  CHECK(last_value("mean") == doctest::Approx(0.503668).epsilon(1e-6));
  REQUIRE(run("laplacian(u) + (t < 0.7)", "scheme: heun, step: auto, end: 3, meet: [0.7]").code ==
          0);
  CHECK(last_value("mean") == doctest::Approx(0.503668 + 0.7).epsilon(1e-6));
}

TEST_CASE("a time to meet that differs from an output by rounding is met with it") {
  const Sandbox sandbox;
  for (const char* const time :
       {"scheme: bs23, tolerance: 1e-5", "scheme: euler, step: {auto: 0.07}"}) {
    CAPTURE(std::string(time));
    const Outcome run = run_config(uniform(
        "(t < 0.7) - field^2",
        fmt::format("{}, end: 1, meet: [0.3, 0.30000000000000004, 0.7]", time), "{time: 0.1}"));
    REQUIRE_MESSAGE(run.code == 0, run.err);
    CHECK(times().size() == 11);
  }
}

TEST_CASE("the last step before a time alone may be shorter than limits.smallest_step") {
  const Sandbox sandbox;
  const Outcome run =
      run_config(uniform("-field", "scheme: bs23, tolerance: 1e-2, step: 0.03, end: 0.035", "1") +
                 "limits: {smallest_step: 0.02}\n");
  REQUIRE_MESSAGE(run.code == 0, run.err);
  CHECK(times()[1] == "0.03");
}

TEST_CASE("a fixed step has one clock, also where a restart or a reader goes on from it") {
  const Sandbox sandbox;
  REQUIRE(
      run_config(uniform("-field", "scheme: bs23, step: 0.1111111111111111, end: 1", "{time: 1}"))
          .code == 0);
  const auto checkpoint =
      nlohmann::json::parse(run_lapl({"inspect", newest_checkpoint(), "--json"}).out);
  CHECK(checkpoint["time"] == 1.0);
  const Outcome on = run_lapl({"resume", "out", "--change-equation", "--set", "time.tolerance=1e-5",
                               "--set", "time.end=2"});
  REQUIRE_MESSAGE(on.code == 0, on.err);
  CHECK(times().size() == 3);
  REQUIRE(run_config(uniform("-field", "scheme: bs23, step: 0.1, end: 0.3", "{time: 0.1}")).code ==
          0);
  const Outcome same =
      run_lapl({"resume", "out", "--change-equation", "--set", "time.tolerance=1e-5"});
  CHECK_MESSAGE(same.code == 0, same.err);
}

TEST_CASE("inspect shows the time of a checkpoint whose steps vary") {
  const Sandbox sandbox;
  REQUIRE(
      run_config(uniform("cos(t) + 0*field", "scheme: bs23, tolerance: 1e-6, end: 5", "{time: 5}"))
          .code == 0);
  const auto found =
      nlohmann::json::parse(run_lapl({"inspect", newest_checkpoint(), "--json"}).out);
  CHECK(found["time"] == 5.0);
}
