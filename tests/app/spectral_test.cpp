// Runs with the spectral engine: restarts, refusals and messages.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "io/run/run_needs.hpp"
#include "tests/app/program.hpp"
#include "tests/backends.hpp"
#include "tests/text.hpp"

using namespace lapl::test;

namespace {

std::string spectral_config(const std::string& backend = "cpu") {
  return "grid: {shape: [60, 47]}\n"
         "boundary: {rows: {first: zero, last: insulated}, columns: periodic}\n"
         "initial: {kind: formula, formula: random}\n"
         "parameters: {s: {formula: 1e-7 * sin(x)}}\n"
         "equation: {kind: formula, field: 0.2 * laplacian(field) + s}\n"
         "time: {step: 1, steps: 1000000}\n"
         "output: {directory: out, every: 300000}\n"
         "checkpoint: {every: 250000}\n"
         "compute: {engine: spectral, backend: " +
         backend + "}\n";
}

}  // namespace

TEST_CASE(
    "a run by engine spectral: restarts have the same bits, and files name the engine of their "
    "digests" *
    doctest::test_suite("moderate")) {
  for (const std::string& backend : backends()) {
    const Sandbox sandbox;
    write_text("c.yaml", spectral_config(backend));
    const Outcome run = run_lapl({"run", "c.yaml"});
    CAPTURE(run.err);
    REQUIRE(run.code == 0);
    CHECK(has(run.err, "its digests are not those of engines that step"));
    CHECK(has(run_lapl({"inspect", "out/fields/step-000300000.nc"}).out, "spectral"));
    for (const char* from : {"500000", "750000"}) {
      const Outcome again = run_lapl({"resume", "out", "--from", from});
      CHECK(again.code == 0);
      CHECK(last_digest(again.out) == last_digest(run.out));
    }
    const Outcome verified = run_lapl({"verify-restart", "c.yaml"});
    CAPTURE(verified.err);
    CHECK(verified.code == 0);
    CHECK(has(verified.out, "restart is bit-identical: 3 splits"));
    const Outcome many = run_lapl({"verify-restart", "c.yaml", "--splits", "7"});
    CHECK(many.code == 2);
    CHECK(has(many.err, "--splits: 7 found, and engine spectral can be split at 6 steps"));
    const Outcome twice =
        run_lapl({"run", "c.yaml", "--output", "twice", "--set", "limits.verify_every=350000"});
    CAPTURE(twice.err);
    CHECK(twice.code == 0);
    const Outcome stepping =
        run_lapl({"resume", "out", "--from", "500000", "--set", "compute.engine=auto"});
    CHECK(stepping.code == 2);
    CHECK(has(stepping.err, "compute.engine: spectral in"));
  }
}

TEST_CASE("a sweep takes engine spectral" * doctest::test_suite("slow")) {
  const Sandbox sandbox;
  write_text("c.yaml", spectral_config());
  const Outcome sweep =
      run_lapl({"sweep", "c.yaml", "--output", "all", "--set", "time.steps=1000,2000"});
  CAPTURE(sweep.err);
  CHECK(sweep.code == 0);
}

TEST_CASE("a config that engine spectral cannot step says why" * doctest::test_suite("moderate")) {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [8, 9]}\n"
             "equation: {kind: formula, field: laplacian(field) - field^3}\n"
             "time: {step: 0.1, steps: 10}\n"
             "output: {directory: out}\n"
             "compute: {engine: spectral}\n");
  const Outcome refused = run_lapl({"run", "c.yaml"});
  CHECK(refused.code == 2);
  CHECK(
      refused.err ==
      "lapl: error: c.yaml:5:19: compute.engine: found spectral, which cannot step this: the rate "
      "of field is not linear in it (expected another engine)\n");
  CHECK(!fs::exists("out"));
}

TEST_CASE("plan, list and bench know engine spectral" * doctest::test_suite("slow")) {
  const Sandbox sandbox;
  write_text("c.yaml", spectral_config());
  const Outcome plan = run_lapl({"plan", "c.yaml", "--schemes", "--json"});
  CAPTURE(plan.err);
  REQUIRE(plan.code == 0);
  const auto json = nlohmann::json::parse(plan.out);
  CHECK(json["engine"] == "spectral");
  const auto way = [&](const std::string& name) {
    for (const auto& other : json["other_steps"])
      if (other["name"] == name && !other.contains("tolerance")) return other;
    return nlohmann::json();
  };
  const auto sweeps = [&](const std::string& name) {
    return way(name)["steps"].get<double>() * way(name)["stages"].get<double>();
  };
  CHECK(way("rkl2")["stages"] == 20);
  CHECK(sweeps("euler") > 5 * sweeps("rkl2"));
  CHECK(way("spectral")["stepping_seconds"] > 0);
  CHECK(has(run_lapl({"list", "engines"}).out, "spectral"));
  const Outcome bench = run_lapl({"bench", "--backend", "cpu", "--engine", "spectral", "--shape",
                                  "31", "40", "--repeats", "1", "--json"});
  CAPTURE(bench.err);
  REQUIRE(bench.code == 0);
  CHECK(nlohmann::json::parse(bench.out)[0]["steps"] == 10000);
}

TEST_CASE("plan counts the memory that engine spectral takes on a GPU" *
          doctest::test_suite("moderate without_cuda")) {
  lapl::RunConfig run;
  run.time_step = 1;
  run.equation.diffusivity = 0.1;
  const lapl::Shape shape{2000, 3000};
  const auto needs = [&] { return lapl::memory_of_run(lapl::Model(run), "cuda", shape).all(); };
  const double stepping = needs().device, cells = static_cast<double>(shape.cells());
  run.engine = "spectral";
  const double diffusion = needs().device;
  CHECK(diffusion >= stepping + 8 * cells + 64e6);
  CHECK(diffusion <= stepping + 8 * cells + 68e6);
  run.equation.kind = lapl::EquationKind::formula;  // a formula may have a source
  CHECK(needs().device == diffusion + 8 * cells);
}

namespace {

// A spot that spreads and reacts while the value at a face swings.
std::string exact_config(const std::string& time) {
  return "grid: {shape: [23, 31]}\n"
         "fields: [u, v]\n"
         "parameters: {K: {formula: 1 + 0.1 * sin(x)}}\n"
         "equation:\n"
         "  kind: formula\n"
         "  u: laplacian(u) + v - K * u^3 + 0.1 * sin(t)\n"
         "  v: 0.1 * (u - v)\n"
         "boundary: {rows: periodic, columns: {first: {value: cos(t)}, last: {derivative: 0}}}\n"
         "initial: {u: {kind: gaussian}, v: {kind: formula, formula: random}}\n"
         "output: {directory: out, every: {time: 0.7}, fields: [u, v]}\n"
         "compute: {backend: cpu, precision: float64}\n"
         "time: " +
         time + "\n";
}

}  // namespace

TEST_CASE("etdrk2 and etdrk4 end exactly at times, keep their tolerance, and restart bit by bit") {
  const Sandbox sandbox;
  write_text("exact.yaml", exact_config("{scheme: dopri5, tolerance: 1e-9, step: auto, end: 3}"));
  REQUIRE(run_lapl({"run", "exact.yaml", "--output", "exact"}).code == 0);
  for (const char* const scheme : {"etdrk2", "etdrk4"}) {
    CAPTURE(std::string(scheme));
    write_text("c.yaml", exact_config(fmt::format(
                             "{{scheme: {}, tolerance: 1e-5, step: auto, end: 3}}", scheme)));
    const Outcome run = run_lapl({"run", "c.yaml", "--overwrite"});
    REQUIRE_MESSAGE(run.code == 0, run.err);
    CHECK(has(run.err, "engine spectral"));
    CHECK(has(run.err, "its digests are not those of engines that step"));
    const std::string digest = nlohmann::json::parse(file_text("out/run.json"))["digest"];
    CHECK(has(file_text("out/diagnostics.csv"), ",2.1,"));
    const Outcome close =
        run_lapl({"diff", last_output("exact"), last_output("out"), "--atol", "1e-4"});
    CHECK_MESSAGE(close.code == 0, close.out);
    REQUIRE(run_lapl({"verify-restart", "c.yaml", "--splits", "4"}).code == 0);
    REQUIRE(run_lapl({"run", "c.yaml", "--overwrite", "--set", "time.end=1.4"}).code == 0);
    const Outcome resumed =
        run_lapl({"resume", "out", "--set", "time.end=3", "--set", "compute.engine=spectral"});
    CHECK_MESSAGE(resumed.code == 0, resumed.err);
    CHECK(nlohmann::json::parse(file_text("out/run.json"))["digest"] == digest);
    const Outcome other =
        run_lapl({"resume", "out", "--set", "time.end=4", "--set", "time.linear_about=1"});
    CHECK(has(other.err, "time.linear_about: 0 in"));
  }
}

TEST_CASE("etdrk2 and etdrk4 refuse what they cannot take, with what would do") {
  const Sandbox sandbox;
  write_text("c.yaml", exact_config("{scheme: etdrk4, step: 0.1, end: 3}"));
  const struct {
    std::string setting, message;
  } rows[] = {
      {"time.step=auto",
       "found auto with time.scheme etdrk4, which has no largest stable step, as "
       "it is exact in the linear part (expected a number, or time.tolerance)"},
      {"compute.engine=blocked",
       "found blocked with time.scheme etdrk4, whose steps engine "
       "spectral takes (expected spectral or auto)"},
      {"time.linear_about=[1, 2, 3]",
       "found 3 numbers (expected one, or one for each of 2 fields)"},
      {"time={scheme: bs23, linear_about: 2, step: 0.1, end: 3}",
       "given with time.scheme bs23 (it belongs to etdrk2 and etdrk4)"},
      {"equation.u=divergence(K * gradient(u))",
       "multiplies u and its neighbours by a factor that depends on K, which is not the same "
       "everywhere"},
      {"boundary.rows={first: {mixed: {value: 1, factor: 1}}, last: zero}",
       "the first face of the rows has a mixed condition"},
      {"equation={kind: diffusion, diffusivity: 1}",
       "found etdrk4 (equation.kind diffusion takes euler or rkl2"}};
  for (const auto& row : rows) {
    const Outcome found = run_lapl({"validate", "c.yaml", "--set", row.setting});
    CHECK(found.code == 2);
    CHECK_MESSAGE(has(found.err, row.message), found.err);
  }
  CHECK(run_lapl({"validate", "c.yaml"}).code == 0);
}
