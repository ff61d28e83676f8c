// Elliptic equations whose values decide what is right: faults that only the solution shows, means
// in the matrix, advection, and coefficients at sides.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "solver/equation/formula_system.hpp"
#include "tests/solver/config_run.hpp"
#include "tests/text.hpp"

using namespace lapl;

TEST_CASE("solves: what only the values show is an error at the first solve") {
  const auto failure = [](const std::string& text) {
    return test::text_thrown([&] {
      test::started(
          test::config_run("initial: {u: 1}\ntime: {step: 0.1, steps: 1}\ncompute: {precision: "
                           "float64}\n" +
                           text));
    });
  };
  const std::string line = "grid: {shape: [8], spacing: 1}\nboundary: ", zero = line + "zero\n";
  // The right side reads p through the condition of u.
  CHECK(test::has(failure(line + "{left: {u: {value: p, at: face}, p: insulated}, right: "
                                 "insulated}\nequation: {let: {p: {solve: laplacian(p) - p, "
                                 "equals: laplacian(u)}}, u: 0*p}\n"),
                  "does not solve the equation"));
  // Half of the equations are 0 = 1.
  CHECK(test::has(failure(zero + "equation: {let: {p: {solve: \"where(x < 4, 1, 0)*laplacian(p)\", "
                                 "equals: 1}}, u: 0*p}\n"),
                  "reads it in every cell"));
  // Linear for small values alone.
  CHECK(test::has(failure(zero + "equation: {let: {p: {solve: \"laplacian(p) - max(p, -5)\", "
                                 "equals: 20}}, u: 0*p}\n"),
                  "linear in p for all its values"));
  // Two halves, each up to a constant.
  const std::string halves =
      "grid: {shape: [7, 7], spacing: 1, mask: {formula: \"where(x == 3, 0, 1)\"}}\nboundary: "
      "insulated\nequation: {let: {p: {solve: laplacian(p), equals: \"where(x < 3, 1, -1)\"";
  CHECK(test::has(failure(halves + "}}, u: 0*p}\n"), "21 cells connected with row 0, column 0"));
  CHECK(failure(halves + ", mean: removed}}, u: 0*p}\n").empty());
}

TEST_CASE("solves: the coefficient at a side with a flux is that at the face") {
  // p' = 1 at the left side, where k = 0.75: the flux -0.75 is the same everywhere.
  const RunConfig run = test::config_run(
      "grid: {shape: [4], spacing: 0.5}\nparameters: {k: {formula: 1 + x}}\n"
      "boundary: {left: {p: {derivative: 1}, u: insulated}, right: {p: {value: 0, at: face}, u: "
      "insulated}}\nequation: {let: {p: {solve: divergence(k*gradient(p)), equals: 0}}, u: 0*p}\n"
      "initial: {u: 0}\ntime: {step: 1, steps: 0}\ncompute: {precision: float64}\n");
  const std::vector<double> state = copy_of_state(*test::started(run));
  const auto p = state.begin() + (run.fields[0] == "p" ? 0 : 4);
  CHECK(p[0] == doctest::Approx(0.75595).epsilon(1e-4));
}

TEST_CASE("solves: matrices follow means, are found where advection rules and on two cells") {
  const auto last = [](const std::string& text) {
    const RunConfig run = test::config_run(text + "compute: {precision: float64}\n");
    const auto backend = test::started(run);
    backend->advance(run.steps);
    return copy_of_state(*backend);
  };
  // u grows from 1 to 2, so s falls from 1 / 2 to 1 / 3.
  const auto mean = last(
      "grid: {shape: [8]}\nboundary: insulated\nequation: {let: {s: {solve: (1 + mean(u))*s, "
      "equals: 1}}, u: 1 + 0*s}\ninitial: {u: 1}\ntime: {step: 0.5, steps: 2}\n");
  CHECK(mean[8] == doctest::Approx(1.0 / 3));
  const auto carried = last(
      "grid: {shape: [900]}\nboundary: {s: {value: 1, at: face}, u: insulated}\nequation: {let: "
      "{s: {solve: laplacian(s) + d_dx(s), equals: 0}}, u: 0*s}\ninitial: {u: 0}\n"
      "time: {step: 1, steps: 0}\n");
  for (std::size_t i = 900; i < 1800; ++i) REQUIRE(carried[i] == doctest::Approx(1).epsilon(1e-7));
  const auto two = last(
      "grid: {shape: [2]}\nboundary: periodic\nequation: {let: {s: {solve: laplacian(s) - s, "
      "equals: -u}}, u: 0*s}\ninitial: {u: \"1 + x\"}\ntime: {step: 1, steps: 0}\n");
  // 2 (s1 - s0) - s0 = -1, 2 (s0 - s1) - s1 = -2
  CHECK(two[2] == doctest::Approx(1.4));
  CHECK(two[3] == doctest::Approx(1.6));
}

TEST_CASE("solves: the potential at an inner corner, r^(2/3), converges as theory says") {
  const auto errors = [](int n) {
    const RunConfig run = test::config_run(fmt::format(
        "grid: {{shape: [{0}, {0}], spacing: {1}, center: true, mask: {{formula: \"where(x > 0 and "
        "y < 0, 0, 1)\"}}}}\nparameters: {{exact: {{formula: \"(x^2 + y^2)^(1/3)*sin(2/3*(atan2(y, "
        "x) "
        "+ where(y < 0, 2*pi, 0)))\"}}}}\n"
        "equation: {{let: {{p: {{solve: laplacian(p), equals: 0}}}}, u: 0*p}}\n"
        "boundary: {{x: {{p: {{value: exact, at: face}}, u: 0}}, y: {{p: {{value: exact, at: "
        "face}}, "
        "u: 0}}, mask: {{p: {{value: 0, at: face}}, u: 0}}}}\n"
        "initial: {{u: exact}}\ntime: {{step: 1, steps: 0}}\ncompute: {{precision: float64}}\n",
        n, 2.0 / n));
    const std::vector<double> state = copy_of_state(*test::started(run));
    const std::int64_t cells = run.shape.cells();
    double largest = 0;
    for (std::int64_t cell = 0; cell < cells; ++cell)
      largest = std::max(largest, std::abs(state[cells + cell] - state[cell]));
    // at (-1/2, 1/2), between four cells
    const std::int64_t far = (3 * n / 4 - 1) * n + n / 4 - 1;
    double far_error = 0;
    for (const std::int64_t cell : {far, far + 1, far + n, far + n + 1})
      far_error += (state[cells + cell] - state[cell]) / 4;
    return std::array{largest, std::abs(far_error)};
  };
  const auto coarse = errors(32), fine = errors(64);
  CHECK(std::abs(std::log2(coarse[0] / fine[0]) - 2.0 / 3) < 0.05);  // at the corner
  CHECK(std::abs(std::log2(coarse[1] / fine[1]) - 4.0 / 3) < 0.08);  // away from it
}

TEST_CASE("solves: a quantity with conditions may read the solved field") {
  const std::vector<double> state = copy_of_state(*test::started(test::config_run(
      "grid: {shape: [8, 8], spacing: 1}\ninitial: {p: 1}\ntime: {step: 0.01, steps: 1}\n"
      "boundary: {x: periodic, y: {phi: zero, q: insulated, p: insulated}}\n"
      "equation:\n  let: {phi: {solve: laplacian(phi), equals: -2}, q: p + phi}\n"
      "  p: laplacian(q)\ncompute: {precision: float64}\n")));
  // (y + 1) (8 - y)
  CHECK(state[64 + 3 * 8] == doctest::Approx(20));
}

TEST_CASE("solves: conditions that follow the time are read anew, whatever was solved before") {
  const auto state_at = [](std::vector<double> times, const std::string& value) {
    const RunConfig run = test::config_run(fmt::format(
        "grid: {{shape: [7, 9], spacing: 0.1}}\ninitial: {{u: 1}}\ntime: {{step: 1, steps: 1}}\n"
        "boundary: {{x: {{u: {{value: cos(t)}}, p: {{value: \"{}\", at: face}}}}, y: insulated}}\n"
        "equation: {{let: {{p: {{solve: laplacian(p) - p, equals: u}}}}, u: 0*p}}\n"
        "compute: {{precision: float64}}\n",
        value));
    const auto systems = grid_systems(run, make_system(run), {});
    std::vector<double> state(2 * run.shape.cells());
    for (const double time : times) {
      std::ranges::fill(state, 0.0);
      systems.front()->solve(state, {.time = time});
    }
    return state;
  };
  for (const char* const value : {"t", "1 + sin(3*t)", "sin(t)/t"}) {
    CAPTURE(value);
    CHECK(state_at({0.1, 0.7, 0.3}, value) == state_at({0.3}, value));
    CHECK(state_at({0.3}, value) != state_at({0.7}, value));
  }
  // p = 2 at both faces, and p_(i+1) - 2 p_i + p_(i-1) = h^2 p_i
  const std::vector<double> state = state_at({2}, "t");
  const double a = std::acosh(1 + 0.01 / 2);
  for (const int i : {0, 5, 8})
    CHECK(state[63 + static_cast<std::size_t>(i)] ==
          doctest::Approx(4 * std::cosh(a * (i - 4)) / (std::cosh(5 * a) + std::cosh(4 * a))));
}
