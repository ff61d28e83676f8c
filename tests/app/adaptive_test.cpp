// Steps that choose their size: the same bits everywhere, outputs at exact times, and the
// tolerance.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/app/csv.hpp"
#include "tests/app/program.hpp"
#include "tests/text.hpp"

using namespace lapl::test;

namespace {

// A spot that spreads and reacts while the value at a face swings.
std::string spot(const std::string& time, const std::string& more = "") {
  return "grid: {shape: [23, 31]}\n"
         "fields: [u, v]\n"
         "equation:\n"
         "  kind: formula\n"
         "  u: laplacian(u) + v - u^3 + 0.1 * sin(t)\n"
         "  v: 0.1 * (u - v)\n"
         "boundary: {rows: periodic, columns: {first: {value: cos(t)}, last: {derivative: 0}}}\n"
         "initial: {u: {kind: gaussian}, v: {kind: formula, formula: random}}\n"
         "output: {directory: out, every: {time: 0.7}, fields: [u, v], derived: {w: {formula: u * "
         "t}}}\n"
         "time: " +
         time + "\n" + more;
}

}  // namespace

TEST_CASE(
    "steps by error end exactly at times and are the same on every engine and after restarts" *
    doctest::test_suite("slow")) {
  const Sandbox sandbox;
  for (const char* const scheme : {"bs23", "dopri5", "rkl2", "imex"})
    for (const char* const precision : {"float32", "float64"}) {
      write_text("c.yaml",
                 spot(fmt::format("{{scheme: {}, tolerance: 1e-4, step: auto, end: 3}}", scheme),
                      fmt::format("compute: {{backend: cpu, precision: {}}}\n", precision)));
      std::string digest;
      for (const char* const engine : {"reference", "interpreted", "threaded", "blocked"}) {
        CAPTURE(std::string(scheme));
        CAPTURE(std::string(engine));
        const Outcome run = run_lapl(
            {"run", "c.yaml", "--overwrite", "--set", fmt::format("compute.engine={}", engine)});
        REQUIRE_MESSAGE(run.code == 0, run.err);
        if (digest.empty()) digest = out_summary()["digest"];
        CHECK(out_summary()["digest"] == digest);
      }
      const auto times = column("out/diagnostics.csv", "time");
      CHECK(times == std::vector<std::string>{"0", "0.7", "1.4", "2.1", "2.8", "3"});
      CHECK(std::stod(column("out/diagnostics.csv", "step_error").back()) <= 1);
      const auto steps = out_summary()["steps"].get<std::int64_t>();
      for (const std::int64_t splits : {std::int64_t{2}, steps - 1}) {  // at last, at every step
        const Outcome restart =
            run_lapl({"verify-restart", "c.yaml", "--splits", std::to_string(splits)});
        REQUIRE_MESSAGE(restart.code == 0, restart.err);
        CHECK(last_digest(restart.out) == digest);
        CHECK(restart.err.empty());
      }
      const Outcome many =
          run_lapl({"verify-restart", "c.yaml", "--splits", std::to_string(steps)});
      CHECK(many.code == 2);
      CHECK_MESSAGE(has(many.err, fmt::format("--splits: {0} found, the run has {0} steps "
                                              "(expected at least one step more)",
                                              steps)),
                    many.err);
      REQUIRE(run_lapl({"run", "c.yaml", "--overwrite", "--set", "time.end=1.4"}).code == 0);
      REQUIRE(run_lapl({"resume", "out", "--set", "time.end=3"}).code == 0);
      CHECK(out_summary()["digest"] == digest);
      CHECK(column("out/diagnostics.csv", "time") == times);
    }
}

TEST_CASE("steps by error keep their tolerance over five decades" *
          doctest::test_suite("moderate")) {
  const Sandbox sandbox;
  struct Field {
    std::string rate, start, exact;
  };
  struct Problem {
    std::vector<Field> fields;
    const char* end = "2";
    double factor = 10;  // of the tolerance
    const char* more = "grid: {shape: [1, 1]}\nboundary: insulated\n";
  };
  const std::string q = "(1 + x / 8 + x^2 / 64)";  // of the Laplacian 1/32, also on the grid
  // Numbers are by SciPy's DOP853 with the relative tolerance 1e-13. The solutions are well
  // conditioned: the error of a step grows at most 2.8 times.
  const std::vector<Problem> problems = {
      {{{"-u", "1", "exp(-2)"}}},
      {{{"-50 * (u - cos(t)) - sin(t)", "1", "cos(2)"}}},
      {{{"u * (1 - u)", "0.1", "1 / (1 + 9 * exp(-2))"}}},
      {{{"cos(t) * u", "1", "exp(sin(2))"}}},
      // Within this solution the estimate of bs23 vanishes. With tolerance 1e-4 a step happens to
      // begin there, the next one is too long, and the factor is 22. With other first steps it is
      // at most 2.
      {{{"-2 * t * u^2", "1", "1 / 5"}}, "2", 30},
      {{{"v", "1", "cos(6)"}, {"-u", "0", "-sin(6)"}}, "6"},
      // Lotka and Volterra
      {{{"u - u * v", "2", "0.6057452703753"}, {"u * v - v", "0.5", "0.3537258218015"}}, "5"},
      // the Brusselator
      {{{"1 - 4 * u + u^2 * v", "1.5", "0.4268476684075"},
        {"3 * u - u^2 * v", "3", "4.294841805867"}},
       "5"},
      // FitzHugh and Nagumo
      {{{"5 * (u * (1 - u) * (u - 0.1) - v)", "0.5", "0.02149260379717"},
        {"0.5 * u - v", "0", "0.001885520691709"}},
       "5"},
      // Robertson, with rates that are closer to each other
      {{{"-0.04 * u + 10 * v * w", "1", "0.7625435469627"},
        {"0.04 * u - 10 * v * w - 300 * v^2", "0", "0.006987496969564"},
        {"300 * v^2", "0", "0.2304689560678"}},
       "10"},
      {{{"10 * laplacian(u) + (" + q + " * cos(t) - 10 / 32) * exp(sin(t))", q,
         q + " * exp(sin(2))"}},
       "2",
       10,
       "grid: {shape: [8]}\nboundary: {columns: {first: {value: 57 / 64 * exp(sin(t))}, "
       "last: {derivative: 23 / 64 * exp(sin(t))}}}\n"},
  };
  for (const Problem& problem : problems) {
    std::string names, rates, starts, error = "0";
    for (std::size_t i = 0; i < problem.fields.size(); ++i) {
      const auto& [rate, start, exact] = problem.fields[i];
      const char name = "uvw"[i];
      names += fmt::format("{}, ", name);
      rates += fmt::format(", {}: {}", name, rate);
      starts += fmt::format("{}: {{kind: formula, formula: {}}}, ", name, start);
      error = fmt::format("max({}, abs({} - {}))", error, name, exact);
    }
    CAPTURE(rates);
    for (const char* const scheme : {"bs23", "dopri5"})
      for (const double tolerance : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8}) {
        CAPTURE(std::string(scheme));
        CAPTURE(tolerance);
        write_text(
            "c.yaml",
            fmt::format("{0}fields: [{1}]\nequation: {{kind: formula{2}}}\n"
                        "initial: {{{3}}}\n"
                        "time: {{scheme: {4}, tolerance: {5}, step: 0.01, end: {6}}}\n"
                        "output:\n  directory: out\n  every: {{time: {6}}}\n"
                        "  integrals: {{error: \"{7}\", cells: 1}}\n"
                        "compute: {{backend: cpu, precision: float64, engine: interpreted}}\n",
                        problem.more, names, rates, starts, scheme, tolerance, problem.end, error));
        const Outcome run = run_lapl({"run", "c.yaml", "--overwrite"});
        REQUIRE_MESSAGE(run.code == 0, run.err);
        CHECK(last_value("error") / last_value("cells") <= problem.factor * tolerance);
      }
  }
}

TEST_CASE("rkl2 by error chooses stages, and its errors add up to at most as many tolerances") {
  const Sandbox sandbox;
  // A front that spreads and reacts; the source makes the solution exact on the grid.
  const std::string exact = "sin(x / 5) * exp(-t / 3)";
  write_text("c.yaml",
             "grid: {shape: [2, 60], spacing: 0.5235987755982988}\n"
             "equation: {kind: formula, field: \"8 * laplacian(field) - field^3 + " +
                 exact +
                 " * (8 * (2 - 2 * cos(0.10471975511965977)) / 0.5235987755982988^2 - 1/3) "
                 "+ (" +
                 exact +
                 ")^3\"}\n"
                 "boundary: {rows: periodic, columns: periodic}\n"
                 "initial: {kind: formula, formula: sin(x / 5)}\n"
                 "time: {scheme: rkl2, tolerance: 1e-4, step: auto, end: 6}\n"
                 "output: {directory: out, every: {time: 6}, integrals: {e: \"abs(field - " +
                 exact +
                 ") / 32.9\"}}\n"
                 "compute: {backend: cpu, precision: float64}\n");
  double before = 1;
  for (const double tolerance : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
    CAPTURE(tolerance);
    const Outcome run = run_lapl(
        {"run", "c.yaml", "--overwrite", "--set", fmt::format("time.tolerance={}", tolerance)});
    REQUIRE_MESSAGE(run.code == 0, run.err);
    const double steps = std::stod(column("out/diagnostics.csv", "step").back());
    const double error = std::stod(column("out/diagnostics.csv", "e").back());
    CHECK(error <= steps * tolerance);
    CHECK(error < before);
    before = error;
  }
}

TEST_CASE("a step by error that is too small ends the run with field, place and a checkpoint") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [4, 5]}\nequation: {kind: formula, field: field^2}\n"
             "initial: {kind: formula, formula: \"1 + where(x == 3, where(y == 2, 0.5, 0), 0)\"}\n"
             "time: {scheme: dopri5, tolerance: 1e-6, step: 0.01, end: 2}\n"
             "output: {directory: out, every: {time: 1}}\n"
             "compute: {backend: cpu, precision: float64}\nlimits: {smallest_step: 1e-6}\n");
  const Outcome run = run_lapl({"run", "c.yaml"});  // infinite at t = 2/3
  CHECK(run.code == 3);
  CHECK_MESSAGE(has(run.err, "row 2, column 3, where field would become"), run.err);
  CHECK(std::distance(fs::directory_iterator("out/checkpoints"), {}) >= 2);
}

TEST_CASE("mistakes in tolerances have their messages") {
  const Sandbox sandbox;
  write_text("c.yaml", spot("{scheme: bs23, tolerance: 1e-4, step: 0.1, end: 3}"));
  const auto run_error = [](const std::string& setting) {
    const Outcome found = run_lapl({"validate", "c.yaml", "--set", setting});
    CHECK(found.code == 2);
    return found.err;
  };
  CHECK(has(run_error("time.tolerance=0"), "time.tolerance: found 0"));
  CHECK(has(run_error("time.tolerance=-1"), "time.tolerance: found -1"));
  CHECK(
      has(run_error("time.tolerance=1e-9"),
          "below rounding in float32 (expected at least 9.5e-07, or compute.precision: float64)"));
  CHECK(has(run_error("time.scheme=rk4"),
            "time.tolerance: given with time.scheme rk4, which estimates no error (expected "
            "time.scheme bs23, dopri5, rkl2, imex, etdrk2, etdrk4 or sdirk2)"));
  write_text("w.yaml",
             "grid: {shape: [9, 9]}\nfields: [u, v]\n"
             "equation: {kind: formula, u: v, v: laplacian(u)}\n"
             "initial: {u: {kind: gaussian}, v: {kind: uniform, value: 0}}\n"
             "time: {scheme: rkl2, tolerance: 1e-4, step: auto, end: 3}\n");
  CHECK(has(run_lapl({"validate", "w.yaml"}).err,
            "time.scheme: found rkl2, of which no step is stable"));
  CHECK(has(run_error("limits.verify_every=5"), "limits.verify_every: given with time.tolerance"));
  CHECK(has(run_lapl({"validate", "c.yaml", "--set", "time.tolerance=null", "--set",
                      "limits.smallest_step=1"})
                .err,
            "limits.smallest_step: given without time.tolerance"));
}

TEST_CASE("limits.unstable_step: warn takes a step that is known to be unstable") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [20, 30]}\nequation: {diffusivity: 1}\ntime: {step: 0.3, steps: 4}\n"
             "output: {directory: out}\ncompute: {backend: cpu}\n");
  CHECK(run_lapl({"validate", "c.yaml"}).code == 2);
  const Outcome run = run_lapl({"run", "c.yaml", "--set", "limits.unstable_step=warn"});
  CHECK(run.code == 0);
  CHECK_MESSAGE(has(run.err, "time.step: found 0.3, unstable"), run.err);
}

TEST_CASE(
    "time.step: auto takes shorter steps where the state asks for them, the same everywhere") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [20, 30]}\n"
             "equation: {kind: formula, field: laplacian(field) + 3 * field^2 - field^3}\n"
             "boundary: insulated\n"
             "initial: {kind: formula, formula: 0.5 * random}\n"
             "time: {step: auto, end: 3}\n"
             "output: {directory: out, every: {time: 0.5}}\n"
             "compute: {backend: cpu, precision: float64}\nlimits: {check_finite_every: 5}\n");
  std::string digest;
  for (const char* const engine : {"reference", "interpreted", "blocked"}) {
    const Outcome run = run_lapl(
        {"run", "c.yaml", "--overwrite", "--set", fmt::format("compute.engine={}", engine)});
    REQUIRE_MESSAGE(run.code == 0, run.err);
    CHECK_MESSAGE(has(run.err, " from there on: the largest stable step is "), run.err);
    if (digest.empty()) digest = out_summary()["digest"];
    CHECK(out_summary()["digest"] == digest);
  }
  CHECK(column("out/diagnostics.csv", "time") ==
        std::vector<std::string>{"0", "0.5", "1", "1.5", "2", "2.5", "3"});
  CHECK(run_lapl({"verify-restart", "c.yaml", "--splits", "4"}).code == 0);
  REQUIRE(run_lapl({"run", "c.yaml", "--overwrite", "--set", "time.end=1.5"}).code == 0);
  REQUIRE(run_lapl({"resume", "out", "--set", "time.end=3"}).code == 0);
  CHECK(out_summary()["digest"] == digest);
  const Outcome fixed = run_lapl({"run", "c.yaml", "--overwrite", "--set", "time.step=0.25",
                                  "--set", "limits.check_stability_every=4"});
  CHECK_MESSAGE(has(fixed.err, "and time.step is 0.25"), fixed.err);
}

TEST_CASE("no value is said to stand still at the start of steps by error") {
  const Sandbox sandbox;
  // The first step is far too short to change a value of 300 in float32; later ones are not.
  write_text("c.yaml",
             "grid: {shape: [20, 30]}\n"
             "equation: {kind: formula, field: 0.1 * laplacian(field) + 1}\n"
             "boundary: insulated\ninitial: {kind: uniform, value: 300}\n"
             "time: {scheme: bs23, tolerance: 1e-4, step: 1e-6, end: 4}\n"
             "output: {directory: out, every: {time: 2}}\n");
  const Outcome by_error = run_lapl({"run", "c.yaml"});
  REQUIRE_MESSAGE(by_error.code == 0, by_error.err);
  CHECK_MESSAGE(!has(by_error.err, "stand still"), by_error.err);
  const Outcome fixed = run_lapl({"run", "c.yaml", "--overwrite", "--set", "time.tolerance=null",
                                  "--set", "time.end=4e-6", "--set", "output.every=4"});
  CHECK_MESSAGE(has(fixed.err, "step 0: 100% of the values stand still"), fixed.err);
}
