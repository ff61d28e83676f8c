// Fields of equation.let that are solved for together.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/solver/config_run.hpp"
#include "tests/test_field.hpp"
#include "tests/text.hpp"

using namespace lapl;

namespace {

using Values = std::vector<double>;

const std::string wide = "compute: {precision: float64}\n";

}  // namespace

TEST_CASE("fields that are solved for together meet both equations") {
  // -div(grad p) + 3 (p - q) = f and -div(k grad q) - 3 (p - q) = g, in every cell, by hand
  const std::string text =
      "grid: {shape: [14, 17], spacing: 0.2}\nparameters: {k: {formula: 2 + sin(x)}}\n"
      "equation:\n"
      "  let:\n"
      "    both:\n"
      "      solve: {p: 'laplacian(p) - 3 * (p - q)', q: 'divergence(k * gradient(q)) + 3 * (p - "
      "q)'}\n"
      "      equals: {p: -u, q: 'u * x - d_dx(u)'}\n"
      "  u: 'p - q'\n"
      "boundary: {x: {p: 0, q: insulated, u: 0}, y: periodic}\ninitial: {u: 'sin(x) * cos(y)'}\n"
      "time: {step: 0.1, steps: 0}\n" +
      wide;
  const RunConfig run = test::config_run(text);
  CHECK(run.fields == std::vector<std::string>{"u", "p", "q"});
  const Values state = copy_of_state(*test::started(run));
  const std::int64_t rows = 14, columns = 17, cells = rows * columns;
  const double h = 0.2;
  const auto at = [&](int field, std::int64_t row, std::int64_t column) {
    row = (row + rows) % rows;
    const double sign = field != 2 && (column < 0 || column == columns) ? 0 : 1;
    column = std::clamp<std::int64_t>(column, 0, columns - 1);
    return sign * state[field * cells + row * columns + column];
  };
  const auto k = [&](std::int64_t column) { return 2 + std::sin(h * static_cast<double>(column)); };
  double worst = 0, size = 0;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column) {
      const auto side = [&](int field, int by_row, int by_column) {
        return (at(field, row + by_row, column + by_column) - at(field, row, column)) / (h * h);
      };
      const auto face = [&](int by) {
        const std::int64_t there = std::clamp<std::int64_t>(column + by, 0, columns - 1);
        return (k(column) + k(there)) / 2;
      };
      const double p = at(1, row, column), q = at(2, row, column), u = at(0, row, column);
      const double x = h * static_cast<double>(column);
      const double slope = (at(0, row, column + 1) - at(0, row, column - 1)) / (2 * h);
      const double first = side(1, 1, 0) + side(1, -1, 0) + side(1, 0, 1) + side(1, 0, -1);
      const double second = k(column) * (side(2, 1, 0) + side(2, -1, 0)) + face(1) * side(2, 0, 1) +
                            face(-1) * side(2, 0, -1);
      worst = std::max({worst, std::abs(first - 3 * (p - q) + u),
                        std::abs(second + 3 * (p - q) - u * x + slope)});
      size = std::max(size, std::abs(u * x));
    }
  CHECK(size > 1);
  CHECK(worst < 1e-7);
}

TEST_CASE("a Helmholtz equation with a loss, as two fields, has its exact solution") {
  // (d2/dx2 + c) (p + i q) = 0 with c = 4 + i, and values of cos(s x) at both nodes, s^2 = c_h: the
  // discrete wave number has 2 (1 - cos(s h)) / h^2 = c
  const int n = 81;
  const double h = 0.05;
  const RunConfig run = test::config_run(
      "grid: {shape: [81], spacing: 0.05}\n"
      "equation: {let: {wave: {solve: {p: laplacian(p) + 4 * p - q, q: laplacian(q) + 4 * q + p}, "
      "equals: {p: 0, q: 0}}}, u: p}\n"
      "boundary: {left: {p: {value: 1, at: node}, q: {value: 0, at: node}, u: 0}, "
      "right: {p: {value: 0.5, at: node}, q: {value: 0.25, at: node}, u: 0}}\n"
      "initial: 0\ntime: {step: 0.1, steps: 0}\n" +
      wide);
  const Values state = copy_of_state(*test::started(run));
  using Complex = std::complex<double>;
  const Complex s = std::acos(1.0 - Complex(4, 1) * h * h / 2.0) / h;
  const double length = h * (n - 1);
  const Complex left(1, 0), right(0.5, 0.25);
  double worst = 0;
  for (int i = 0; i < n; ++i) {
    const double x = h * i;
    const Complex exact =
        (left * std::sin(s * (length - x)) + right * std::sin(s * x)) / std::sin(s * length);
    worst = std::max(
        {worst, std::abs(state[n + i] - exact.real()), std::abs(state[2 * n + i] - exact.imag())});
  }
  CHECK(worst < 1e-8);
}

TEST_CASE("equations that do not read each other have one solution, together or alone") {
  const auto stepped = [](const std::string& let, const std::string& engine) {
    return test::stepped<double>(
        test::config_run("grid: {shape: [15, 22], mask: {formula: x + y > 4}}\nfields: [u, p, q]\n"
                         "equation: {let: {" +
                         let +
                         "}, u: 'laplacian(u) + p - q'}\nboundary: {x: 0, y: insulated, mask: "
                         "insulated}\ninitial: {u: sin(x) + y}\n"
                         "time: {step: 0.05, steps: 4, scheme: heun}\n" +
                         wide),
        engine);
  };
  const Values alone = stepped(
      "p: {solve: laplacian(p) - p, equals: -u}, q: {solve: 'laplacian(q) - (2 + u^2) * q', "
      "equals: u - p}",
      "reference");
  const std::string together =
      "both: {solve: {p: laplacian(p) - p, q: 'laplacian(q) - (2 + u^2) * q + p'}, equals: {p: -u, "
      "q: u}}";
  const Values expected = stepped(together, "reference");
  CHECK(test::largest_difference(alone, expected) < 1e-7);
  for (const std::string engine : {"interpreted", "threaded", "blocked"})
    CHECK(stepped(together, engine) == expected);
}

TEST_CASE("a constant that another equation determines is found, with mean: removed too") {
  // p - q = -1 in the mean of the first equation, p = 1 in that of the second
  for (const std::string more : {"", ", mean: removed"})
    for (const std::string scheme : {"euler", "sdirk2"}) {
      CAPTURE(more);
      CAPTURE(scheme);
      const Values state = test::stepped<double>(test::config_run(
          "grid: {shape: [16]}\nequation: {let: {g: {solve: {p: laplacian(p) - p + q, q: "
          "laplacian(q) + p}, equals: {p: 1, q: 1}" +
          more +
          "}}, T: p}\nboundary: insulated\ninitial: {T: 0}\ntime: {step: 0.1, steps: 2, scheme: " +
          scheme + "}\n" + wide));
      for (int i = 0; i < 16; ++i) {
        CHECK(state[i] == doctest::Approx(0.2).epsilon(1e-8));
        CHECK(state[16 + i] == doctest::Approx(1).epsilon(1e-8));
        CHECK(state[32 + i] == doctest::Approx(2).epsilon(1e-8));
      }
    }
  const RunConfig mixed = test::config_run(
      "grid: {shape: [16]}\nequation: {let: {g: {solve: {p: laplacian(p) - p + q, q: laplacian(q) "
      "+ "
      "p}, equals: {p: x, q: 1}}}, T: p}\nboundary: {x: {p: 0, q: insulated, T: insulated}}\n"
      "initial: {T: 0}\ntime: {step: 0.1, steps: 0}\n" +
      wide);
  const Values state = copy_of_state(*test::started(mixed));
  double worst = 0;
  for (int i = 0; i < 16; ++i) {
    const auto p = [&](int at) { return at < 0 || at > 15 ? 0 : state[16 + at]; };
    const auto q = [&](int at) { return state[32 + std::clamp(at, 0, 15)]; };
    worst = std::max({worst, std::abs(p(i - 1) - 2 * p(i) + p(i + 1) - p(i) + q(i) - i),
                      std::abs(q(i - 1) - 2 * q(i) + q(i + 1) + p(i) - 1)});
  }
  CHECK(worst < 1e-7);
}

TEST_CASE("mistakes in fields that are solved for together") {
  const auto message = [](const std::string& group) {
    return test::text_thrown([&] {
      test::config_run("grid: {shape: [5, 6]}\nequation: {let: {both: " + group +
                       "}, u: p}\nboundary: {x: 0, y: insulated}\ninitial: {u: x}\n"
                       "time: {step: 0.1, steps: 1}\n");
    });
  };
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"{solve: {p: laplacian(p) - q, q: laplacian(q) - p}, equals: {p: u}}",
       "both: equals has no q (expected the fields of solve)"},
      {"{solve: {p: laplacian(p), q: laplacian(q)}, equals: u}", "both: equals has no p"},
      {"{solve: {}, equals: {}}", "both.solve: found no field (expected at least one)"},
      {"{solve: {p: laplacian(p)}, equals: {p: u, r: 1}}",
       "both: equals has r, but solve has not (expected the same fields)"},
      {"{solve: {p: laplacian(p), q: laplacian(q)}, equals: {p: u, q: p}}",
       "q.equals: reads p (expected it in solve alone)"},
      {"{solve: {p: laplacian(p), q: laplacian(p)}, equals: {p: u, q: u}}",
       "q.solve: does not read q, for which it is solved"},
      {"{solve: {p: laplacian(p), a: a, b: b, c: c, d: d}, equals: {p: u, a: u, b: u, c: u, d: u}}",
       "both: found 5 fields to solve for together (expected at most 4)"},
      {"{solve: {p: laplacian(p), s: laplacian(s) - s}, equals: {p: u, s: 0}}, s: {solve: "
       "laplacian(s), equals: 0}",
       "both: s has another equation in equation.let (expected one)"},
      {"{solve: {p: laplacian(p) + noise, q: laplacian(q)}, equals: {p: u, q: 0}}",
       "reads noise, which only rates have"},
  };
  for (const auto& row : rows) {
    const std::string &group = row.first, &expected = row.second;
    CAPTURE(group);
    CHECK_MESSAGE(test::has(message(group), expected), message(group));
  }
}
