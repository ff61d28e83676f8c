// lapl resume --change: named permissions change what a restart keeps; the time never jumps.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/app/csv.hpp"
#include "tests/app/program.hpp"
#include "tests/io/hdf5_edit.hpp"
#include "tests/text.hpp"

using namespace lapl::test;

namespace {

// u' = cos(t) in every cell, so u is sin(t).
std::string sine_run(const std::string& time, const std::string& more = "") {
  return "grid: {shape: [8, 9]}\nboundary: insulated\n"
         "equation: {u: \"laplacian(u + 0.01*u^2) + cos(t) + 1e-13*u\"}\ninitial: {u: \"0\"}\n"
         "time: {" +
         time +
         "}\noutput: {directory: out, every: {time: 0.5}}\ncheckpoint: {every: 5, keep: 1000}\n"
         "compute: {backend: cpu, engine: interpreted, precision: float64}\n" +
         more;
}

Outcome changed_run(const std::string& permissions, const std::vector<std::string>& settings,
                    const std::vector<std::string>& more = {}) {
  std::vector<std::string> command = {"resume", "out"};
  if (!permissions.empty()) command.insert(command.end(), {"--change", permissions});
  for (const std::string& setting : settings) command.insert(command.end(), {"--set", setting});
  command.insert(command.end(), more.begin(), more.end());
  return run_lapl(command);
}

std::vector<std::string> output_labels() { return column("out/diagnostics.csv", "time"); }

void check_sines(double limit) {
  const auto means = column("out/diagnostics.csv", "mean"), times = output_labels();
  for (std::size_t i = 0; i < means.size(); ++i)
    CHECK(std::abs(std::stod(means[i]) - std::sin(std::stod(times[i]))) < limit);
}

std::string out_digest() { return nlohmann::json::parse(file_text("out/run.json"))["digest"]; }

const std::vector<std::string> halves = {"0", "0.5", "1", "1.5", "2", "2.5", "3"};

}  // namespace

TEST_CASE("each change needs its permission, and the message names key, values and permission") {
  const Sandbox sandbox;
  write_text("c.yaml", sine_run("scheme: heun, step: 0.05, end: 2"));
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  struct Case {
    const char *permission, *setting, *message;
  };
  const std::string log = file_text("out/log.jsonl");
  for (const Case& change :
       {Case{"step", "time.step=0.1", "time.step: 0.05 in the checkpoint, 0.1 now"},
        {"scheme", "time.scheme=rk4", "time.scheme: heun in the checkpoint, rk4 now"},
        {"boundary", "boundary.rows=periodic",
         "boundary.rows: insulated in the checkpoint, periodic now"},
        {"precision", "compute.precision=float32",
         "compute.precision: float64 in the checkpoint, float32 now"},
        {"equation", "equation.u=0", "cos(t) + 1e-13*u\" in the checkpoint, \"0\" now"}})
    for (const char* const others : {"", "output"}) {
      const Outcome refused = changed_run(others, {change.setting, "time.end=3"});
      CHECK(refused.code == 2);
      CHECK_MESSAGE(
          has(refused.err,
              fmt::format("{} (a restart may not change it; lapl resume --change {} does)",
                          change.message, change.permission)),
          refused.err);
    }
  CHECK(file_text("out/log.jsonl") == log);
  const Outcome wrong = changed_run("steps", {});
  CHECK(wrong.code == 2);
  CHECK(
      has(wrong.err,
          "--change: found steps (expected equation, boundary, step, scheme, tolerance, precision "
          "or output, or a list of them with commas)"));
}

TEST_CASE("another step goes on at the checkpoint's time, with outputs at the same times") {
  const Sandbox sandbox;
  for (const char* const start : {"0", "-0.25"}) {
    CAPTURE(std::string(start));
    write_text("c.yaml", sine_run(fmt::format("scheme: heun, step: 0.05, start: {}, end: {}", start,
                                              std::stod(start) + 2)));
    REQUIRE(
        run_lapl({"run", "c.yaml", "--overwrite", "--set", fmt::format("initial.u=sin({})", start)})
            .code == 0);
    const std::string end = fmt::format("time.end={}", std::stod(start) + 3);
    // From the checkpoint of step 25, halfway between two outputs.
    const Outcome on = changed_run("step", {"time.step=0.025", end}, {"--from", "25"});
    REQUIRE_MESSAGE(on.code == 0, on.err);
    std::vector<std::string> labels;
    for (const std::string& label : halves)
      labels.push_back(fmt::format("{}", std::stod(label) + std::stod(start)));
    CHECK(output_labels() == labels);
    CHECK(column("out/diagnostics.csv", "step") ==
          std::vector<std::string>{"0", "10", "20", "35", "55", "75", "95"});
    check_sines(1e-3);
    const std::string words = fmt::format(
        "time.since: null before, {{step: 25, time: {}}} from then on; time.step: 0.05 before, "
        "0.025 from then on",
        std::stod(start) + 1.25);
    CHECK_MESSAGE(has(file_text("out/log.jsonl"), words), file_text("out/log.jsonl"));
    const std::string digest = out_digest();
    // A restart that changes nothing keeps the bits, from before and after outputs.
    for (const char* const step : {"60", "90"}) {
      REQUIRE(run_lapl({"resume", "out", "--from", step}).code == 0);
      CHECK(out_digest() == digest);
      CHECK(output_labels() == labels);
    }
    CHECK(nlohmann::json::parse(file_text("out/run.json"))["changes"] == "step 25: " + words);
    // And again.
    REQUIRE(changed_run("step", {"time.step=0.1", fmt::format("time.end={}", std::stod(start) + 4)})
                .code == 0);
    CHECK(output_labels().size() == 9);
    check_sines(1e-3);
  }
}

TEST_CASE("a killed run keeps the change that it began with") {
  const Sandbox sandbox;
  write_text("c.yaml", sine_run("scheme: heun, step: 0.05, end: 2"));
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  for (const auto& [permission, setting] : {std::pair("step", "time.step=0.025"),
                                            {"scheme", "time.scheme=rk4"},
                                            {"precision", "compute.precision=float32"}}) {
    CAPTURE(std::string(permission));
    fs::remove_all("whole");
    fs::copy("out", "whole", fs::copy_options::recursive);
    const Outcome first = changed_run(permission, {setting, "time.end=3"});
    REQUIRE_MESSAGE(first.code == 0, first.err);
    const std::string digest = out_digest();
    for (const auto& entry : fs::directory_iterator("out/checkpoints"))
      if (entry.path().filename() > "step-000000040.h5" && entry.path().extension() == ".h5")
        fs::remove(entry.path());
    const Outcome again = run_lapl({"resume", "out"});
    REQUIRE_MESSAGE(again.code == 0, again.err);
    CHECK(out_digest() == digest);
    fs::remove_all("out");
    fs::rename("whole", "out");
  }
}

TEST_CASE("a step that does not lead to outputs or the end is refused with those that do") {
  const Sandbox sandbox;
  write_text("c.yaml", sine_run("scheme: heun, step: 0.05, end: 2"));
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const Outcome refused = changed_run("step", {"time.step=0.07", "time.end=3"});
  CHECK(refused.code == 2);
  CHECK_MESSAGE(has(refused.err,
                    "time.step: 0.07 does not divide time.end 3 from 2 on and "
                    "output.every 0.5 (expected 0.0625 or 0.0714"),
                refused.err);
  const Outcome since = changed_run("step", {"time.since={step: 4, time: 0.3}"});
  CHECK(since.code == 2);
  const Outcome fresh =
      run_lapl({"run", "c.yaml", "--output", "new", "--set", "time.since={step: 4, time: 0.3}"});
  CHECK(fresh.code == 2);
  CHECK_MESSAGE(has(fresh.err, "time.since: given for a new run"), fresh.err);
}

TEST_CASE("other schemes go on at the same time, to the exact solution") {
  const Sandbox sandbox;
  const auto check = [](const std::string& time, const std::string& permissions,
                        const std::vector<std::string>& settings) {
    CAPTURE(time);
    CAPTURE(settings.front());
    write_text("c.yaml", sine_run(time + ", end: 2"));
    REQUIRE(run_lapl({"run", "c.yaml", "--overwrite"}).code == 0);
    std::vector<std::string> all = settings;
    all.emplace_back("time.end=3");
    const Outcome on = changed_run(permissions, all);
    REQUIRE_MESSAGE(on.code == 0, on.err);
    CHECK(output_labels() == halves);
    check_sines(5e-3);
    REQUIRE(changed_run("", {"time.end=3.5"}).code == 0);
  };
  check("scheme: heun, step: 0.05", "scheme", {"time.scheme=rk4"});
  check("scheme: heun, step: 0.05", "scheme,tolerance",
        {"time.scheme=dopri5", "time.tolerance=1e-6"});
  check("scheme: dopri5, tolerance: 1e-6", "scheme", {"time.scheme=bs23"});
  check("scheme: bs23, tolerance: 1e-5", "scheme,tolerance",
        {"time.scheme=dopri5", "time.tolerance=1e-8"});
  check("scheme: bs23, tolerance: 1e-5", "scheme,tolerance,step",
        {"time.scheme=heun", "time.tolerance=null", "time.step=0.05"});
  check("scheme: heun, step: auto", "step", {"time.step=0.05"});
  check("scheme: heun, step: 0.05", "step", {"time.step=auto"});
  check("scheme: rkl2, stages: 5, step: 0.05", "scheme", {"time.scheme=heun", "time.stages=null"});
  check("scheme: imex, tolerance: 1e-5", "scheme", {"time.scheme=bs23"});
}

TEST_CASE("boundary conditions change, with the solution of a new run from that state") {
  const Sandbox sandbox;
  const std::string text =
      "grid: {shape: [12, 17]}\nboundary: BOUNDARY\nequation: {u: laplacian(u)}\n"
      "initial: {u: random}\ntime: {step: 0.125, steps: 16}\n"
      "output: {directory: out, every: 8}\ncheckpoint: {every: 8}\ncompute: {backend: cpu}\n";
  const auto with = [&](const std::string& boundary) {
    std::string made = text;
    return made.replace(made.find("BOUNDARY"), 8, boundary);
  };
  write_text("c.yaml", with("insulated"));
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  REQUIRE(
      changed_run("boundary", {"boundary={x: periodic, y: {value: 1}}", "time.steps=24"}).code ==
      0);
  write_text("d.yaml", with("{x: periodic, y: {value: 1}}"));
  REQUIRE(run_lapl({"run", "d.yaml", "--from", "out@2", "--output", "new", "--set", "time.steps=8"})
              .code == 0);
  CHECK(nlohmann::json::parse(file_text("new/run.json"))["digest"] == out_digest());
}

TEST_CASE("precision changes by rounding once, and back without a loss") {
  const Sandbox sandbox;
  write_text("c.yaml", sine_run("scheme: heun, step: 0.05, end: 2"));
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  REQUIRE(changed_run("precision", {"compute.precision=float32", "time.end=2.5"}).code == 0);
  check_sines(1e-3);
  REQUIRE(changed_run("precision", {"compute.precision=float64", "time.end=3"}).code == 0);
  CHECK(output_labels() == halves);
  // The new run from the output in float32 has the same bits in float64.
  write_text("d.yaml", sine_run("scheme: heun, step: 0.05, end: 3"));
  REQUIRE(run_lapl({"run", "d.yaml", "--from", "out@2.5", "--output", "new"}).code == 0);
  CHECK(nlohmann::json::parse(file_text("new/run.json"))["digest"] == out_digest());
  CHECK(run_lapl({"inspect", "out"}).code == 0);
  CHECK(run_lapl({"export", "out", "-o", "all.nc"}).code == 0);
  const Outcome plotted = run_lapl({"plot", "out", "-o", "p.png"});
  if (!lacks_cairo(plotted)) CHECK(plotted.code == 0);
  SUBCASE("a value that float32 does not hold is an error, and nothing is written") {
    write_text("c.yaml",
               "grid: {shape: [4]}\nequation: {u: \"0\"}\ninitial: {u: 1e300}\n"
               "time: {step: 1, steps: 2}\noutput: {directory: big}\n"
               "compute: {backend: cpu, precision: float64}\n");
    REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
    const std::string config = file_text("big/config.yaml");
    const Outcome large = run_lapl({"resume", "big", "--change", "precision", "--set",
                                    "compute.precision=float32", "--set", "time.steps=4"});
    CHECK(large.code != 0);
    CHECK_MESSAGE(has(large.err, "1e+300 is too large for float32"), large.err);
    CHECK(file_text("big/config.yaml") == config);
  }
}

TEST_CASE("a steady run takes another precision without a change of its state's files") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [8]}\nboundary: insulated\nequation: {u: laplacian(u) + 1 - u}\n"
             "initial: {u: x/7}\ntime: {step: 0.1, end: 60, scheme: heun}\n"
             "output: {directory: out, every: 100}\ncompute: {backend: cpu, precision: float64}\n"
             "limits: {steady: 1e-3, check_finite_every: 10}\n");
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  REQUIRE(changed_run("precision", {"compute.precision=float32"}).code == 0);
  const Outcome on = changed_run("", {"limits.steady=null"});
  REQUIRE_MESSAGE(on.code == 0, on.err);
  CHECK(output_labels().back() == "60");
}

TEST_CASE("--change output records changes of outputs, and keeps the bits") {
  const Sandbox sandbox;
  write_text("c.yaml", sine_run("scheme: bs23, tolerance: 1e-5, step: 0.01, end: 2"));
  REQUIRE(run_lapl({"run", "c.yaml", "--set", "output.every=7"}).code == 0);
  const std::string digest = out_digest();
  const Outcome on = changed_run("output", {"output.every=3"}, {"--from", "5"});
  REQUIRE_MESSAGE(on.code == 0, on.err);
  CHECK(out_digest() == digest);
  CHECK(nlohmann::json::parse(file_text("out/run.json"))["changes"] ==
        "step 5: output.every: 7 before, 3 from then on");
  REQUIRE(run_lapl({"resume", "out", "--from", "5", "--set", "output.every=5"}).code == 0);
  CHECK(out_digest() == digest);
}

TEST_CASE("permissions without a change keep the bits") {
  const Sandbox sandbox;
  for (const char* const time :
       {"scheme: heun, step: 0.05, end: 2", "scheme: dopri5, tolerance: 1e-6, end: 2"}) {
    write_text("c.yaml", sine_run(time));
    REQUIRE(run_lapl({"run", "c.yaml", "--overwrite"}).code == 0);
    const std::string digest = out_digest();
    REQUIRE(
        changed_run("step,scheme,tolerance,boundary,output,precision,equation", {}, {"--from", "5"})
            .code == 0);
    CHECK(out_digest() == digest);
    CHECK_FALSE(has(file_text("out/config.yaml"), "since: {"));
    CHECK_FALSE(nlohmann::json::parse(file_text("out/run.json")).contains("changes"));
  }
}

TEST_CASE("a steady state has no other scheme") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [8]}\nequation: {u: laplacian(u) - u + 1}\ninitial: {u: \"0\"}\n"
             "time: {scheme: heun, step: 0.1, steps: 4}\noutput: {directory: out}\n"
             "compute: {backend: cpu, precision: float64}\n");
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const Outcome refused =
      changed_run("scheme,step", {"time={scheme: steady, step: null, steps: null}"});
  CHECK(refused.code == 2);
  CHECK_MESSAGE(has(refused.err, "as time.scheme steady is one step from an initial state"),
                refused.err);
}
