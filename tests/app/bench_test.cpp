// lapl bench, from the outside: what it measures is not looked at, only that it is consistent.
#include <nlohmann/json.hpp>

#include "kernels/backend.hpp"
#include "tests/app/program.hpp"

using namespace lapl::test;

TEST_CASE("bench verifies and measures each engine, shape and precision") {
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
  }
  const Outcome table = run_lapl({"bench", "--backend", "cpu", "--engine", "threaded", "--shape",
                                  "9", "9", "--steps", "1", "--precision", "float64"});
  CHECK(table.code == 0);
  CHECK(table.out.find("threaded   float64") != std::string::npos);
}

TEST_CASE("bench refuses engines of another backend and unknown words") {
  const Sandbox sandbox;
  CHECK(run_lapl({"bench", "--backend", "cpu", "--engine", "tile"}).code == 2);
  CHECK(run_lapl({"bench", "--precision", "half"}).code == 2);
  CHECK(run_lapl({"bench", "--boundary", "open"}).code == 2);
  CHECK(run_lapl({"bench", "--shape", "5"}).code == 2);
  if (!lapl::cuda_unavailable().empty())
    CHECK(run_lapl({"bench", "--backend", "cuda", "--shape", "8", "8"}).code == 5);
}
