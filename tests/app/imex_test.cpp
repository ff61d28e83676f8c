// Scheme imex as users meet it: stiff reactions against SciPy, and its errors.
#include <fmt/format.h>

#include <array>

#include "tests/app/csv.hpp"
#include "tests/app/program.hpp"
#include "tests/text.hpp"

using namespace lapl::test;

namespace {

struct Reaction {
  std::string name, config, end;
  double error;  // relative, in steps with a tolerance of 1e-6
  std::vector<std::array<double, 3>> exact;
};

// Numbers by SciPy's Radau with the relative tolerance 1e-11 on the same grid, in cells 0, 5
// and 15.
const std::vector<Reaction> reactions = {
    {"Robertson",
     "fields: [a, b, c]\n"
     "equation:\n"
     "  kind: formula\n"
     "  let: {slow: 0.04 * a, fast: 1e4 * b * c}\n"
     "  a: 0.1 * laplacian(a) - slow + fast\n"
     "  b: 0.1 * laplacian(b) + slow - fast - 3e7 * b^2\n"
     "  c: 0.1 * laplacian(c) + 3e7 * b^2\n"
     "initial:\n"
     "  a: {kind: formula, formula: 0.75 + 0.25 * cos(pi * (x + 0.5) / 16)}\n"
     "  b: {kind: uniform, value: 0}\n"
     "  c: {kind: uniform, value: 0}\n",
     "40",
     1e-5,
     {{0.6871351352444213, 0.5998648863315612, 0.36032102704970653},
      {9.059725281509697e-06, 8.657461507257318e-06, 7.273851895010517e-06},
      {0.2762020175351264, 0.25118378324737056, 0.17632548659357056}}},
    {"Oregonator",
     "fields: [a, b, c]\n"
     "equation:\n"
     "  kind: formula\n"
     "  a: 0.1 * laplacian(a) + 77.27 * (b + a * (1 - 8.375e-6 * a - b))\n"
     "  b: 0.1 * laplacian(b) + (c - (1 + a) * b) / 77.27\n"
     "  c: 0.1 * laplacian(c) + 0.161 * (a - c)\n"
     "initial:\n"
     "  a: {kind: formula, formula: 4 + 2 * cos(pi * (x + 0.5) / 16)}\n"
     "  b: {kind: uniform, value: 2}\n"
     "  c: {kind: formula, formula: 3 + cos(pi * (x + 0.5) / 16)}\n",
     "20",
     5e-4,
     {{6.851823598123987, 257.97820528762753, 98491.66847434475},
      {1.1658814795057741, 1.0220457424084683, 0.17776452064190804},
      {3.8721702321816247, 6.282165062398593, 17521.519289542048}}},
    {"Brusselator",
     "fields: [a, b]\n"
     "equation:\n"
     "  kind: formula\n"
     "  a: 0.05 * laplacian(a) + 1 + a^2 * b - 4.4 * a\n"
     "  b: 0.05 * laplacian(b) + 3.4 * a - a^2 * b\n"
     "initial:\n"
     "  a: {kind: formula, formula: 1 + 0.5 * cos(pi * (x + 0.5) / 16)}\n"
     "  b: {kind: uniform, value: 3.4}\n",
     "10",
     5e-5,
     {{0.5275627905844782, 0.6144486948817858, 0.3622568627814447},
      {2.769759380678331, 2.623751483535701, 4.923522133860645}}}};

}  // namespace

TEST_CASE("imex by error gives Radau's solutions of stiff reactions with diffusion") {
  const Sandbox sandbox;
  for (const Reaction& reaction : reactions) {
    CAPTURE(reaction.name);
    std::string error = "0", names;
    for (std::size_t field = 0; field < reaction.exact.size(); ++field) {
      const char name = "abc"[field];
      names += fmt::format("{}, ", name);
      for (std::size_t at = 0; at < 3; ++at)
        error += fmt::format(" + where(x == {}, abs({} / {} - 1), 0)", std::array{0, 5, 15}[at],
                             name, reaction.exact[field][at]);
    }
    write_text("c.yaml",
               fmt::format("grid: {{shape: [16]}}\nboundary: insulated\n{0}"
                           "time: {{scheme: imex, tolerance: {{relative: 1e-6, absolute: 1e-10}}, "
                           "step: auto, end: {1}}}\n"
                           "output: {{directory: out, every: {{time: {1}}}, fields: [{2}], "
                           "integrals: {{error: \"{3}\"}}}}\n"
                           "compute: {{backend: cpu, precision: float64, engine: interpreted}}\n",
                           reaction.config, reaction.end, names, error));
    const Outcome run = run_lapl({"run", "c.yaml", "--overwrite"});
    REQUIRE_MESSAGE(run.code == 0, run.err);
    CHECK(std::stod(column("out/diagnostics.csv", "error").back()) < reaction.error);
  }
}

TEST_CASE("a reaction that cannot be inverted ends the run with field, cell and a checkpoint") {
  const Sandbox sandbox;
  // 1 - gamma dt k is 0 in float64.
  write_text("c.yaml",
             "grid: {shape: [4, 5]}\n"
             "equation: {kind: formula, field: \"3.414213562373096 * "
             "where(x == 3, where(y == 2, 1, 0), 0) * field\"}\n"
             "initial: {kind: formula, formula: 1 + random}\n"
             "time: {scheme: imex, step: 1, steps: 1}\n"
             "output: {directory: out, every: 1}\n"
             "compute: {backend: cpu, precision: float64}\n");
  const Outcome run = run_lapl({"run", "c.yaml"});
  CHECK(run.code == 3);
  CHECK_MESSAGE(has(run.err, "the value at row 2, column 3 is not finite"), run.err);
  CHECK_MESSAGE(has(run.err, "imex"), run.err);
  CHECK(fs::exists("out/checkpoints"));
}

TEST_CASE("imex without reactions or with too many or with a derivative of inf is refused") {
  const Sandbox sandbox;
  const auto run_error = [](const std::string& equation) {
    write_text("c.yaml", "grid: {shape: [4, 5]}\n" + equation +
                             "initial: {kind: uniform}\ntime: {scheme: imex, step: 0.1, steps: "
                             "10}\noutput: {every: 10}\n");
    return run_lapl({"validate", "c.yaml"}).err;
  };
  std::string error = run_error("equation: {kind: formula, field: laplacian(field) + x}\n");
  CHECK_MESSAGE(
      has(error, "found imex, but no rate has a term that reads fields without operators"), error);
  std::string fields, rates;
  for (int i = 0; i < 9; ++i) {
    fields += fmt::format("u{}, ", i);
    rates += fmt::format(", u{0}: -u{0}", i);
  }
  error = run_error("fields: [" + fields + "]\nequation: {kind: formula" + rates + "}\n");
  CHECK_MESSAGE(has(error, "the rates of 9 fields have terms without operators (u0, u1,"), error);
  error = run_error("equation: {kind: formula, field: laplacian(field) - 0^field}\n");
  CHECK_MESSAGE(has(error,
                    "time.scheme: imex: its derivative, log(a) * pow(a, b), makes the number "
                    "-inf\n    laplacian(field) - 0^field\n                        ^"),
                error);
  error = run_error("equation: {diffusivity: 1}\n");
  CHECK_MESSAGE(has(error, "time.scheme"), error);
}
