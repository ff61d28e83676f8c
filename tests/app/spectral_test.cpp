// Runs with the spectral engine: restarts, refusals and messages.
#include <nlohmann/json.hpp>

#include "app/commands/run_needs.hpp"
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
    "digests") {
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

TEST_CASE("a sweep takes engine spectral") {
  const Sandbox sandbox;
  write_text("c.yaml", spectral_config());
  const Outcome sweep =
      run_lapl({"sweep", "c.yaml", "--output", "all", "--set", "time.steps=1000,2000"});
  CAPTURE(sweep.err);
  CHECK(sweep.code == 0);
}

TEST_CASE("a config that engine spectral cannot step says why") {
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

TEST_CASE("plan, list and bench know engine spectral") {
  const Sandbox sandbox;
  write_text("c.yaml", spectral_config());
  const Outcome plan = run_lapl({"plan", "c.yaml", "--json"});
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

TEST_CASE("plan counts the memory that engine spectral takes on a GPU") {
  lapl::RunConfig run;
  run.time_step = 1;
  run.equation.parameters["diffusivity"] = 0.1;
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
