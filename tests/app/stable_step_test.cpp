// The largest stable step in the output of commands, and time.step: auto.
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/app/program.hpp"
#include "tests/text.hpp"

using namespace lapl::test;

namespace {

std::string formula_config(const std::string& rate, const std::string& time,
                           const std::string& initial = "random") {
  return "grid: {shape: [20, 30]}\n"
         "equation: {kind: formula, field: " +
         rate +
         "}\n"
         "boundary: periodic\n"
         "initial: {kind: formula, formula: \"" +
         initial +
         "\"}\n"
         "time: {" +
         time +
         "}\n"
         "output: {directory: out, every: 20}\n"
         "checkpoint: {every: 10}\n";
}

const std::string linear = "0.5 * laplacian(field)", cubic = "laplacian(field) - field^3";

std::string step_line(const fs::path& config) {
  const std::string text = file_text(config);
  const auto at = text.find("  step: ");
  return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

}  // namespace

TEST_CASE("validate, plan and run refuse a step that is too large where the equation says so") {
  const Sandbox sandbox;
  write_text("c.yaml", formula_config(linear, "step: 0.51, steps: 40"));
  for (const char* command : {"validate", "plan", "run"}) {
    const Outcome refused = run_lapl({command, "c.yaml"});
    CHECK(refused.code == 2);
    CHECK(refused.err ==
          "lapl: error: c.yaml:5:14: time.step: found 0.51, unstable: waves that the equation "
          "damps or keeps grow by a factor of 1.04 in each step (expected at most 0.5)\n");
  }
  CHECK(!fs::exists("out"));
  const Outcome valid = run_lapl({"validate", "c.yaml", "--set", "time.step=0.5"});
  CHECK(valid.code == 0);
  CHECK(valid.err == "lapl: largest stable step: 0.5\nlapl: c.yaml: valid\n");
  const Outcome plan = run_lapl({"plan", "c.yaml", "--set", "time.step=0.5", "--json"});
  REQUIRE(plan.code == 0);
  const auto json = nlohmann::json::parse(plan.out);
  CHECK(json["largest_stable_step"] == 0.5);
  CHECK(json["time_step"] == 0.5);
  CHECK(json["step_warning"] == "");
}

TEST_CASE(
    "where every step is unstable, it is refused or warned of, and stable schemes are named") {
  const Sandbox sandbox;
  write_text("c.yaml", formula_config("-d_dx(field)", "step: 0.5, steps: 40"));
  const Outcome refused = run_lapl({"validate", "c.yaml"});
  CHECK(refused.code == 2);
  CHECK_MESSAGE(has(refused.err, "unstable, as any step of scheme euler is"), refused.err);
  CHECK_MESSAGE(has(refused.err, "at most 2.828427 with time.scheme rk4"), refused.err);
  const Outcome warned = run_lapl({"run", "c.yaml", "--set", "time.step=0.01"});
  CHECK(warned.code == 0);
  CHECK_MESSAGE(has(warned.err, "lapl: warning: time.step: found 0.01, a little unstable"),
                warned.err);
  const Outcome automatic = run_lapl({"validate", "c.yaml", "--set", "time.step=auto"});
  CHECK(automatic.code == 2);
  CHECK(automatic.err ==
        "lapl: error: --set time.step=auto: time.step: found auto, and the largest stable step is "
        "none: every step is unstable (expected another time.scheme, or a number)\n");
}

TEST_CASE("an estimated step warns, and the message names the state it is estimated at") {
  const Sandbox sandbox;
  write_text("c.yaml", formula_config(cubic, "step: 0.3, steps: 40"));
  const std::string warning =
      "lapl: warning: time.step: found 0.3, which may be unstable (the largest stable step is "
      "estimated to be 0.2";
  for (const char* command : {"validate", "run"}) {
    const Outcome warned = run_lapl({command, "c.yaml"});
    CHECK_MESSAGE(has(warned.err, warning), warned.err);
    const bool is_run = command == std::string("run");
    CHECK(warned.code == (is_run ? 3 : 0));  // and the run does become unstable
    CHECK_MESSAGE(has(warned.err, "time.step is 0.3; the largest stable step: 0.") == is_run,
                  warned.err);
    CHECK_MESSAGE(has(warned.err, " (estimated at step 0)\n") == is_run, warned.err);
  }
  const Outcome planned = run_lapl({"plan", "c.yaml", "--json"});
  REQUIRE(planned.code == 3);
  const auto plan = nlohmann::json::parse(planned.out);
  CHECK(plan["largest_stable_step"].get<double>() == doctest::Approx(0.2).epsilon(0.2));
  CHECK(has(plan["step_warning"].get<std::string>(), "found 0.3, which may be unstable"));
  CHECK_MESSAGE(has(plan["failure"].get<std::string>(), "is not finite"), planned.out);
  CHECK_MESSAGE(has(run_lapl({"plan", "c.yaml"}).out, "(estimated at the initial state)\nwarning:"),
                planned.out);
  const Outcome right = run_lapl({"validate", "c.yaml", "--set", "time.step=0.2"});
  CHECK_MESSAGE(!has(right.err, "warning"), right.err);
  CHECK_MESSAGE(has(right.err, " (estimated at the initial state)\n"), right.err);
}

TEST_CASE("rates that are not finite at the start are refused before anything is created") {
  const Sandbox sandbox;
  const auto refused = [](const std::string& grid, const std::string& rate,
                          const std::string& words) {
    write_text("c.yaml", "grid: " + grid + "\nequation: {u: \"" + rate +
                             "\", v: 1 - v}\nboundary: insulated\ninitial: {u: 1 + x, v: 1}\n"
                             "time: {step: 1e-4, steps: 4}\noutput: {directory: out}\n");
    for (const char* command : {"validate", "run"}) {
      const Outcome found = run_lapl({command, "c.yaml"});
      CHECK(found.code == 2);
      CHECK_MESSAGE(has(found.err, "equation: the rate of u at " + words), found.err);
      CHECK(!fs::exists("out"));
    }
  };
  refused("{shape: [20]}", "divergence(x * gradient(u)) / x",
          "column 0 is not finite at the initial state (expected finite rates; x is 0 there, and "
          "grid.origin can move the nodes)");
  refused("{shape: [5, 8], origin: [1, 1]}", "u / (x - 4)^2 * (y - 3)",
          "row 0, column 3 is not finite at the initial state (expected finite rates)");
  refused("{shape: [5, 7], center: true}", "u^2 * log(y)",
          "row 0, column 0 is not finite at the initial state (expected finite rates)");
  write_text("c.yaml",
             "grid: {shape: [20], origin: 0.5}\nequation: {u: \"divergence(x * "
             "gradient(u)) / x\"}\nboundary: insulated\ninitial: 1 + x\n"
             "time: {step: 1e-4, steps: 4}\noutput: {directory: out}\n");
  CHECK(run_lapl({"run", "c.yaml"}).code == 0);
}

TEST_CASE("time.step: auto is a number from the start, printed and stored" *
          doctest::test_suite("moderate")) {
  const Sandbox sandbox;
  for (const std::string& config :
       {formula_config(linear, "step: auto, steps: 40"),
        formula_config(cubic, "step: auto, steps: 40"),
        std::string("grid: {shape: [20, 30]}\ninitial: {kind: gaussian}\n"
                    "equation: {diffusivity: 0.5}\ntime: {step: auto, steps: 40}\n"
                    "output: {directory: out, every: 20}\ncheckpoint: {every: 10}\n")}) {
    fs::remove_all("out");
    write_text("c.yaml", config);
    const bool estimated = has(config, "^3");
    const std::string expected = estimated
                                     ? "0.9 of the largest stable step of 0.2"
                                     : "time.step: 0.45, 0.9 of the largest stable step of 0.5";
    const Outcome run = run_lapl({"run", "c.yaml", "--set", "time.steps=20"});
    REQUIRE(run.code == 0);
    CHECK_MESSAGE(has(run.err, expected), run.err);
    CHECK_MESSAGE(!has(run.err, "warning"), run.err);
    const std::string stored = step_line("out/config.yaml");
    CHECK_MESSAGE(has(stored, "# auto: 0.9 of "), stored);
    // Both resuming and running the same config again use the stored number.
    REQUIRE(run_lapl({"resume", "out", "--set", "time.steps=30"}).code == 0);
    const Outcome again = run_lapl({"run", "c.yaml", "--auto-resume"});
    CHECK_MESSAGE(again.code == 0, again.err);
    CHECK(step_line("out/config.yaml").substr(0, 20) == stored.substr(0, 20));
    const auto digest = nlohmann::json::parse(file_text("out/run.json"))["digest"];
    REQUIRE(run_lapl({"run", "c.yaml", "--overwrite"}).code == 0);
    CHECK(nlohmann::json::parse(file_text("out/run.json"))["digest"] == digest);
    CHECK(run_lapl({"verify-restart", "c.yaml"}).code == 0);
    // The stored step, given explicitly, gives the same run.
    const std::size_t end = estimated ? stored.find('}', 8) + 1 : stored.find(' ', 8);
    const std::string number = stored.substr(8, end - 8);
    REQUIRE(run_lapl({"run", "c.yaml", "--overwrite", "--set", "time.step=" + number}).code == 0);
    CHECK(nlohmann::json::parse(file_text("out/run.json"))["digest"] == digest);
    CHECK_MESSAGE(has(run_lapl({"plan", "c.yaml"}).out, expected), config);
  }
}

TEST_CASE("time.stages: auto is a number from the start, printed and stored" *
          doctest::test_suite("moderate")) {
  const Sandbox sandbox;
  for (const std::string& config :
       {formula_config(linear, "step: 7, scheme: rkl2, steps: 40"),
        formula_config(cubic, "step: 3, scheme: rkl2, stages: auto, steps: 40"),
        std::string("grid: {shape: [20, 30]}\ninitial: {kind: gaussian}\n"
                    "equation: {coefficient: 3.5}\n"
                    "time: {scheme: rkl2, steps: 40}\n"
                    "output: {directory: out, every: 20}\ncheckpoint: {every: 10}\n")}) {
    fs::remove_all("out");
    write_text("c.yaml", config);
    const bool estimated = has(config, "^3");
    const std::string expected =
        estimated ? "time.stages: " : "time.stages: 8, of which the largest stable step is ";
    const Outcome run = run_lapl({"run", "c.yaml", "--set", "time.steps=20"});
    REQUIRE_MESSAGE(run.code == 0, run.err);
    CHECK_MESSAGE(has(run.err, expected), run.err);
    CHECK_MESSAGE(!has(run.err, "warning"), run.err);
    const std::string stored = file_text("out/config.yaml");
    CHECK_MESSAGE(has(stored, "# auto: stable to "), stored);
    const Outcome planned = run_lapl({"plan", "c.yaml", "--json"});
    REQUIRE(planned.code == 0);
    const auto plan = nlohmann::json::parse(planned.out);
    CHECK(plan["scheme"] == "rkl2");
    const int stages = plan["stages"];
    CHECK(has(stored, "stages: " + std::to_string(stages) + ' '));
    CHECK(plan["largest_stable_step"].get<double>() >= plan["time_step"].get<double>());
    CHECK(has(run_lapl({"plan", "c.yaml"}).out,
              "scheme:     rkl2 of " + std::to_string(stages) + " stages\n"));
    CHECK(has(run_lapl({"validate", "c.yaml"}).err,
              "largest stable step with " + std::to_string(stages) + " stages: "));
    REQUIRE(run_lapl({"resume", "out", "--set", "time.steps=30"}).code == 0);
    const Outcome changed = run_lapl({"resume", "out", "--set", "time.stages=20"});
    CHECK(changed.code == 2);
    CHECK_MESSAGE(has(changed.err, "time.stages: " + std::to_string(stages)), changed.err);
    REQUIRE(run_lapl({"run", "c.yaml", "--auto-resume"}).code == 0);
    const auto digest = nlohmann::json::parse(file_text("out/run.json"))["digest"];
    for (const std::string engine : {"reference", "threaded", "interpreted"}) {
      CAPTURE(engine);
      REQUIRE(
          run_lapl({"run", "c.yaml", "--overwrite", "--set", "compute.engine=" + engine}).code ==
          0);
      CHECK(nlohmann::json::parse(file_text("out/run.json"))["digest"] == digest);
    }
    CHECK(run_lapl({"verify-restart", "c.yaml"}).code == 0);
  }
  const Outcome none = run_lapl({"validate", "c.yaml", "--set", "equation.coefficient=null",
                                 "--set", "equation.diffusivity=1", "--set", "time.step=auto"});
  CHECK_MESSAGE(has(none.err, "time.step: found auto, and time.stages is auto too"), none.err);
  const Outcome step =
      run_lapl({"validate", "c.yaml", "--set", "equation.coefficient=null", "--set",
                "equation.diffusivity=1", "--set", "time.step=auto", "--set", "time.stages=20"});
  CHECK_MESSAGE(has(step.err, "time.step: 23.5125, 0.9 of the largest stable step of 26.125"),
                step.err);
  write_text("c.yaml", formula_config(cubic, "step: 1000, scheme: rkl2, steps: 40"));
  const Outcome long_step = run_lapl({"validate", "c.yaml"});
  CHECK(long_step.code == 2);
  CHECK_MESSAGE(has(long_step.err,
                    "time.stages: found auto, and the largest stable step with 128 "
                    "stages is "),
                long_step.err);
}

TEST_CASE("time.step: auto works with time.end, and in a sweep" * doctest::test_suite("slow")) {
  const Sandbox sandbox;
  write_text("c.yaml", formula_config("D * laplacian(field)", "step: auto, end: 5") +
                           "parameters: {D: 0.5}\n");
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  CHECK(nlohmann::json::parse(file_text("out/run.json"))["steps"] == 12);  // of 0.41667 s, not 0.45
  const Outcome sweep =
      run_lapl({"sweep", "c.yaml", "--set", "parameters.D=0.5,1", "--output", "all"});
  CHECK_MESSAGE(sweep.code == 0, sweep.err);
  CHECK(has(step_line("all/D-0.5/config.yaml"), "step: 0.4166666666666667 "));
  CHECK(has(step_line("all/D-1/config.yaml"), "step: 0.21739130434782608 "));
  const Outcome growing = run_lapl({"run", "c.yaml", "--overwrite", "--set", "parameters.D=0",
                                    "--set", "equation.field=D * field"});
  CHECK(growing.code == 2);
  CHECK_MESSAGE(has(growing.err,
                    "the largest stable step is any: no step is unstable (expected a number: a "
                    "time in which values change by little, as no wave that is damped limits it)"),
                growing.err);
  // If only the coefficient of diffusion is given, steps have no length in seconds.
  write_text(
      "d.yaml",
      "grid: {shape: [20, 30]}\nequation: {coefficient: 0.2}\ntime: {step: auto, steps: 4}\n");
  CHECK(has(run_lapl({"validate", "d.yaml"}).err, "time.step: given besides equation.coefficient"));
  CHECK(has(
      run_lapl({"validate", "d.yaml", "--set", "time.step=often"}).err,
      "time.step: found often (expected null, or auto, or a number above 0, or {auto: NUMBER})"));
}

TEST_CASE("a step of auto is said to be no accurate one where anything but diffusion drives it") {
  const Sandbox sandbox;
  const std::string note = "; a stable step may still be inaccurate: compare with half of it";
  const auto said = [](const std::string& rate, const std::string& step = "auto") {
    write_text("c.yaml", formula_config('"' + rate + '"', "step: " + step + ", steps: 4"));
    const Outcome valid = run_lapl({"validate", "c.yaml"});
    REQUIRE_MESSAGE(valid.code == 0, valid.err);
    const Outcome run = run_lapl({"run", "c.yaml", "--overwrite"});
    CHECK(has(run.err, "inaccurate") == has(valid.err, "inaccurate"));
    return valid.err;
  };
  for (const std::string rate : {"0.2 * laplacian(field) + sin(t) * field",
                                 "laplacian(field) + sin(t)", "laplacian(field) - field^3"})
    CHECK_MESSAGE(has(said(rate), note + ", or take time.tolerance\n"), rate);
  // No error is controlled with noise.
  CHECK_MESSAGE(has(said("laplacian(field) - field^3 + noise"), note + "\n"), "noise");
  CHECK(!has(said("laplacian(field) - field"), "inaccurate"));
  CHECK(!has(said("laplacian(field) - field^3", "0.01"), "inaccurate"));
}

TEST_CASE("a resumed run repeats the warning of its step") {
  const Sandbox sandbox;
  write_text("c.yaml", formula_config(cubic, "step: 0.26, steps: 20"));
  const std::string warning = "lapl: warning: time.step: found 0.26, which may be unstable";
  const Outcome whole = run_lapl({"run", "c.yaml"});
  REQUIRE_MESSAGE(has(whole.err, warning), whole.err);
  const auto stored = nlohmann::json::parse(file_text("out/run.json"))["step_warning"];
  for (const char* const from : {"10", "0"}) {
    const Outcome resumed = run_lapl({"resume", "out", "--from", from});
    CHECK_MESSAGE(has(resumed.err, warning), resumed.err);
    CHECK_MESSAGE(has(resumed.err, "; the values of this run may be wrong"), resumed.err);
    CHECK(nlohmann::json::parse(file_text("out/run.json"))["step_warning"] == stored);
  }
  // Another equation has another step.
  const Outcome changed = run_lapl({"resume", "out", "--from", "10", "--change-equation", "--set",
                                    "equation.field=0.1 * laplacian(field) - field^3"});
  CHECK_MESSAGE(changed.code == 0, changed.err);
  CHECK_MESSAGE(!has(changed.err, "may be unstable"), changed.err);
  CHECK(!nlohmann::json::parse(file_text("out/run.json")).contains("step_warning"));
}

TEST_CASE("every config of the gallery has a step that is stable" *
          doctest::test_suite("moderate")) {
  const Sandbox sandbox;
  int configs = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(LAPL_SOURCE_DIR) / "configs/gallery")) {
    const Outcome valid = run_lapl({"validate", entry.path().string()});
    CAPTURE(valid.err);
    CHECK(valid.code == 0);
    CHECK(!has(valid.err, "warning"));
    CHECK(std::regex_search(valid.err,
                            std::regex("lapl: largest stable step[a-z0-9 ]*: ([0-9.]+"
                                       "|any: no step is unstable|not known .the linear part)")));
    ++configs;
  }
  CHECK(configs >= 21);
}
