// Integrals over boxes, and fields of outputs with an interval of their own.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "io/hdf5/file_content.hpp"
#include "io/hdf5/step_file.hpp"
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

// v is the constant 2 and does not change, u diffuses.
std::string with_fields(const std::string& fields, const std::string& time) {
  return "grid: {shape: [12, 9]}\nfields: [u, v]\nboundary: insulated\n"
         "equation: {u: laplacian(u), v: 0*v}\ninitial: {u: {kind: gaussian}, v: 2}\n"
         "checkpoint: {every: 3, keep: 100}\ntime: " +
         time + "\noutput: {directory: out, fields: " + fields + ", ";
}

// The outputs of the run in `out` that have a field, as their steps.
std::string outputs_with(const std::string& field) {
  std::string steps;
  for (const fs::path& file : lapl::list_step_files("out/fields"))
    if (std::ranges::count(lapl::read_content(file).fields, field) > 0)
      steps += std::to_string(lapl::step_of_file_name(file.filename().string())) + ' ';
  return steps;
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

TEST_CASE("a field with an interval of its own is in some of the outputs") {
  const Sandbox sandbox;
  SUBCASE("in steps") {
    write_text("c.yaml",
               with_fields("{u: {every: 6}, v: {}}", "{step: 0.1, steps: 11}") + "every: 2}\n");
    const Outcome run = run_lapl({"run", "c.yaml"});
    REQUIRE_MESSAGE(run.code == 0, run.err);
    CHECK(outputs_with("u") == "0 6 11 ");
    CHECK(outputs_with("v") == "0 2 4 6 8 10 11 ");
    const std::string digest = out_summary()["digest"];
    fs::remove("out/fields/step-000000006.nc");
    REQUIRE(run_lapl({"resume", "out", "--from", "3"}).code == 0);
    CHECK(out_summary()["digest"] == digest);
    CHECK(outputs_with("u") == "0 6 11 ");
    CHECK(run_lapl({"inspect", "out"}).code == 0);
    CHECK(run_lapl({"diff", "out", "out"}).code == 0);
    CHECK(run_lapl({"export", "out", "-o", "all.nc"}).code == 0);
    const Outcome missing = run_lapl({"plot", "out", "--field", "u", "--step", "4", "-o", "p.png"}),
                  movie = run_lapl({"plot", "out", "--field", "u", "-o", "u.png", "--movie"});
    if (!lacks_cairo(movie)) {
      CHECK(missing.code != 0);
      CHECK_MESSAGE(
          has(missing.err, "step-000000004.nc: no dataset u; the file holds step, time, v"),
          missing.err);
      CHECK_MESSAGE(has(movie.out, "3 frames"), (movie.out + movie.err));
    }
    CHECK(has(run_lapl({"plan", "c.yaml"}).out, "7 outputs of at most "));
  }
  SUBCASE("in time, with steps that vary") {
    write_text("c.yaml", with_fields("{u: {every: {time: 0.6}}, v: {}}",
                                     "{scheme: bs23, tolerance: 1e-3, step: auto, end: 1}") +
                             "every: {time: 0.2}}\n");
    const Outcome run = run_lapl({"run", "c.yaml"});
    REQUIRE_MESSAGE(run.code == 0, run.err);
    const auto steps = column("out/diagnostics.csv", "step");
    REQUIRE(steps.size() == 6);
    CHECK(outputs_with("u") == fmt::format("0 {} {} ", steps[3], steps[5]));
  }
  SUBCASE("ended by limits.stop, at an output that is not one of the field") {
    write_text("c.yaml", with_fields("{u: {every: 40}, v: {}}", "{step: 0.1, steps: 100}") +
                             "every: 4}\nlimits: {stop: {when: t > 0.75, every: 4}}\n");
    const Outcome run = run_lapl({"run", "c.yaml"});
    REQUIRE_MESSAGE(run.code == 0, run.err);
    CHECK(outputs_with("u") == "0 8 ");
    CHECK(outputs_with("v") == "0 4 8 ");
  }
  SUBCASE("before the next output of the field, it is drawn as it was last") {
    write_text("c.yaml",
               with_fields("{u: {}, v: {every: 12}}", "{step: 0.1, steps: 11}") + "every: 4}\n");
    REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
    fs::remove("out/fields/step-000000011.nc");
    const Outcome drawn = run_lapl({"plot", "out", "--field", "v", "-o", "v.png"});
    CHECK_MESSAGE((drawn.code == 0 || lacks_cairo(drawn)), drawn.err);
  }
  SUBCASE("mistakes") {
    const auto refused = [](const std::string& fields, const std::string& every,
                            const std::string& message) {
      write_text("c.yaml", with_fields(fields, "{step: 0.1, end: 1.2}") + every + "}\n");
      const Outcome outcome = run_lapl({"validate", "c.yaml"});
      CHECK(outcome.code == 2);
      CHECK_MESSAGE(has(outcome.err, message), outcome.err);
    };
    refused(
        "{u: {every: 3}}", "every: 2",
        "output.fields: u: every: found 3 steps (expected a multiple of output.every, 2 steps)");
    refused("{u: {every: {time: 0.3}}}", "every: {time: 0.2}",
            "u: every: found {time: 0.3} (expected a multiple of output.every, {time: 0.2})");
    refused("{u: {every: {time: 0.4}}}", "every: 2",
            "u: every: found {time: 0.4} (expected a multiple of output.every, 2 steps)");
    refused("{u: {every: 4}}", "count: 3",
            "u: every: given with output.count (expected output.every)");
    refused("{u: {every: 4}, v: {every: 8}}", "every: 2",
            "each field has an every of its own (expected one that all outputs have)");
    refused(
        "{u: {every: {time: 1}}, v: {}}", "every: {time: 0.33333333333}",
        "u: every: found {time: 1} (expected a multiple of output.every, {time: 0.33333333333})");
    refused("{w: {}}", "every: 2", "output.fields: found w (expected u or v)");
    refused("{}", "every: 2", "output.fields: found no field (expected at least one)");
    refused("{u: {often: 4}}", "every: 2", "often");
  }
}
