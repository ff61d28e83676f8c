// lapl bench from the outside: its output must be consistent; the speeds are not checked.
#include <nlohmann/json.hpp>
#include <set>

#include "kernels/backend.hpp"
#include "kernels/spectral/exponential_rates.hpp"
#include "tests/app/program.hpp"

using namespace lapl::test;

TEST_CASE("bench verifies and measures each engine, shape and precision" *
          doctest::test_suite("slow")) {
  const Sandbox sandbox;
  const Outcome bench = run_lapl({"bench", "--backend", "cpu", "--shape", "33", "17", "--shape",
                                  "1", "200", "--steps", "7", "--repeats", "3", "--json"});
  CAPTURE(bench.err);
  REQUIRE(bench.code == 0);
  const auto results = nlohmann::json::parse(bench.out);
  CHECK(results.size() % 4 == 0);
  for (const auto& result : results) {
    CHECK(result["engine"] != "reference");
    CHECK(result["steps"] == 7);
    CHECK(result["verified_steps"].get<int>() >= 20);
    const double cells = result["shape"][0].get<double>() * result["shape"][1].get<double>();
    CHECK(result["gigacells_per_second"].get<double>() ==
          doctest::Approx(7e-9 * cells / result["median_seconds"].get<double>()));
    CHECK(result["fastest_seconds"] <= result["median_seconds"]);
    CHECK(result["median_seconds"] <= result["slowest_seconds"]);
    CHECK(result["percent_of_arithmetic_ceiling"] > 0);
    if (result["threads"] == results[0]["threads"])  // in bytes, so the same in both precisions
      CHECK(result["copy_gigabytes_per_second"] == results[0]["copy_gigabytes_per_second"]);
  }
  const Outcome table = run_lapl({"bench", "--backend", "cpu", "--engine", "threaded", "--shape",
                                  "9", "9", "--steps", "1", "--precision", "float64"});
  CHECK(table.code == 0);
  CHECK(table.out.find("threaded   float64") != std::string::npos);
}

TEST_CASE("bench takes as many steps as leave the state finite, and says so" *
          doctest::test_suite("slow")) {
  const Sandbox sandbox;
  write_text(
      "c.yaml",
      "grid: {shape: [20, 30]}\nequation: {kind: formula, field: laplacian(field) - field^3}\n"
      "initial: {kind: formula, formula: random}\ntime: {step: 0.4, steps: 10}\n");
  for (const char* const engine : {"interpreted", "blocked"}) {
    const Outcome bench = run_lapl({"bench", "--backend", "cpu", "--config", "c.yaml", "--engine",
                                    engine, "--repeats", "1", "--json"});
    CAPTURE(bench.err);
    REQUIRE(bench.code == 0);
    for (const auto& result : nlohmann::json::parse(bench.out)) {
      CHECK(result["verified_steps"] < result["not_finite_after"]);
      CHECK(result["steps"] < result["not_finite_after"]);
    }
  }
  const Outcome table = run_lapl({"bench", "--backend", "cpu", "--config", "c.yaml", "--engine",
                                  "interpreted", "--repeats", "1"});
  CHECK_MESSAGE(has(table.err, "the state is not finite after "), table.err);
  const Outcome never = run_lapl({"bench", "--backend", "cpu", "--config", "c.yaml", "--engine",
                                  "interpreted", "--steps", "1", "--shape", "2", "2"});
  CHECK(never.code == 0);
  write_text("now.yaml",
             "grid: {shape: [8]}\nequation: {u: 1e30 * u}\ninitial: 1\n"
             "time: {step: 1e30, steps: 2}\n");
  const Outcome none = run_lapl({"bench", "--backend", "cpu", "--config", "now.yaml", "--engine",
                                 "interpreted", "--precision", "float32"});
  CHECK_MESSAGE(has(none.err, "nothing to measure"), none.err);
}

TEST_CASE("bench checks about as many steps as it is asked to take" * doctest::test_suite("slow")) {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [20, 30]}\nequation: {diffusivity: 1}\n"
             "time: {scheme: rkl2, tolerance: 1e-4, step: 0.1, end: 5}\n");
  const Outcome bench = run_lapl({"bench", "--backend", "cpu", "--config", "c.yaml", "--engine",
                                  "interpreted", "--steps", "4", "--repeats", "1", "--json"});
  CAPTURE(bench.err);
  REQUIRE(bench.code == 0);
  for (const auto& result : nlohmann::json::parse(bench.out)) {
    CHECK(result["steps"] == 4);
    CHECK(result["verified_steps"] == 21);
  }
}

TEST_CASE("bench starts from a config's initial field in a file, on its grid alone" *
          doctest::test_suite("slow")) {
  const Sandbox sandbox;
  write_text("values.yaml",
             "grid: {shape: [16]}\nequation: {u: 0}\ninitial: random\ntime: {step: 1, steps: 0}\n");
  REQUIRE(run_lapl({"run", "values.yaml", "--output", "values", "--quiet"}).code == 0);
  write_text("c.yaml",
             "grid: {shape: [16]}\nequation: {u: laplacian(u)}\n"
             "initial: {u: {kind: hdf5, path: values/fields.nc, dataset: u}}\ntime: {step: 0.1, "
             "steps: 2}\n");
  const Outcome bench = run_lapl({"bench", "--backend", "cpu", "--config", "c.yaml", "--engine",
                                  "threaded", "--precision", "float32", "--repeats", "1", "--steps",
                                  "2", "--shape", "16", "--shape", "12", "--json"});
  CAPTURE(bench.err);
  CHECK(bench.code == 2);
  const auto rows = nlohmann::json::parse(bench.out);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].at("verified_steps") > 0);
  CHECK(has(rows[1].at("refused").get<std::string>(), "16"));
}

TEST_CASE("bench refuses engines of another backend and unknown words" *
          doctest::test_suite("slow without_cuda")) {
  const Sandbox sandbox;
  CHECK(run_lapl({"bench", "--backend", "cpu", "--engine", "tile"}).code == 2);
  CHECK(run_lapl({"bench", "--precision", "half"}).code == 2);
  CHECK(run_lapl({"bench", "--boundary", "open"}).code == 2);
  CHECK(run_lapl({"bench", "--shape", "5", "5", "5", "5"}).code == 2);
  if (lapl::cuda_unavailable().empty()) return;
  const Outcome none = run_lapl({"bench", "--backend", "cuda", "--shape", "8", "8", "--json"});
  CHECK(none.code == 5);
  const auto rows = nlohmann::json::parse(none.out);
  CHECK(rows.size() == 6);  // three engines in two precisions
  for (const auto& row : rows)
    CHECK(row.at("refused").get<std::string>().starts_with("backend cuda: "));
}

TEST_CASE("bench measures filters by every method, each compared with the sum as it stands" *
          doctest::test_suite("slow without_cuda")) {
  const Sandbox sandbox;
  const Outcome bench = run_lapl({"bench", "--filters", "--backend", "cpu", "--shape", "120", "130",
                                  "--repeats", "1", "--json"});
  CAPTURE(bench.err);
  REQUIRE(bench.code == 0);
  const auto results = nlohmann::json::parse(bench.out);
  CHECK(results.size() == 8);
  std::set<std::string> methods;
  for (const auto& result : results) {
    methods.insert(result["method"].get<std::string>());
    CHECK(result["verified_cells"].get<int>() > 1000);
    CHECK(result["median_seconds"].get<double>() > 0);
  }
  CHECK(methods == std::set<std::string>{"direct", "fft", "separable"});
  const Outcome table = run_lapl({"bench", "--filters", "--backend", "cpu", "--shape", "9", "9",
                                  "--repeats", "1", "--precision", "float64"});
  CHECK(table.code == 0);
  CHECK(table.out.find("3 x 3             direct     float64") != std::string::npos);
  CHECK(run_lapl({"bench", "--filters", "--engine", "threaded"}).code == 2);
}

TEST_CASE("small grids take one thread") {
  lapl::Problem<double> modes{.shape = {128, 128}, .faces = {}};
  modes.exponential = std::make_shared<lapl::ExponentialRates>();
  CHECK(lapl::useful_threads(modes) == 1);
  CHECK(lapl::useful_threads({127, 191}) == 1);
  CHECK(lapl::useful_threads({1, 1}) == 1);
}

TEST_CASE("threads that wait spin for a short while only, unless the environment says how long") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  const auto spin_count = [](const std::string& settings) {
    const std::string command =
        settings + " OMP_DISPLAY_ENV=VERBOSE '" + lapl_program() + "' plan c.yaml";
    const Outcome run =
        finish(start({"-u", "OMP_WAIT_POLICY", "sh", "-c", command}, "/usr/bin/env"));
    const std::string name = "GOMP_SPINCOUNT = '";
    const auto at = run.err.rfind(name);
    if (at == std::string::npos) return std::string("not told");  // only GNU's OpenMP reports it
    return run.err.substr(at + name.size(),
                          run.err.find('\'', at + name.size()) - at - name.size());
  };
  if (const std::string found = spin_count(""); found != "not told") {
    CHECK((found == "10000" || found == "0"));  // 0 on a busy machine
    CHECK(spin_count("GOMP_SPINCOUNT=77") == "77");
  }
}
