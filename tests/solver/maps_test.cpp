// Fields whose next value a formula gives, and values that replace those after a step.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "kernels/engines.hpp"
#include "kernels/error.hpp"
#include "tests/formula_run.hpp"
#include "tests/kernels/random_problems.hpp"

using namespace lapl;

namespace {

std::vector<double> drawn_values(std::int64_t count) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(1.5 * std::sin(static_cast<double>(7 * i * i + 3)));
  return values;
}

RunConfig double_run(Shape shape, const NamedFormulas& rates) {
  RunConfig run = test::formula_run(shape, rates);
  run.precision = Precision::float64;
  return run;
}

}  // namespace

TEST_CASE("a map is the game of life on every engine of the CPU") {
  // The sum over the eight neighbours is that over corners and edges.
  const std::string around = "(d2_dx2(d2_dy2(w)) + 3 * laplacian(w) + 8 * w)";
  RunConfig run = double_run(
      {20, 31}, {{"w", "where(" + around + " == 3 or (w == 1 and " + around + " == 2), 1, 0)"}});
  run.equation.maps = {"w"};
  std::vector<double> state = drawn_values(run.shape.cells());
  for (double& value : state) value = value > 0.5 ? 1 : 0;
  std::vector<double> expected = state;
  for (int step = 0; step < 9; ++step) {
    const std::vector<double> before = expected;
    for (std::int64_t i = 0; i < run.shape.cells(); ++i) {
      double sum = 0;
      for (std::int64_t by = -1; by <= 1; ++by)
        for (std::int64_t to = -1; to <= 1; ++to)
          if (by != 0 || to != 0)
            sum += before[(i / 31 + by + 20) % 20 * 31 + (i % 31 + to + 31) % 31];
      expected[i] = sum == 3 || (before[i] == 1 && sum == 2) ? 1 : 0;
    }
  }
  CHECK(std::ranges::count(expected, 1) > 20);
  for (const EngineInfo& engine : engine_table)
    if (engine.backend == "cpu")
      CHECK_MESSAGE(test::formula_stepped(run, state, 9, std::string(engine.name)) == expected,
                    engine.name);
}

TEST_CASE("a map reads the state before the step, as the rates beside it do") {
  RunConfig run = double_run({1, 4}, {{"w", "w + 2 * u"}, {"u", "-w"}});
  run.equation.maps = {"w"};
  run.time_step = 0.25;
  const std::vector<double> state = {1, 2, 3, 4, 5, 6, 7, 8};
  CHECK(test::formula_stepped(run, state, 1) ==
        std::vector<double>{11, 14, 17, 20, 4.75, 5.5, 6.25, 7});
}

TEST_CASE("equation.after replaces the values after a step of every scheme") {
  for (const SchemeRow& row : name_table<Scheme>) {
    if (row.is_exponential() || row.value == Scheme::steady) continue;
    for (const bool by_error : {false, true}) {
      if (by_error && !row.estimates_error()) continue;
      CAPTURE(row.name);
      CAPTURE(by_error);
      RunConfig run = double_run({9, 12}, {{"u", "laplacian(u) + v - u^3"}, {"v", "u - v"}});
      run.scheme = {row.value, 5};
      if (by_error) run.scheme.tolerance = {1e-2, 1e-2};
      run.time_step = 0.125;
      const std::vector<double> state = drawn_values(2 * run.shape.cells());
      std::vector<double> expected = test::formula_stepped(run, state, 1);
      double changed = 0;
      for (std::int64_t i = 0; i < run.shape.cells(); ++i) {
        const double clamped = std::clamp(expected[i], -0.25, 0.5);
        changed += clamped != expected[i] ? 1 : 0;
        expected[i] = clamped;
      }
      CHECK(changed > 5);
      run.equation.after = {{"u", "clamp(u, -0.25, 0.5)"}};
      for (const char* const engine : {"reference", "threaded", "blocked"})
        CHECK_MESSAGE(test::formula_stepped(run, state, 1, engine) == expected, engine);
    }
  }
}

TEST_CASE("equation.after reads neighbours, parameters and the time after the step") {
  RunConfig run = double_run({1, 6}, {{"u", "1"}, {"v", "0"}});
  run.scheme = Scheme::rk4;
  run.parameters["a"] = test::formula_parameter("x");
  run.equation.after = {{"v", "a * t + d2_dx2(u)"}};
  run.time_step = 0.5;
  std::vector<double> state(12);
  state[2] = 1;
  const std::vector<double> after = test::formula_stepped(run, state, 2);
  CHECK(std::vector<double>(after.begin() + 6, after.end()) ==
        std::vector<double>{0, 2, 0, 4, 4, 5});
}

TEST_CASE("solved fields follow from the values that equation.after gives") {
  for (const Scheme scheme : {Scheme::euler, Scheme::bs23, Scheme::sdirk2}) {
    for (const bool by_error : {false, true}) {
      if (by_error && scheme == Scheme::euler) continue;
      CAPTURE(enum_name(scheme));
      CAPTURE(by_error);
      RunConfig run = double_run({8, 8}, {{"u", "-u"}, {"phi", "0"}});
      run.equation.rates.erase("phi");
      run.equation.solves = {{.field = "phi",
                              .name = "phi",
                              .left = "laplacian(phi) - phi",
                              .right = "u",
                              .tolerance = 1e-12}};
      run.equation.after = {{"u", "max(u, 0)"}};
      run.scheme = scheme;
      if (by_error) run.scheme.tolerance = {0.1, 0.1};
      run.time_step = 0.01;
      const std::vector<double> state = drawn_values(2 * run.shape.cells());
      const std::vector<double> after = test::formula_stepped(run, state, 1);
      const auto cells = static_cast<std::size_t>(run.shape.cells());
      CHECK(std::ranges::min(std::vector(after.begin(), after.begin() + 64)) == 0);
      double largest = 0;
      for (std::size_t i = 0; i < cells; ++i) {
        const auto phi = [&](std::size_t row, std::size_t column) {
          return after[cells + row % 8 * 8 + column % 8];
        };
        const std::size_t row = i / 8, column = i % 8;
        const double left = phi(row + 1, column) + phi(row + 7, column) + phi(row, column + 1) +
                            phi(row, column + 7) - 5 * phi(row, column);
        largest = std::max(largest, std::abs(left - after[i]));
      }
      CHECK(largest < 1e-10);
    }
  }
}

TEST_CASE("cells outside a mask, and nodes that a side holds, keep their values after a step") {
  RunConfig run = double_run({6, 8}, {{"w", "w + 1"}, {"u", "0"}});
  run.equation.maps = {"w"};
  run.equation.after = {{"u", "u + 2"}};
  run.boundaries.columns = Boundary::zero;
  run.conditions = {{.axis = 2, .kind = ConditionKind::value_at_node, .value = "7"},
                    {.axis = 2, .last = true, .kind = ConditionKind::value_at_node, .value = "t"}};
  run.mask.emplace();
  run.mask->kind = ParameterConfig::Kind::formula;
  run.mask->formula = "y > 1.5";
  const std::vector<double> after =
      test::formula_stepped(run, std::vector<double>(2 * run.shape.cells()), 3);
  for (std::size_t i = 0; i < after.size(); ++i) {
    const std::size_t row = i / 8 % 6, column = i % 8;
    const double free = i < 48 ? 3 : 6;
    CHECK(after[i] == (row < 2 ? 0 : column == 0 ? 7 : column == 7 ? 3 : free));
  }
}

TEST_CASE("operators in next and after read conditions and coefficients at faces as rates do") {
  const std::string divergence = "divergence(k * gradient(u))";
  RunConfig run = double_run({7, 9}, {{"u", divergence}});
  run.parameters["k"] = test::formula_parameter("1 + 0.3*x + 0.1*y");
  run.boundaries = {Boundary::periodic, Boundary::zero};
  run.conditions = {{.axis = 2, .kind = ConditionKind::derivative, .value = "1 + y"},
                    {.axis = 2, .last = true, .kind = ConditionKind::value_at_face, .value = "2"}};
  run.time_step = 0.125;
  const std::vector<double> state = drawn_values(run.shape.cells());
  const std::vector<double> expected = test::formula_stepped(run, state, 1);
  const auto check = [&](const RunConfig& other) {
    const std::vector<double> found = test::formula_stepped(other, state, 1);
    for (std::size_t i = 0; i < state.size(); ++i)
      CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-13));
  };
  RunConfig map = run;
  map.equation.rates["u"] = "u + dt * " + divergence;
  map.equation.maps = {"u"};
  check(map);
  RunConfig after = run;
  after.equation.rates["u"] = "0";
  after.equation.after = {{"u", "u + dt * " + divergence}};
  check(after);
}

TEST_CASE("noise in a next value is drawn anew at each step") {
  RunConfig run = double_run({16, 16}, {{"w", "noise"}});
  run.equation.maps = {"w"};
  const std::vector<double> state(run.shape.cells());
  const auto one = test::formula_stepped(run, state, 1), two = test::formula_stepped(run, state, 2);
  CHECK(std::set(one.begin(), one.end()).size() == 256);
  CHECK(one != two);
  CHECK(has_noise(make_system(run)));
}
