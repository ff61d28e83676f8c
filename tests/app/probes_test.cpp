// Probes of cells and of positions.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "tests/app/csv.hpp"
#include "tests/app/program.hpp"

using namespace lapl::test;

namespace {

// u is x + 2 y and does not change; x is periodic, from 2 to 17.5, and y goes from -1 to 10.5.
std::string plane_of_probes(const std::string& at, const std::string& more = "") {
  return "grid: {shape: [24, 32], spacing: 0.5, origin: [-1, 2]" + more +
         "}\nboundary: {x: periodic, y: insulated}\nequation: {u: \"0\"}\n"
         "initial: {u: \"x + 2*y\"}\ntime: {step: 0.01, steps: 4}\n"
         "output: {directory: out, probes: {every: 2, at: {" +
         at + "}}}\ncompute: {backend: cpu, precision: float64}\n";
}

}  // namespace

TEST_CASE("a probe at a position is linear between the cells beside it, or of the nearest") {
  const Sandbox sandbox;
  write_text("c.yaml",
             plane_of_probes("cell: [3, 4], node: {at: [4, 0.5]}, between: {at: [4.2, 0.7]}, near: "
                             "{at: [4.2, 0.7], interpolate: nearest}, seam: {at: [17.7, -1.2]}, "
                             "last: {at: [17.7, 10.7], interpolate: nearest}"));
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const auto value = [](const char* name) {
    const auto values = column("out/probes.csv", name);
    REQUIRE(values.size() == 3);
    CHECK(values.front() == values.back());
    return std::stod(values.front());
  };
  CHECK(value("cell") == 5);
  CHECK(value("node") == 5);
  CHECK(std::abs(value("between") - 5.6) < 1e-12);
  CHECK(value("near") == 5);
  // x = 17.7 is 0.4 of the way from the last column to the first; y is beyond the first row
  CHECK(std::abs(value("seam") - (0.6 * 17.5 + 0.4 * 2 - 2)) < 1e-12);
  CHECK(value("last") == 17.5 + 21);
  SUBCASE("a probe that moves loses its former values, as cells do") {
    write_text("c.yaml", plane_of_probes("cell: [3, 4], node: {at: [4.5, 0.5]}"));
    REQUIRE(run_lapl({"resume", "out", "--change", "output", "--set", "time.steps=6", "--set",
                      "output.probes={every: 2, at: {cell: [3, 4], node: {at: [4.5, 0.5]}}}"})
                .code == 0);
    CHECK(column("out/probes.csv", "cell").size() == 4);
    CHECK(column("out/probes.csv", "node").front() == "nan");
    CHECK(column("out/probes.csv", "node").back() == "5.5");
  }
}

TEST_CASE("probes at positions outside of the grid or the mask are refused") {
  const Sandbox sandbox;
  const auto refused = [](const std::string& at, const std::string& message,
                          const std::string& more = "") {
    write_text("c.yaml", plane_of_probes("q: " + at, more));
    const Outcome outcome = run_lapl({"run", "c.yaml"});
    CAPTURE(at);
    CHECK(outcome.code == 2);
    CHECK_MESSAGE(outcome.err.find(message) != std::string::npos, outcome.err);
  };
  refused("{at: [4.2]}",
          "output.probes: at.q: found {at: [4.2]} (expected one number for each axis: x from 1.75 "
          "to 17.75, y from -1.25 to 10.75)");
  refused("[{at: [1, 2]}, 3]", "at.q: found");
  refused("{at: [17.9, 1]}", "at.q: found {at: [17.9, 1]}, outside of the grid");
  refused("{at: [4, 1], interpolate: cubic}", "found cubic (expected linear or nearest)");
  refused("{x: 3}", "output.probes: at.q.at: missing");
  refused(
      "{at: [4.2, 0.7]}",
      "at.q: found {at: [4.2, 0.7]}, outside of grid.mask (expected all cells beside it inside)",
      ", mask: {formula: \"where(x < 4.4, 1, 0)\"}");
  write_text("c.yaml", plane_of_probes("q: {at: [4.2, 0.7], interpolate: nearest}",
                                       ", mask: {formula: \"where(x < 4.4, 1, 0)\"}"));
  CHECK(run_lapl({"run", "c.yaml"}).code == 0);
}

TEST_CASE("a probe does not read across the seam for a field that ends there") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [8]}\nequation: {v: 0*v, c: 0*c}\n"
             "boundary: {left: {v: periodic, c: insulated}, right: {v: periodic, c: insulated}}\n"
             "initial: {v: x, c: x}\ntime: {step: 0.2, steps: 1}\n"
             "output: {directory: out, probes: {at: {p: {at: [-0.25]}, q: {at: [7.25]}}}}\n");
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  for (const auto& [name, value] :
       {std::pair("p_v", "1.75"), {"p_c", "0"}, {"q_v", "5.25"}, {"q_c", "7"}})
    CHECK(column("out/probes.csv", name).front() == value);
}

TEST_CASE("a probe on the outer face of a grid far from 0 is in it") {
  const Sandbox sandbox;
  for (const auto& [origin, at] :
       {std::pair("5000000.3", "5000001.25"), {"4999999.9", "4999999.85"}, {"1000", "999.95"}}) {
    write_text("c.yaml", fmt::format("grid: {{shape: [10], spacing: 0.1, origin: {}}}\n"
                                     "equation: {{u: 0*u}}\nboundary: insulated\ninitial: 1\n"
                                     "time: {{step: 0.1, steps: 1}}\n"
                                     "output: {{probes: {{at: {{a: {{at: [{}]}}}}}}}}\n"
                                     "compute: {{precision: float64}}\n",
                                     origin, at));
    CHECK(run_lapl({"validate", "c.yaml"}).code == 0);
  }
}
