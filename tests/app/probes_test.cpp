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

TEST_CASE("probes at times: steps end there, of one size or of many, and after restarts") {
  const Sandbox sandbox;
  const std::string config =
      "grid: {shape: [12, 9]}\nboundary: insulated\nequation: {u: \"laplacian(u) + cos(t)\"}\n"
      "initial: {u: {kind: gaussian}}\ncheckpoint: {every: 3, keep: 1000}\n"
      "output: {directory: out, every: {time: 0.5}, probes: {every: {time: 0.2}, at: {a: [3, "
      "4]}}}\n"
      "compute: {backend: cpu, precision: float64}\n";
  const std::vector<std::string> fifths = {"0", "0.2", "0.4", "0.6", "0.8", "1"};
  for (const char* const time :
       {"step: 0.05, end: 1", "step: auto, end: 1, scheme: bs23, tolerance: 1e-4",
        "step: auto, end: 1", "step: auto, start: 0.1, end: 1.1, largest_step: 0.13"}) {
    CAPTURE(std::string(time));
    write_text("c.yaml", config + "time: {" + time + "}\n");
    const Outcome run = run_lapl({"run", "c.yaml", "--overwrite"});
    REQUIRE_MESSAGE(run.code == 0, run.err);
    const std::string table = file_text("out/probes.csv");
    auto times = column("out/probes.csv", "time");
    if (times.front() == "0.1")
      CHECK(times == std::vector<std::string>{"0.1", "0.3", "0.5", "0.7", "0.9", "1.1"});
    else
      CHECK(times == fifths);
    REQUIRE(run_lapl({"resume", "out", "--from", "6"}).code == 0);
    CHECK(file_text("out/probes.csv") == table);
    const Outcome restart = run_lapl({"verify-restart", "c.yaml"});
    CHECK_MESSAGE(restart.code == 0, restart.err);
  }
  SUBCASE("a step of another size keeps the times, and one that does not divide them is refused") {
    write_text("c.yaml", config + "time: {step: 0.05, end: 1}\n");
    REQUIRE(run_lapl({"run", "c.yaml", "--overwrite"}).code == 0);
    const auto resumed = [](const char* step) {
      return run_lapl({"resume", "out", "--from", "15", "--change", "step", "--set", step});
    };
    const Outcome odd = resumed("time.step=0.04");
    CHECK(odd.code == 2);
    CHECK_MESSAGE(odd.err.find("time.step: 0.04 does not divide time.end 1 from 0.75 on and "
                               "output.every 0.5 and output.probes.every 0.2 (expected 0.025 or "
                               "0.05)") != std::string::npos,
                  odd.err);
    REQUIRE(resumed("time.step=0.025").code == 0);
    CHECK(column("out/probes.csv", "time") == fifths);
    CHECK(column("out/probes.csv", "step").back() == "25");
  }
  SUBCASE("mistakes") {
    const auto refused = [&](const std::string& every, const std::string& message) {
      write_text("c.yaml", config + "time: {step: 0.05, end: 1}\n");
      const Outcome outcome =
          run_lapl({"validate", "c.yaml", "--set", "output.probes.every=" + every});
      CHECK(outcome.code == 2);
      CHECK_MESSAGE(outcome.err.find(message) != std::string::npos, outcome.err);
    };
    refused("{time: 0.12}", "output.probes.every 0.12 (expected ");
    refused("{time: -1}", "every.time: found -1, out of range (expected a number above 0)");
    refused("{times: 1}", "times");
    refused("0", "found 0, out of range (expected an integer from 1 to 9007199254740992");
    refused("{time: 1e-300}", "output.probes.every: found a time of 1e-300, which makes ");
  }
}
