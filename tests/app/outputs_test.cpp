// Integrals over boxes.
#include <string>
#include <utility>

#include "tests/app/csv.hpp"
#include "tests/app/program.hpp"
#include "tests/text.hpp"

using namespace lapl::test;

namespace {

// u is x + 2 y and does not change; x goes from 2 to 17.5, y from -1 to 10.5.
std::string plane_with_integrals(const std::string& integrals, const std::string& precision) {
  return "grid: {shape: [24, 32], spacing: 0.5, origin: [-1, 2]}\nboundary: insulated\n"
         "equation: {u: 0*u}\ninitial: {u: \"x + 2*y\"}\ntime: {step: 0.01, steps: 1}\n"
         "output: {directory: out, integrals: {" +
         integrals + "}}\ncompute: {backend: cpu, precision: " + precision + "}\n";
}

}  // namespace

TEST_CASE("an integral over a box counts the cells with their centres in it") {
  const Sandbox sandbox;
  for (const char* const precision : {"float32", "float64"}) {
    write_text("c.yaml",
               plane_with_integrals(
                   "all: u, left: {formula: u, box: {x: [2, 10]}}, right: {formula: u, box: {x: "
                   "[10, 17.5]}}, cell: {formula: u, box: {x: [3.9, 4.1], y: [-3, -0.6]}}, side: "
                   "{formula: u, on: rows.last, box: {x: [2, 3]}}, area: {formula: 1 + 0*u, box: "
                   "{x: [2, 3]}}, defined: {formula: \"1 / (x - 2) + 0*u\", box: {x: [2.5, 3]}}",
                   precision));
    const Outcome run = run_lapl({"run", "c.yaml", "--overwrite"});
    REQUIRE_MESSAGE(run.code == 0, run.err);
    CHECK(last_value("left") + last_value("right") == last_value("all"));
    CHECK(last_value("left") < last_value("right"));
    CHECK(last_value("cell") == 0.25 * (4 - 2));
    CHECK(last_value("side") == 0.5 * (2 + 21 + 2.5 + 21));
    CHECK(last_value("area") == 2 * 24 * 0.25);
    CHECK(last_value("defined") == 24 * 0.25 / 0.5);  // the formula is infinite outside
  }
}

TEST_CASE("boxes without cells, or along no axis, are refused") {
  const Sandbox sandbox;
  for (const auto& [box, message] :
       {std::pair("{x: [4, 4]}", "x: found [4, 4] (expected the lower end, then a higher one)"),
        {"{x: [5, 4]}", "x: found [5, 4] (expected the lower end, then a higher one)"},
        {"{x: [20, 30]}",
         "x: found [20, 30], in which no cell has its centre (expected some of the centres from 2 "
         "to 17.5, 0.5 apart)"},
        {"{y: [4.1, 4.4]}", "y: found [4.1, 4.4], in which no cell has its centre"},
        {"{z: [0, 1]}", "z: no axis of the grid (expected x, y)"},
        {"{rows: [0, 1]}", "rows: no axis of the grid (expected x, y)"},
        {"{x: [1]}", "found 1 value (expected"},
        {"{y: [0, 1]}, on: rows.last",
         "y: given with on: rows.last, a side across it (expected other axes)"}}) {
    write_text("c.yaml",
               plane_with_integrals(std::string("q: {formula: u, box: ") + box + "}", "float64"));
    const Outcome outcome = run_lapl({"validate", "c.yaml"});
    CHECK(outcome.code == 2);
    CHECK_MESSAGE(has(outcome.err, std::string("output.integrals: ") +
                                       (has(message, "value") ? "" : "q: box: ")),
                  outcome.err);
    CHECK_MESSAGE(has(outcome.err, message), outcome.err);
  }
}
