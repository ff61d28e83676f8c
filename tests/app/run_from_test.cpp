// lapl run --from: a run that starts from an output of another run.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/app/csv.hpp"
#include "tests/app/program.hpp"
#include "tests/text.hpp"

using namespace lapl::test;

namespace {

constexpr const char* first_run = R"(
grid: {shape: [12, 16], size: [6, 8]}
boundary: insulated
equation: {u: "0.1*laplacian(u) + t", v: "0"}
initial: {u: random, v: x}
time: {end: 2, step: 0.1, scheme: heun}
output: {directory: out, every: {time: 0.5}}
compute: {backend: cpu, precision: float64}
checkpoint: {every: 5}
)";

// Runs the config from `words` into the folder `then`.
Outcome run_then(const std::string& words, const std::vector<std::string>& settings = {},
                 const std::vector<std::string>& more = {}) {
  std::vector<std::string> command = {"run",      "c.yaml", "--from",     words,
                                      "--output", "then",   "--overwrite"};
  command.insert(command.end(), more.begin(), more.end());
  for (const std::string& setting : settings) command.insert(command.end(), {"--set", setting});
  return run_lapl(command);
}

std::string digest_in(const std::string& folder) {
  return nlohmann::json::parse(file_text(folder + "/run.json"))["digest"];
}

}  // namespace

TEST_CASE("a run from an output goes on as the run itself does, to the bit") {
  const Sandbox sandbox;
  write_text("c.yaml", first_run);
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const std::string digest = digest_in("out");
  for (const char* const words :
       {"out@1.5", "out@0.5", "out/fields.nc@1", "out@0", "out/fields/step-000000015.nc"}) {
    CAPTURE(std::string(words));
    const Outcome run = run_then(words);
    REQUIRE_MESSAGE(run.code == 0, run.err);
    CHECK(digest_in("then") == digest);
  }
  REQUIRE(run_then("out", {"time.end=3"}).code == 0);
  REQUIRE(run_lapl({"resume", "out", "--set", "time.end=3"}).code == 0);
  CHECK(digest_in("then") == digest_in("out"));
  CHECK(column("then/diagnostics.csv", "time") == std::vector<std::string>{"2", "2.5", "3"});
  SUBCASE("and can be repeated and resumed without the other run") {
    REQUIRE(run_lapl({"run", "then/config.yaml", "--output", "again"}).code == 0);
    CHECK(digest_in("again") == digest_in("then"));
    fs::remove_all("out");
    const Outcome on = run_lapl({"resume", "then", "--set", "time.end=4"});
    CHECK_MESSAGE(on.code == 0, on.err);
  }
}

TEST_CASE("a run from another run records it, also after a restart") {
  const Sandbox sandbox;
  write_text("c.yaml", first_run);
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  REQUIRE(run_then("out@1.5").code == 0);
  const auto inspected =
      nlohmann::json::parse(run_lapl({"inspect", "out/fields/step-000000015.nc", "--json"}).out);
  const std::string text = nlohmann::json::parse(file_text("then/run.json"))["initial_from"];
  CHECK(has(text, "out/fields/step-000000015.nc, step 15, time 1.5; state digest " +
                      inspected["digest"].get<std::string>() + "; config digest 0x"));
  CHECK(has(text, "; fields u, v; the same grid"));
  REQUIRE(run_lapl({"resume", "then", "--set", "time.end=3"}).code == 0);
  CHECK(nlohmann::json::parse(file_text("then/run.json"))["initial_from"] == text);
  const auto later =
      nlohmann::json::parse(run_lapl({"inspect", "then/fields/step-000000015.nc", "--json"}).out);
  CHECK(later["provenance"]["initial_from"] == text);
}

TEST_CASE("fields that the other run does not have come from the config") {
  const Sandbox sandbox;
  write_text("c.yaml", first_run);
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const auto other = [](const std::string& fields, const std::string& initial) {
    write_text("c.yaml", "grid: {shape: [12, 16], size: [6, 8]}\nequation: {" + fields +
                             "}\ninitial: " + initial +
                             "\ntime: {step: 0.1, end: 3}\ncompute: {precision: float64}\n"
                             "output: {every: {time: 0.5}}\n");
    return run_then("out");
  };
  const Outcome run = other("u: 0, w: 0", "{u: 7, w: 2 * u}");
  REQUIRE_MESSAGE(run.code == 0, run.err);
  CHECK_MESSAGE(has(run.err, "fields that it does not have, from section initial: w"), run.err);
  CHECK(column("then/diagnostics.csv", "w_mean")[0] ==
        fmt::format("{}", 2 * std::stod(column("out/diagnostics.csv", "u_mean").back())));
  CHECK(other("u: 0, w: 0", "{let: {s: x}, u: s, w: 1}").code == 0);
  const Outcome none = other("a: 0, b: 0", "{a: 7, b: 1}");
  CHECK(none.code == 2);
  CHECK_MESSAGE(has(none.err, "has u, v and none of the fields a, b"), none.err);
}

TEST_CASE("a complex field comes from the parts of the other run") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [32]}\nboundary: periodic\nfields: {psi: complex}\n"
             "equation: {psi: i*laplacian(psi)}\ninitial: {psi: exp(i*pi*x/16)}\n"
             "time: {scheme: rk4, step: 0.125, steps: 16}\noutput: {directory: out, every: 8}\n"
             "compute: {precision: float64}\n");
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const Outcome run = run_then("out@1", {"time.steps=8"});
  REQUIRE_MESSAGE(run.code == 0, run.err);
  CHECK(digest_in("then") == digest_in("out"));
}

TEST_CASE("on another grid, means are kept and polynomials are met") {
  const Sandbox sandbox;
  write_text("c.yaml", first_run);
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const double mean = std::stod(column("out/diagnostics.csv", "u_mean").back());
  for (const char* const shape : {"[6, 8]", "[5, 3]", "[12, 5]"}) {
    const Outcome run = run_then("out", {fmt::format("grid.shape={}", shape), "time.end=2.5"});
    REQUIRE_MESSAGE(run.code == 0, run.err);
    CHECK(std::stod(column("then/diagnostics.csv", "u_mean")[0]) ==
          doctest::Approx(mean).epsilon(1e-15));
  }
  for (const std::string method : {"linear", "cubic"}) {
    const Outcome run = run_then("out", {"grid.shape=[48, 32]", "time={step: 0.01, end: 2.5}"},
                                 {"--interpolate", method});
    REQUIRE_MESSAGE(run.code == 0, run.err);
    CHECK(has(nlohmann::json::parse(file_text("then/run.json"))["initial_from"].get<std::string>(),
              "12 x 16 cells to 48 x 32, " + method));
    CHECK(std::stod(column("then/diagnostics.csv", "u_mean")[0]) ==
          doctest::Approx(mean).epsilon(1e-3));
  }
}

TEST_CASE("initial.interpolate takes a dataset of another grid") {
  const Sandbox sandbox;
  write_text("c.yaml", first_run);
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const std::string text =
      "grid: {shape: [6, 8], size: [6, 8]}\nequation: {u: 0}\n"
      "time: {step: 1, steps: 1}\noutput: {directory: then}\ninitial: {u: {kind: hdf5, path: "
      "out/fields.nc, dataset: v, record: last";
  write_text("d.yaml", text + "}}\n");
  const Outcome refused = run_lapl({"run", "d.yaml"});
  CHECK(refused.code == 2);
  CHECK(has(refused.err, "holds 12 x 16 values, grid.shape is [6, 8]"));
  write_text("d.yaml", text + ", interpolate: linear}}\n");
  REQUIRE(run_lapl({"run", "d.yaml"}).code == 0);
  CHECK(column("then/diagnostics.csv", "min")[0] == "0.25");
  CHECK(column("then/diagnostics.csv", "max")[0] == "7.25");
}

TEST_CASE("each mistake about another run has its message") {
  const Sandbox sandbox;
  write_text("c.yaml", first_run);
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const auto refusal = [](const std::string& words, const std::vector<std::string>& settings = {}) {
    const Outcome run = run_then(words, settings);
    CHECK(run.code != 0);
    CHECK_FALSE(fs::exists("then"));
    return run.err;
  };
  CHECK(has(refusal("out@1.3"),
            "has no record at time 1.3; the nearest are 1 and 1.5, of 5 from 0 to 2"));
  CHECK(has(refusal("out@soon"), "--from out@soon: found soon after @ (expected a time, or last"));
  CHECK(has(refusal("nowhere@1"), "nowhere: cannot open"));
  CHECK(has(refusal("."), "not a run folder"));
  CHECK(has(refusal("out", {"time.end=1.5"}),
            "time.end: found 1.5 (expected a time after time.start, 2)"));
  CHECK(has(refusal("out", {"time.end=3", "grid.size=[6, 9]"}),
            "has 16 cells of 0.5 along x from 0 on, the grid 16 of 0.5625 from 0 on (expected the "
            "same box)"));
  CHECK(has(refusal("out", {"grid={shape: [12], size: 6}", "time.end=3"}),
            "holds 12 x 16 values (expected a grid of 1 axes, as grid.shape)"));
  CHECK(has(run_lapl({"run", "c.yaml", "--interpolate", "cubic"}).err,
            "--interpolate cubic: given without --from"));
  CHECK(has(
      run_lapl({"validate", "c.yaml", "--set", "initial.from={path: out/fields.nc, fields: [w]}"})
          .err,
      "initial.from: fields: found w, which is no field (expected u or v)"));
}
