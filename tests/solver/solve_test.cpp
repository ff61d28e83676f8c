// Fields that linear equations over the grid determine (equation.let with solve and equals).
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <memory>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "io/readers/initial_source.hpp"
#include "kernels/error.hpp"
#include "kernels/solve/grid_system.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/initial_field.hpp"
#include "tests/formula_run.hpp"
#include "tests/solver/config_run.hpp"
#include "tests/solver/gallery_run.hpp"
#include "tests/text.hpp"

using namespace lapl;

namespace {

// The largest difference between field s and field `exact` of the initial state.
double error_of_s(const RunConfig& run) {
  const std::vector<double> state = copy_of_state(*test::started(run));
  const auto cells = static_cast<std::ptrdiff_t>(run.shape.cells());
  const auto at = [&](const char* name) {
    return state.begin() + (std::ranges::find(run.fields, name) - run.fields.begin()) * cells;
  };
  double largest = 0;
  for (std::ptrdiff_t i = 0; i < cells; ++i)
    largest = std::max(largest, std::abs(at("s")[i] - at("exact")[i]));
  return largest;
}

// exact = sin(2 x + 0.3) cos(1.5 y + 0.2) (1 + z^2 / 2), as far as there are axes.
struct Exact {
  explicit Exact(int axes_of) : axes(axes_of) {}
  int axes;
  std::string x(int derivatives) const {
    return std::array{"sin(2*x + 0.3)", "2*cos(2*x + 0.3)", "-4*sin(2*x + 0.3)"}.at(derivatives);
  }
  std::string y(int derivatives) const {
    return axes < 2
               ? "1"
               : std::array{"cos(1.5*y + 0.2)", "-1.5*sin(1.5*y + 0.2)", "-2.25*cos(1.5*y + 0.2)"}
                     .at(derivatives);
  }
  std::string z(int derivatives) const {
    return axes < 3 ? "1" : std::array{"(1 + z^2/2)", "z", "1"}.at(derivatives);
  }
  std::string of(int along_x, int along_y, int along_z) const {
    return fmt::format("{}*{}*{}", x(along_x), y(along_y), z(along_z));
  }
  std::string along(int axis) const { return of(axis == 2, axis == 1, axis == 0); }
  std::string laplacian() const {
    std::string sum = of(2, 0, 0);
    if (axes > 1) sum += " + " + of(0, 2, 0);
    if (axes > 2) sum += " + " + of(0, 0, 2);
    return sum;
  }
};

// A run with the exact solution of `left` = `right`, and a condition of each kind in turn.
std::string manufactured(int axes, int n, int kinds, const std::string& left,
                         const std::string& right) {
  const Exact exact(axes);
  std::string shape = fmt::format("{}", n);
  for (int axis = 1; axis < axes; ++axis) shape = fmt::format("{}, {}", n + axis, shape);
  std::string text = fmt::format(
      "grid: {{shape: [{}], spacing: {}}}\nequation:\n  let: {{s: {{solve: \"{}\", equals: "
      "\"{}\"}}}}\n"
      "  exact: 0*s\ninitial: {{exact: \"{}\"}}\ntime: {{step: 1, steps: 0}}\n"
      "compute: {{precision: float64}}\nboundary:\n",
      shape, 1.0 / n, left, right, exact.of(0, 0, 0));
  int kind = kinds;
  for (int axis = 2; axis >= 3 - axes; --axis) {
    const char* const name = std::array{"planes", "rows", "columns"}.at(axis);
    text += fmt::format("  {}:\n", name);
    for (const bool last : {false, true}) {
      const std::string outward = fmt::format("{}({})", last ? "" : "-", exact.along(axis)),
                        value = exact.of(0, 0, 0);
      std::string condition;
      switch (kind++ % 5) {
        case 0: condition = fmt::format("{{value: \"{}\", at: face}}", value); break;
        case 1: condition = fmt::format("{{derivative: \"{}\"}}", outward); break;
        case 2: condition = fmt::format("{{value: \"{}\", at: node}}", value); break;
        case 3:
          condition = fmt::format("{{mixed: {{value: \"{} + 2*{}\", factor: 2}}}}", outward, value);
          break;
        default: condition = fmt::format("{{value: \"{}\"}}", value);
      }
      text +=
          fmt::format("    {}: {{s: {}, exact: insulated}}\n", last ? "last" : "first", condition);
    }
  }
  return text;
}

}  // namespace

TEST_CASE("solves: manufactured solutions converge at second order for all conditions") {
  const std::string with_terms = "divergence((1 + x/2)*gradient(s)) - d_dx(s)/2 - (2 + x)*s";
  for (int axes = 1; axes <= 3; ++axes)
    for (int kinds = 0; kinds < 5; ++kinds)
      for (const bool plain : {true, false}) {
        CAPTURE(axes);
        CAPTURE(kinds);
        CAPTURE(plain);
        const Exact exact(axes);
        const std::string right = plain ? exact.laplacian()
                                        : fmt::format("(1 + x/2)*({}) - (2 + x)*({})",
                                                      exact.laplacian(), exact.of(0, 0, 0));
        const auto error = [&](int n) {
          return error_of_s(test::config_run(
              manufactured(axes, n, kinds, plain ? "laplacian(s)" : with_terms, right)));
        };
        const int n = axes == 3 ? 12 : axes == 2 ? 48 : 96;
        const double order = std::log2(error(n) / error(2 * n));
        // Grids of three axes are coarse.
        CHECK(order > (axes == 3 ? 1.5 : 1.85));
        CHECK(order < (axes == 3 ? 2.4 : 2.1));
      }
}

TEST_CASE("solves: the bits are those of the reference engine, whatever the engine and threads") {
  const std::string text =
      "grid: {shape: [37, 50], spacing: 0.3}\n"
      "equation:\n"
      "  let:\n"
      "    s: {solve: \"divergence((1 + u^2)*gradient(s)) - s\", equals: \"-u - t\"}\n"
      "    w: {solve: \"laplacian(w)\", equals: \"s - mean(s)\", mean: removed}\n"
      "  u: laplacian(u) - divergence(u*gradient(s)) + 0.1*w\n"
      "boundary: {columns: periodic, rows: insulated}\n"
      "initial: {u: random}\ntime: {step: 0.01, steps: 4}\n";
  for (const char* const scheme : {"euler", "heun", "rk4", "bs23", "imex", "{bs23}"}) {
    CAPTURE(scheme);
    std::string time = fmt::format("time.scheme={}", scheme);
    std::vector<std::string> settings = {time};
    if (scheme == std::string("{bs23}")) settings = {"time.scheme=bs23", "time.tolerance=1e-4"};
    const auto compare = [&]<class T>(T) {
      RunConfig run = parse_config(text, "s.yaml", ".", settings).run;
      run.precision = sizeof(T) == 4 ? Precision::float32 : Precision::float64;
      const auto stepped = [&](const std::string& engine, int threads) {
        const auto backend = test::started<T>(run, engine, threads);
        backend->advance(run.steps);
        return copy_of_state(*backend);
      };
      const std::vector<T> expected = stepped("reference", 1);
      CHECK(std::ranges::all_of(expected, [](T value) { return std::isfinite(value); }));
      for (const char* const engine : {"interpreted", "threaded", "blocked"})
        for (const int threads : {1, 3}) CHECK(stepped(engine, threads) == expected);
    };
    compare(double());
    compare(float());
  }
}

TEST_CASE("solves: at each step the solved field belongs to the new values of the others") {
  const RunConfig run = test::config_run(
      "grid: {shape: [30, 40], spacing: 0.25}\n"
      "equation:\n  let: {s: {solve: laplacian(s) - s, equals: -u*(1 + t)}}\n"
      "  u: laplacian(u) + s\nboundary: insulated\ninitial: {u: random}\n"
      "time: {step: 0.01, steps: 3, scheme: heun}\ncompute: {precision: float64}\n");
  const auto backend = test::started(run);
  for (int step = 0; step < 3; ++step) {
    const std::vector<double> state = copy_of_state(*backend);
    RunConfig check = run;
    check.equation = {
        .kind = EquationKind::formula,
        .coefficient = {},
        .diffusivity = {},
        .rates = {{"u", fmt::format("laplacian(s) - s + u*(1 + {})", 0.01 * step)}, {"s", "0"}},
        .maps = {},
        .after = {},
        .quantities = {},
        .solves = {}};
    check.scheme = Scheme::euler;
    check.time_step = 1;
    const std::vector<double> moved = test::formula_stepped(check, state, 1);
    for (std::int64_t i = 0; i < run.shape.cells(); ++i)
      REQUIRE(std::abs(moved[i] - state[i]) < 1e-7);
    backend->advance(1);
  }
}

TEST_CASE("solves: a coefficient that jumps by 10^6, layered or at random, takes few iterations") {
  const auto iterations = [](const std::string& k, int n) {
    const RunConfig run = test::config_run(fmt::format(
        "grid: {{shape: [{0}, {0}], spacing: 1}}\nparameters: {{k: {{formula: \"{1}\"}}}}\n"
        "equation:\n  let: {{s: {{solve: divergence(k*gradient(s)), equals: sin(x) + cos(3*y), "
        "tolerance: 1e-8, method: multigrid}}}}\n  u: 0*s\nboundary: zero\ninitial: {{u: 0}}\n"
        "time: {{step: 1, steps: 0}}\ncompute: {{precision: float64}}\n",
        n, k));
    const auto systems = grid_systems(run, make_system(run), load_coefficients(run));
    std::vector<double> state(2 * run.shape.cells());
    systems.front()->solve(state, {});
    CHECK(systems.front()->report().residual <= 1e-8);
    return systems.front()->report().iterations;
  };
  CHECK(iterations("1", 128) <= 10);
  CHECK(iterations("where(sin(0.4*y) > 0, 1, 1e6)", 128) <= 15);
  // a number for each block of 8 x 8 nodes
  const std::string noise = "10^(6*abs(sin(12.9898*floor(x/8) + 78.233*floor(y/8))))";
  CHECK(iterations(noise, 64) <= 25);
  CHECK(iterations(noise, 128) <= 30);
}

TEST_CASE("solves: spacings that differ by a factor of 30 cost no more iterations") {
  const RunConfig run = test::config_run(
      "grid: {shape: [64, 128], spacing: [0.01, 0.3]}\nequation:\n"
      "  let: {s: {solve: laplacian(s), equals: sin(x) + cos(90*y), tolerance: 1e-8, "
      "method: multigrid}}\n  u: 0*s\nboundary: zero\ninitial: {u: 0}\ntime: {step: 1, steps: 0}\n"
      "compute: {precision: float64}\n");
  const auto systems = grid_systems(run, make_system(run), {});
  std::vector<double> state(2 * run.shape.cells());
  systems.front()->solve(state, {});
  CHECK(systems.front()->report().iterations <= 10);
}

TEST_CASE("solves: the potential in a disc, cut out of the grid by a mask, is (R^2 - r^2) / 4") {
  const RunConfig run = test::config_run(
      "grid: {shape: [80, 80], spacing: 0.025, mask: {formula: x^2 + y^2 < 0.81}, center: true}\n"
      "equation:\n  let: {s: {solve: laplacian(s), equals: -1}}\n  exact: 0*s\n"
      "boundary: {mask: {s: {value: 0, at: face}, exact: insulated}}\n"
      "initial: {exact: (0.81 - x^2 - y^2)/4}\ntime: {step: 1, steps: 0}\n"
      "compute: {precision: float64}\n");
  CHECK(error_of_s(run) < 0.01 * 0.81 / 4 * 3);
}

TEST_CASE("solves: equations without a solution are errors that say so") {
  const std::string start =
      "grid: {shape: [20, 20], spacing: 1}\ninitial: {u: 1}\ntime: {step: 0.1, steps: 1}\n"
      "boundary: insulated\nequation:\n  u: laplacian(u) + s\n  let: {s: ";
  const auto failure = [&](const std::string& solve) {
    return test::text_thrown(
        [&] { test::started<float>(test::config_run(start + solve + "}\n")); });
  };
  CHECK(test::has(failure("{solve: laplacian(s), equals: u}"), "mean: removed"));
  CHECK(failure("{solve: laplacian(s), equals: u, mean: removed}").empty());
  CHECK(test::has(failure("{solve: s*laplacian(s) - s, equals: u}"), "not linear in s"));
  CHECK(test::has(failure("{solve: laplacian(laplacian(s)) + s, equals: u}"),
                  "further than one cell away"));
  CHECK(test::has(failure("{solve: (x - 7.2)*s, equals: u}"), "coefficients of one sign"));
  CHECK(
      test::has(failure("{solve: laplacian(s) - s, equals: x, tolerance: 1e-9, most_iterations: 1, "
                        "method: multigrid}"),
                "after 1 iterations"));
}

TEST_CASE("solves: wrong configs are refused before anything is made") {
  const auto mistake = [](const std::string& let, const std::string& more = "") {
    return test::text_thrown([&] {
      test::config_run(
          "grid: {shape: [20, 20], spacing: 1}\ninitial: {u: 1}\nboundary: insulated\n"
          "time: {step: 0.1, steps: 1}\nequation:\n  u: laplacian(u) + s\n  let: {" +
          let + "}\n" + more);
    });
  };
  CHECK(test::has(mistake("s: {solve: laplacian(u), equals: u}"), "does not read s"));
  CHECK(test::has(mistake("s: {solve: laplacian(s) - s, equals: u + s}"), "in solve alone"));
  CHECK(test::has(mistake("s: {solve: laplacian(s) - s}"), "equals"));
  CHECK(test::has(
      mistake("s: {solve: laplacian(s) - s, equals: r}, r: {solve: laplacian(r) - r, equals: s}"),
      "comes later"));
  CHECK(test::has(mistake("s: {solve: laplacian(s) - s, equals: u + noise}"), "noise"));
  CHECK(test::has(mistake("s: {solve: laplacian(s) - s, equals: u, tolerance: 0}"), "tolerance"));
  CHECK(test::has(mistake("s: {solve: laplacian(s) - s, equals: u}", "compute: {engine: spectral}"),
                  "spectral"));
  CHECK(test::has(mistake("s: {solve: laplacian(s) - s, equals: u, tolerance: 2}"), "0.5"));
  CHECK(test::has(test::text_thrown([] {
                    test::config_run(
                        "grid: {shape: [8]}\nfields: {psi: complex, s: complex}\ninitial: {psi: "
                        "1}\nboundary: periodic\ntime: {step: 0.1, steps: 1}\nequation: {psi: "
                        "i*laplacian(psi), let: {s: {solve: laplacian(s) - s, equals: psi}}}\n");
                  }),
                  "complex field s"));
}

TEST_CASE("gallery: Keller-Segel keeps the cells, and a small wave grows as the equation says") {
  const double k = 2 * std::numbers::pi * 2 / 32, q = 4 * std::pow(2 * std::sin(k / 4), 2);
  test::GalleryRun run(
      "keller-segel",
      {"grid.shape=[1, 64]", "time.scheme=rk4",
       fmt::format("initial.u={{kind: formula, formula: 0.25 + 1e-6 * cos({} * x)}}", k)});
  const double rate = 5 * 0.25 * 0.75 * q / (1 + q) - 0.25 * q;
  REQUIRE(rate > 0);
  const auto sum = [&](const test::Values& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
  };
  const test::Values before = run.after(0), after = run.after(100);
  CHECK(sum(after) == doctest::Approx(sum(before)).epsilon(1e-13));
  CHECK(std::log((after[0] - 0.25) / (before[0] - 0.25)) ==
        doctest::Approx(100 * *run.run.time_step * rate).epsilon(1e-4));
}

TEST_CASE("gallery: convection begins at Ra = 27 pi^4 / 4") {
  const double critical = 27 * std::pow(std::numbers::pi, 4) / 4;
  const auto growth = [&](double share) {
    // Two rolls of the critical width, sqrt 2.
    test::GalleryRun run("convection",
                         {"grid.shape=[16, 32]", "grid.spacing=[0.0625, 0.08838834764831845]",
                          fmt::format("parameters.Ra={}", share * critical), "time.step=0.0008",
                          "initial.T={kind: formula, formula: 1 - y - 0.03125 + 1e-6 * sin(pi * "
                          "(y + 0.03125)) * cos(pi * x / sqrt(2))}"});
    const auto amplitude = [&](std::int64_t steps) {
      const test::Values w = run.after(steps, 1);
      return std::max(std::abs(*std::ranges::max_element(w)),
                      std::abs(*std::ranges::min_element(w)));
    };
    const double before = amplitude(500);  // the mode that decays fast is gone
    return amplitude(200) / before;
  };
  CHECK(growth(0.98) < 1);
  CHECK(growth(1.02) > 1);
}
