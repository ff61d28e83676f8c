// Steps that choose their size, where rates and conditions read t or are stiff in the state: none
// is longer than the solution allows, whatever the state at the start is.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/app/csv.hpp"
#include "tests/app/program.hpp"
#include "tests/text.hpp"

using namespace lapl::test;

namespace {

std::string config_text(const std::string& rate, const std::string& boundary,
                        const std::string& initial, const std::string& time,
                        const std::string& every) {
  return fmt::format(
      "grid: {{shape: [32], size: 1, origin: 0.015625}}\n"
      "equation: {{kind: formula, field: \"{}\"}}\nboundary: {}\ninitial: {}\ntime: {{{}}}\n"
      "output: {{directory: out, every: {}, fields: [field]}}\n"
      "compute: {{precision: float64, threads: 1, backend: cpu}}\n",
      rate, boundary, initial, time, every);
}

const std::string zero = "{kind: uniform, value: 0}", one = "{kind: uniform, value: 1}";

}  // namespace

TEST_CASE("steps by error follow a source of t, from 0 and from values, with every scheme") {
  const Sandbox sandbox;
  for (const char* const scheme : {"etdrk2", "etdrk4", "bs23", "dopri5", "rkl2", "imex"})
    for (const double start : {0.0, 1.0}) {
      CAPTURE(std::string(scheme));
      CAPTURE(start);
      const std::string rate = std::string(scheme) == "imex"  // which needs a reaction
                                   ? "laplacian(field) - 1e-9 * field + 20 * cos(20 * t)"
                                   : "laplacian(field) + 20 * cos(20 * t)";
      write_text(
          "c.yaml",
          config_text(rate, "insulated", fmt::format("{{kind: uniform, value: {}}}", start),
                      fmt::format("scheme: {}, tolerance: 1e-5, end: 10", scheme), "{time: 10}"));
      const Outcome run = run_lapl({"run", "c.yaml", "--overwrite"});
      REQUIRE_MESSAGE(run.code == 0, run.err);
      CHECK(std::abs(last_value("mean") - start - std::sin(200.0)) < 0.02);
      write_text(
          "c.yaml",
          config_text("laplacian(field) - field + cos(t) + sin(t)", "periodic", zero,
                      fmt::format("scheme: {}, tolerance: 1e-6, end: 10", scheme), "{time: 10}"));
      REQUIRE(run_lapl({"run", "c.yaml", "--overwrite"}).code == 0);
      CHECK(std::abs(last_value("mean") - std::sin(10.0)) < 1e-4);
    }
}

TEST_CASE("etdrk2 and etdrk4 by error follow a condition of t, as dopri5 does") {
  const Sandbox sandbox;
  const auto scheme_mean = [](const char* scheme) {
    write_text("c.yaml",
               config_text(
                   "laplacian(field)", "{columns: {first: insulated, last: {value: \"sin(6*t)\"}}}",
                   zero, fmt::format("scheme: {}, tolerance: 1e-6, end: 2", scheme), "{time: 2}"));
    const Outcome run = run_lapl({"run", "c.yaml", "--overwrite"});
    REQUIRE_MESSAGE(run.code == 0, run.err);
    return last_value("mean");
  };
  const double exact = scheme_mean("dopri5");
  for (const char* const scheme : {"etdrk2", "etdrk4"})
    CHECK(std::abs(scheme_mean(scheme) - exact) < 1e-4);
}

TEST_CASE("time.step: auto stays stable where rates are nearly a multiple of the state") {
  const Sandbox sandbox;
  write_text("c.yaml", config_text("1e-5 * laplacian(field) - t^2 * field", "periodic",
                                   "{kind: formula, formula: random}",
                                   "scheme: rkl2, stages: 7, step: auto, end: 20", "{time: 20}"));
  const Outcome run = run_lapl({"run", "c.yaml"});
  REQUIRE_MESSAGE(run.code == 0, run.err);
  CHECK(std::abs(last_value("max")) < 1e-3);
}

TEST_CASE("time.step: auto ends with a checkpoint where no estimate is possible") {
  const Sandbox sandbox;
  write_text("c.yaml", config_text("1e-3 * laplacian(field) - field^3 + 0 * log(5 - t)", "periodic",
                                   one, "scheme: heun, step: auto, end: 20", "{time: 1}"));
  const Outcome run = run_lapl({"run", "c.yaml"});
  CHECK(run.code == 3);
  CHECK_MESSAGE(has(run.err, "the largest stable step is not known (at time "), run.err);
  CHECK_MESSAGE(has(run.err, "the rates are not finite at this state"), run.err);
  CHECK_MESSAGE(has(run.err, "the state before is stored as a checkpoint"), run.err);
  CHECK(last_value("time") == 4);
  const Outcome again = run_lapl({"resume", "out"});
  CHECK(again.code == 3);
  CHECK_MESSAGE(has(again.err, "the largest stable step is not known (at time "), again.err);
}

TEST_CASE("checks of the step say where they find none") {
  const Sandbox sandbox;
  write_text("c.yaml", config_text("1e-3 * laplacian(field) - field^3 + 0 * log(5 - t)", "periodic",
                                   one, "scheme: heun, step: 0.01, end: 5.2", "{time: 5.2}") +
                           "limits: {check_stability_every: 100, check_finite_every: 1000}\n");
  const Outcome run = run_lapl({"run", "c.yaml"});
  CHECK(run.code == 3);
  CHECK_MESSAGE(has(run.err, "step 500: the largest stable step is not known (the rates are not "),
                run.err);
}

TEST_CASE("a run whose steps lead nowhere warns, and limits.smallest_step ends it") {
  const Sandbox sandbox;
  write_text("c.yaml", config_text("-1 / field", "periodic", one,
                                   "scheme: bs23, tolerance: 1e-6, steps: 40000", "{time: 0.4}"));
  const Outcome run = run_lapl({"run", "c.yaml"});
  CHECK_MESSAGE(has(run.err, "the last 10000 steps were so short"), run.err);
  CHECK_MESSAGE(has(run.err, "limits.smallest_step"), run.err);
  const Outcome limited =
      run_lapl({"run", "c.yaml", "--overwrite", "--set", "limits.smallest_step=1e-9"});
  CHECK(limited.code == 3);
  CHECK_MESSAGE(has(limited.err, "below limits.smallest_step of 1e-09;"), limited.err);
}
