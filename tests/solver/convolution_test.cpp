// Convolutions over the grid, and shifts, in formulas.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "kernels/engines.hpp"
#include "kernels/error.hpp"
#include "tests/formula_run.hpp"

using namespace lapl;

namespace {

WindowConfig window_of_numbers(std::vector<double> weights, Shape shape) {
  WindowConfig window;
  window.weights = std::move(weights);
  window.shape = shape;
  return window;
}

std::vector<double> waves(std::int64_t count) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(std::cos(static_cast<double>(3 * i * i + i)));
  return values;
}

// A run whose only field becomes a formula.
RunConfig run_of_map(Shape shape, const std::string& formula) {
  RunConfig run = test::formula_run(shape, {{"u", formula}});
  run.precision = Precision::float64;
  run.equation.maps = {"u"};
  return run;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// The sum by definition, of a line that `at` continues beyond its ends.
template <class At>
std::vector<double> convolved_line(std::int64_t size, const std::vector<double>& weights,
                                   const At& at) {
  const std::int64_t reach = std::ssize(weights) / 2;
  std::vector<double> sums;
  for (std::int64_t i = 0; i < size; ++i) {
    double sum = 0;
    for (std::int64_t k = -reach; k <= reach; ++k) sum += weights[k + reach] * at(i - k);
    sums.push_back(sum);
  }
  return sums;
}

}  // namespace

TEST_CASE("a convolution continues a field beyond its sides as the condition says") {
  const std::vector<double> weights = {1, 2, 3, 5, 8, 13, 21}, u = waves(9);
  RunConfig run = run_of_map({1, 9, 1, 1}, "convolve(w, u)");
  run.spacing.by_axis = {0.5, 0.5, 0.5};
  run.kernels["w"] = window_of_numbers(weights, {1, 7});
  using Kind = ConditionKind;
  struct Case {
    const char* name;
    Boundary boundary;
    std::vector<SideCondition> conditions;
    double (*ghost)(double mirrored, double j);  // at both sides
  };
  const auto both = [](Kind kind, const char* value) {
    return std::vector<SideCondition>{{.axis = 2, .kind = kind, .value = value},
                                      {.axis = 2, .last = true, .kind = kind, .value = value}};
  };
  const std::vector<Case> cases = {
      {"zero", Boundary::zero, {}, [](double, double) { return 0.0; }},
      {"insulated", Boundary::insulated, {}, [](double mirrored, double) { return mirrored; }},
      {"value", Boundary::zero, both(Kind::value, "3"), [](double, double) { return 3.0; }},
      {"at face", Boundary::zero, both(Kind::value_at_face, "3"),
       [](double mirrored, double) { return 6 - mirrored; }},
      {"slope", Boundary::zero, both(Kind::derivative, "4"),
       [](double mirrored, double j) { return mirrored + 4 * 0.5 * (2 * j - 1); }}};
  for (const Case& of : cases) {
    CAPTURE(of.name);
    run.boundaries.columns = of.boundary;
    run.conditions = of.conditions;
    const auto at = [&](std::int64_t i) {
      return i < 0    ? of.ghost(u[-i - 1], static_cast<double>(-i))
             : i >= 9 ? of.ghost(u[17 - i], static_cast<double>(i - 8))
                      : u[i];
    };
    const std::vector<double> expected = convolved_line(9, weights, at);
    CHECK(largest_difference(test::formula_stepped(run, u, 1), expected) < 1e-12);
    for (SideCondition& condition : run.conditions)  // stages impose what reads numbers of the grid
      condition.value = condition.value.text() + " + 0*mean(u)";
    CHECK(largest_difference(test::formula_stepped(run, u, 1), expected) < 1e-12);
  }
  run.conditions.clear();
  run.boundaries.columns = Boundary::periodic;
  CHECK(largest_difference(
            test::formula_stepped(run, u, 1),
            convolved_line(9, weights, [&](std::int64_t i) { return u[(i + 18) % 9]; })) < 1e-12);
}

TEST_CASE("beyond a node that holds, a convolved field is mirrored about the node") {
  const std::vector<double> weights = {1, 2, 3, 5, 8};
  std::vector<double> u = waves(9);
  u[0] = u[8] = 0.5;
  RunConfig run = test::formula_run({1, 9, 1, 1}, {{"u", "0"}, {"v", "0"}});
  run.precision = Precision::float64;
  run.boundaries.columns = Boundary::zero;
  run.equation.rates["v"] = "convolve(w, u)";
  run.equation.maps = {"v"};
  run.kernels["w"] = window_of_numbers(weights, {1, 5});
  for (const bool last : {false, true})
    run.conditions.push_back({.axis = 2,
                              .last = last,
                              .array = "u",
                              .kind = ConditionKind::value_at_node,
                              .value = "0.5"});
  std::vector<double> state = u;
  state.resize(18);
  state = test::formula_stepped(run, state, 1);
  state.erase(state.begin(), state.begin() + 9);
  CHECK(largest_difference(state, convolved_line(9, weights, [&](std::int64_t i) {
                             return i < 0 ? 2 * u[0] - u[-i] : i > 8 ? 2 * u[8] - u[16 - i] : u[i];
                           })) < 1e-13);
}

TEST_CASE("conditions along a side that read fields continue a convolved field, on every engine") {
  // u has slope v at the last column and the value p + v at the first; rows are periodic.
  const std::int64_t rows = 7, columns = 8;
  RunConfig run = test::formula_run(
      {rows, columns}, {{"u", "convolve(w, u)"}, {"v", "0"}, {"s", "convolve(w, u^2) + u"}});
  run.precision = Precision::float64;
  run.equation.maps = {"u", "s"};
  run.boundaries.columns = Boundary::insulated;
  run.parameters["p"] = test::formula_parameter("cos(3*y)");
  run.kernels["w"] = window_of_numbers(waves(25), {5, 5});
  run.conditions = {
      {.axis = 2, .array = "u", .kind = ConditionKind::value_at_face, .value = "p + v"},
      {.axis = 2, .last = true, .array = "u", .kind = ConditionKind::derivative, .value = "v"}};
  const std::vector<double> state = waves(3 * rows * columns);
  const auto sums = [&](const std::function<double(std::int64_t, std::int64_t)>& at) {
    std::vector<double> made;
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      double sum = 0;
      for (std::int64_t k = 0; k < 25; ++k)
        sum += waves(25)[k] * at((i / columns - k / 5 + 2 + rows) % rows, i % columns - k % 5 + 2);
      made.push_back(sum);
    }
    return made;
  };
  const auto u = [&](std::int64_t i, std::int64_t j) { return state[i * columns + j]; };
  const auto v = [&](std::int64_t i, std::int64_t j) { return state[(rows + i) * columns + j]; };
  std::vector<double> expected = sums([&](std::int64_t i, std::int64_t j) {
    const double row = static_cast<double>(i);
    // At a face, v is that of the line through the two nodes inside, unless it crosses 0.
    const auto at_face = [&](double here, double before) {
      return (2 * here - before) * here > 0 ? here + 0.5 * (here - before) : here;
    };
    if (j < 0) return 2 * (std::cos(3 * row) + at_face(v(i, 0), v(i, 1))) - u(i, -1 - j);
    if (j >= columns)
      return u(i, 2 * columns - 1 - j) + static_cast<double>(2 * (j - columns) + 1) *
                                             at_face(v(i, columns - 1), v(i, columns - 2));
    return u(i, j);
  });
  std::vector<double> squares = sums([&](std::int64_t i, std::int64_t j) {
    return std::pow(u(i, j < 0 ? -1 - j : j >= columns ? 2 * columns - 1 - j : j), 2);
  });
  const std::vector<double> found = test::formula_stepped(run, state, 1, "reference");
  CHECK(largest_difference({found.begin(), found.begin() + rows * columns}, expected) < 1e-12);
  for (std::int64_t i = 0; i < rows * columns; ++i) squares[i] += state[i];
  CHECK(largest_difference({found.end() - rows * columns, found.end()}, squares) < 1e-12);
  for (const EngineInfo& engine : engine_table)
    if (engine.backend == "cpu")
      CHECK_MESSAGE(test::formula_stepped(run, state, 1, std::string(engine.name)) == found,
                    engine.name);
}

TEST_CASE("on an axis that is periodic for other fields, each convolved field has its own ends") {
  RunConfig run =
      test::formula_run({1, 9, 1, 1}, {{"u", "convolve(w, u)"}, {"v", "convolve(w, v)"}});
  run.precision = Precision::float64;
  run.equation.maps = {"u", "v"};
  run.kernels["w"] = window_of_numbers({1, 2, 3, 5, 8, 13, 21}, {1, 7});
  for (const bool last : {false, true}) {
    run.conditions.push_back({.axis = 2, .last = last, .array = "v", .value = "3"});
    run.conditions.push_back(
        {.axis = 2, .last = last, .array = "u", .kind = ConditionKind::periodic});
  }
  const std::vector<double> state = waves(18), v(state.begin() + 9, state.end());
  const std::vector<double> found = test::formula_stepped(run, state, 1);
  RunConfig alone = run_of_map({1, 9, 1, 1}, "convolve(w, u)");
  alone.kernels = run.kernels;
  std::vector<double> expected =
      test::formula_stepped(alone, std::vector<double>(state.begin(), state.begin() + 9), 1);
  alone.boundaries.columns = Boundary::zero;
  for (const bool last : {false, true})
    alone.conditions.push_back({.axis = 2, .last = last, .value = "3"});
  const std::vector<double> of_v = test::formula_stepped(alone, v, 1);
  expected.insert(expected.end(), of_v.begin(), of_v.end());
  CHECK(largest_difference(found, expected) < 1e-12);
}

TEST_CASE("by transforms, a convolution has the values of the sum, and the same bits everywhere") {
  struct Case {
    Shape shape, window;
    Boundary boundary;
  };
  for (const Case& of :
       {Case{{1, 50, 1, 1}, {1, 21}, Boundary::zero}, Case{{60, 45}, {31, 17}, Boundary::insulated},
        Case{{12, 18, 10, 3}, {7, 9, 5, 3}, Boundary::periodic},
        Case{{12, 18, 10, 3}, {7, 9, 5, 3}, Boundary::insulated},
        Case{{6, 8, 5, 3}, {3, 3, 1, 3}, Boundary::insulated}}) {
    RunConfig run = run_of_map(of.shape, "convolve(w, u)");
    run.boundaries = {of.boundary, of.boundary, of.boundary};
    run.kernels["w"] = window_of_numbers(waves(of.window.cells()), of.window);
    const std::vector<double> u = waves(of.shape.cells());
    const std::vector<double> sums = test::formula_stepped(run, u, 1);
    run.kernels["w"].by_fft = true;
    const std::vector<double> found = test::formula_stepped(run, u, 1, "reference", 1);
    const double largest =
        std::abs(*std::ranges::max_element(sums, {}, [](double value) { return std::abs(value); }));
    CHECK(largest_difference(found, sums) < 1e-13 * largest);
    CHECK(found != sums);
    for (const EngineInfo& engine : engine_table)
      if (engine.backend == "cpu")
        CHECK(test::formula_stepped(run, u, 1, std::string(engine.name), 3) == found);
  }
}

TEST_CASE("convolutions on two and three axes are sums over the window, on every engine") {
  const std::array<std::int64_t, 3> size = {5, 6, 7};
  RunConfig run = run_of_map({6, 7, 5, 3}, "2 * convolve(w, u + x) + convolve(w, convolve(w, u))");
  run.boundaries = {Boundary::periodic, Boundary::periodic, Boundary::periodic};
  const std::vector<double> weights = waves(3 * 5 * 3);
  run.kernels["w"] = window_of_numbers(weights, {5, 3, 3, 3});
  const std::vector<double> u = waves(run.shape.cells());
  const auto convolved = [&](const std::vector<double>& of) {
    std::vector<double> sums(of.size());
    for (std::int64_t i = 0; i < run.shape.cells(); ++i)
      for (std::int64_t k = 0; k < std::ssize(weights); ++k) {
        const std::array by = {k / 15 - 1, k / 3 % 5 - 2, k % 3 - 1};
        const std::array at = {i / 42, i / 7 % 6, i % 7};
        std::int64_t from = 0;
        for (std::size_t axis = 0; axis < 3; ++axis)
          from = from * size[axis] + (at[axis] - by[axis] + 2 * size[axis]) % size[axis];
        sums[i] += weights[k] * of[from];
      }
    return sums;
  };
  std::vector<double> with_x = u, expected;
  for (std::size_t i = 0; i < u.size(); ++i) with_x[i] += static_cast<double>(i % 7);
  const std::vector<double> one = convolved(with_x), two = convolved(convolved(u));
  for (std::size_t i = 0; i < u.size(); ++i) expected.push_back(2 * one[i] + two[i]);
  const std::vector<double> found = test::formula_stepped(run, u, 1, "reference");
  CHECK(largest_difference(found, expected) < 1e-12);
  for (const EngineInfo& engine : engine_table)
    if (engine.backend == "cpu")
      CHECK_MESSAGE(test::formula_stepped(run, u, 1, std::string(engine.name)) == found,
                    engine.name);
}

TEST_CASE("a convolution is evaluated at every stage of a step, as a matrix is") {
  // u' = K u has the solution exp(K t) u, and rk4 its first five terms.
  const std::vector<double> weights = {0.3, -1, 0.2, 0.4, 0.1};
  RunConfig run = test::formula_run({1, 12, 1, 1}, {{"u", "convolve(w, u)"}});
  run.precision = Precision::float64;
  run.kernels["w"] = window_of_numbers(weights, {1, 5});
  run.scheme = Scheme::rk4;
  run.time_step = 0.5;
  const std::vector<double> u = waves(12);
  std::vector<double> term = u, expected = u;
  for (int order = 1; order <= 4; ++order) {
    const std::vector<double> before = term;
    term = convolved_line(12, weights, [&](std::int64_t i) { return before[(i + 24) % 12]; });
    for (std::size_t i = 0; i < term.size(); ++i) expected[i] += term[i] *= 0.5 / order;
  }
  CHECK(largest_difference(test::formula_stepped(run, u, 1), expected) < 1e-14);
  run.scheme = Scheme::bs23;
  run.scheme.tolerance = {1e-3, 1e-3};
  CHECK(test::formula_stepped(run, u, 3, "threaded") ==
        test::formula_stepped(run, u, 3, "reference"));
}

TEST_CASE("a shift reads the value so many cells further, to the bit") {
  const std::int64_t rows = 40, columns = 70;
  for (const auto& [dx, dy] : {std::array{1, -1}, {0, 0}, {5, 0}, {-32, 7}, {3, 32}}) {
    CAPTURE(dx);
    CAPTURE(dy);
    RunConfig run = run_of_map({rows, columns},
                               fmt::format("shift(u, {}, {}) * shift(u^2, dx, {})", dx, dy, dy));
    run.parameters["dx"] = test::number_parameter(dx);
    const std::vector<double> u = waves(run.shape.cells());
    std::vector<double> expected;
    for (std::int64_t i = 0; i < run.shape.cells(); ++i) {
      const double value =
          u[(i / columns + dy + rows) % rows * columns + (i % columns + dx + columns) % columns];
      expected.push_back(value * (value * value));
    }
    for (const char* const engine : {"reference", "blocked"})
      CHECK(test::formula_stepped(run, u, 1, engine) == expected);
  }
}

TEST_CASE("a shift moves what is not finite, and spreads it nowhere") {
  RunConfig run = run_of_map({6, 7, 5, 3}, "shift(u, 2, -3, 2)");
  run.boundaries = {Boundary::periodic, Boundary::periodic, Boundary::periodic};
  std::vector<double> u = waves(run.shape.cells());
  u[3 * 42 + 4 * 7 + 5] = std::numeric_limits<double>::infinity();
  std::vector<double> expected(u.size());
  for (std::int64_t i = 0; i < run.shape.cells(); ++i)
    expected[i] = u[(i / 42 + 2) % 5 * 42 + (i / 7 % 6 + 3) % 6 * 7 + (i % 7 + 2) % 7];
  CHECK(test::formula_stepped(run, u, 1) == expected);
}

TEST_CASE("leapfrog reads the time at which a convolved field is new") {
  RunConfig run = test::formula_run({1, 8, 1, 1}, {{"u", "v"}, {"v", "convolve(w, u) + cos(t)"}});
  run.precision = Precision::float64;
  run.scheme = Scheme::leapfrog;
  run.time_step = 0.25;
  run.kernels["w"] = window_of_numbers({0, 1, 0}, {1, 3});
  RunConfig plain = run;
  plain.equation.rates["v"] = "u + cos(t)";
  const std::vector<double> state = waves(16);
  CHECK(test::formula_stepped(run, state, 3) == test::formula_stepped(plain, state, 3));
}

TEST_CASE("the cells of a window outside a mask count as 0") {
  RunConfig run = run_of_map({1, 8, 1, 1}, "convolve(w, u) / convolve(w, 1 + 0*u)");
  run.kernels["w"] = window_of_numbers({1, 1, 1, 1, 1}, {1, 5});
  run.mask.emplace();
  run.mask->kind = ParameterConfig::Kind::formula;
  run.mask->formula = "x < 2.5 or x > 4.5";
  const std::vector<double> after =
      test::formula_stepped(run, std::vector<double>{1, 2, 3, 0, 0, 6, 7, 8}, 1);
  // Periodic: the window of cell 0 has the cells 6, 7, 0, 1, 2.
  CHECK(after ==
        std::vector<double>{21.0 / 5, 14.0 / 4, 6.0 / 3, 0, 0, 21.0 / 3, 22.0 / 4, 24.0 / 5});
}

TEST_CASE("the equation of a field whose coefficient is convolved changes with the field") {
  RunConfig run = test::formula_run({8, 9}, {{"u", "p"}, {"p", "0"}});
  run.precision = Precision::float64;
  run.equation.rates.erase("p");
  run.kernels["w"] = window_of_numbers({0.1, 0.3, 0.2}, {1, 3});
  run.equation.solves = {{.field = "p",
                          .name = "p",
                          .left = "laplacian(p) - (1 + convolve(w, u))*p",
                          .right = "u",
                          .tolerance = 1e-10}};
  run.scheme = Scheme::heun;
  run.time_step = 0.1;
  const std::vector<double> after = test::formula_stepped(run, waves(2 * 72), 3);
  double largest = 0;
  const auto at = [&](int array, std::int64_t row, std::int64_t column) {
    return after[array * 72 + (row + 8) % 8 * 9 + (column + 9) % 9];
  };
  for (std::int64_t i = 0; i < 8; ++i)
    for (std::int64_t j = 0; j < 9; ++j) {
      const double convolved = 0.1 * at(0, i, j + 1) + 0.3 * at(0, i, j) + 0.2 * at(0, i, j - 1);
      const double left = at(1, i - 1, j) + at(1, i + 1, j) + at(1, i, j - 1) + at(1, i, j + 1) -
                          (5 + convolved) * at(1, i, j);
      largest = std::max(largest, std::abs(left - at(0, i, j)));
    }
  CHECK(largest < 1e-8);
}

TEST_CASE("windows by name have the weights of their definitions") {
  const RunConfig run = run_of_map({40, 40}, "u");
  WindowConfig window;
  window.kind = WindowKind::disc;
  window.radius = 1;
  window.edge = 0;
  CHECK(convolution_window(window, run).weights ==
        std::vector<double>{0, 0.2, 0, 0.2, 0.2, 0.2, 0, 0.2, 0});
  window.kind = WindowKind::ring;
  window.inner = 0.5;
  CHECK(convolution_window(window, run).weights ==
        std::vector<double>{0, 0.25, 0, 0.25, 0, 0.25, 0, 0.25, 0});
  window.kind = WindowKind::formula;
  window.formula = "x + 10*y";
  window.size = {3, 1};
  CHECK(convolution_window(window, run).weights == std::vector<double>{-10, 0, 10});
  window.kind = WindowKind::box;
  CHECK(convolution_window(window, run).weights == std::vector<double>(3, 1.0 / 3));
  window.size = {4};
  CHECK_THROWS_WITH_AS(convolution_window(window, run),
                       "found a window of 4 cells along an axis (expected an odd number of at most "
                       "127 on a grid of 2 axes)",
                       ConfigError);
}
