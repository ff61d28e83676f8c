// Equations in formulas compared with exact results: operators and boundary conditions.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "solver/outputs.hpp"
#include "tests/formula_run.hpp"
#include "tests/test_field.hpp"

using namespace lapl;

namespace {

using OfPosition = std::function<double(double x, double y)>;

// Largest error of an operator on v = sin(x + 2 y) cos(y) with D = 2 + cos(x), on n x n nodes of a
// periodic square of side 2 pi.
double operator_error(const std::string& formula, const OfPosition& exact, int n) {
  RunConfig run = test::formula_run({n, n}, {});
  run.spacing = 2 * std::numbers::pi / n;
  if (formula.find('D') != std::string::npos)
    run.parameters["D"] = test::formula_parameter("2 + cos(x)");
  const auto v =
      test::at_nodes(run, [](double x, double y) { return std::sin(x + 2 * y) * std::cos(y); });
  return test::largest_difference(test::value_of_formula(run, formula, v),
                                  test::at_nodes(run, exact));
}

SideCondition side_condition(int axis, bool last, ConditionKind kind, const std::string& value,
                             const std::string& factor = "0") {
  return {.axis = axis, .last = last, .array = "", .kind = kind, .value = value, .factor = factor};
}

}  // namespace

TEST_CASE("operators are exact on quadratics, away from the faces") {
  RunConfig run = test::formula_run({9, 11}, {});
  run.spacing = 0.5;
  run.parameters["D"] = test::formula_parameter("1 + 2 * x + 3 * y");
  const auto quadratic =
      test::at_nodes(run, [](double x, double y) { return 3 * x * x - y * y + x * y + 2 * x + 5; });
  const auto linear = test::at_nodes(run, [](double x, double y) { return 2 * x - 3 * y; });
  const auto dx = [](double x, double y) { return 6 * x + y + 2; };
  const auto dy = [](double x, double y) { return x - 2 * y; };
  const struct {
    const char* formula;
    const std::vector<double>& of;
    OfPosition exact;
  } rows[] = {
      {"laplacian(v)", quadratic, [](double, double) { return 4; }},
      {"d_dx(v)", quadratic, dx},
      {"d_dy(v)", quadratic, dy},
      {"d2_dx2(v)", quadratic, [](double, double) { return 6; }},
      {"d2_dy2(v)", quadratic, [](double, double) { return -2; }},
      {"d2_dxdy(v)", quadratic, [](double, double) { return 1; }},
      {"gradient_squared(v)", quadratic,
       [&](double x, double y) { return dx(x, y) * dx(x, y) + dy(x, y) * dy(x, y); }},
      {"divergence(D * gradient(v))", quadratic,
       [&](double x, double y) { return 2 * dx(x, y) + 3 * dy(x, y) + 4 * (1 + 2 * x + 3 * y); }},
      {"divergence(2 * gradient(v) * D)", quadratic,
       [&](double x, double y) {
         return 2 * (2 * dx(x, y) + 3 * dy(x, y) + 4 * (1 + 2 * x + 3 * y));
       }},
      {"upwind(x - 2, 1.5 - y, v)", linear,
       [](double x, double y) { return 2 * (x - 2) - 3 * (1.5 - y); }},
      {"upwind(-3, 4, 2 * v)", linear, [](double, double) { return 2 * (-6.0 - 12.0); }},
      {"laplacian(x^2 * v)", linear,
       [](double x, double y) { return 2 * (2 * x - 3 * y) + 8 * x; }},
  };
  for (const auto& row : rows) {
    CAPTURE(row.formula);
    const auto found = test::value_of_formula(run, row.formula, row.of);
    const auto exact = test::at_nodes(run, row.exact);
    for (std::int64_t j = 1; j < run.shape.rows - 1; ++j)
      for (std::int64_t i = 1; i < run.shape.columns - 1; ++i)
        CHECK(found[j * run.shape.columns + i] == exact[j * run.shape.columns + i]);
  }
}

TEST_CASE("operators are of second order in space, upwind of first") {
  const auto s = [](double x, double y) { return std::sin(x + 2 * y); };
  const auto c = [](double x, double y) { return std::cos(x + 2 * y); };
  const OfPosition value = [=](double x, double y) { return s(x, y) * std::cos(y); };
  const OfPosition dx = [=](double x, double y) { return c(x, y) * std::cos(y); };
  const OfPosition dy = [=](double x, double y) {
    return 2 * c(x, y) * std::cos(y) - s(x, y) * std::sin(y);
  };
  const OfPosition laplacian = [=](double x, double y) {
    return -6 * value(x, y) - 4 * c(x, y) * std::sin(y);
  };
  const struct {
    const char* formula;
    OfPosition exact;
    double order;
  } rows[] = {
      {"laplacian(v)", laplacian, 2},
      {"d_dx(v)", dx, 2},
      {"d_dy(v)", dy, 2},
      {"d2_dx2(v)", [=](double x, double y) { return -value(x, y); }, 2},
      {"d2_dxdy(v)", [=](double x, double y) { return -2 * value(x, y) - c(x, y) * std::sin(y); },
       2},
      {"gradient_squared(v)",
       [=](double x, double y) { return dx(x, y) * dx(x, y) + dy(x, y) * dy(x, y); }, 2},
      {"divergence(D * gradient(v))",
       [=](double x, double y) {
         return (2 + std::cos(x)) * laplacian(x, y) - std::sin(x) * dx(x, y);
       },
       2},
      {"laplacian(v^2)",
       [=](double x, double y) {
         return 2 * (value(x, y) * laplacian(x, y) + dx(x, y) * dx(x, y) + dy(x, y) * dy(x, y));
       },
       2},
      {"d_dx(d_dy(v))",
       [=](double x, double y) { return -2 * value(x, y) - c(x, y) * std::sin(y); }, 2},
      {"upwind(sin(x), 2, v)",
       [=](double x, double y) { return std::sin(x) * dx(x, y) + 2 * dy(x, y); }, 1},
  };
  for (const auto& row : rows) {
    CAPTURE(row.formula);
    const double coarse = operator_error(row.formula, row.exact, 64);
    const double fine = operator_error(row.formula, row.exact, 128);
    CAPTURE(coarse);
    CHECK(std::log2(coarse / fine) == doctest::Approx(row.order).epsilon(0.04));
  }
}

TEST_CASE("rkl2 needs a fifth of Euler's sweeps for the same time and no more error" *
          doctest::test_suite("slow")) {
  // An eigenmode of 512 cells, which decays as e^(-k t). On 160 cells or fewer, Euler has the
  // smaller error.
  const int n = 512, stages = 20;
  RunConfig run = test::formula_run({1, n, 1, 1}, {{"u", "laplacian(u)"}});
  const double wave = 2 * std::numbers::pi / n, k = 2 - 2 * std::cos(wave), euler_step = 0.5;
  const auto mode = test::at_nodes(run, [&](double x, double) { return std::cos(wave * x); });
  const auto error = [&](TimeScheme scheme, double step, std::int64_t steps) {
    run.scheme = scheme;
    run.time_step = step;
    const auto after = test::formula_stepped(run, mode, steps);
    const double exact = std::exp(-k * step * static_cast<double>(steps));
    double most = 0;
    for (std::size_t i = 0; i < after.size(); ++i)
      most = std::max(most, std::abs(after[i] - exact * mode[i]));
    return most;
  };
  // rkl2's largest step is 104.5 times Euler's; over 104, Euler takes 5.2 times as many sweeps.
  const double by_euler = error(Scheme::euler, euler_step, 64 * 104);
  const double by_rkl2 = error({Scheme::rkl2, stages}, 104 * euler_step, 64);
  CAPTURE(by_euler);
  CAPTURE(by_rkl2);
  CHECK(by_rkl2 < 0.15 * by_euler);
}

TEST_CASE("rkl2 keeps a constant field to the bit") {
  RunConfig run = test::formula_run({5, 6}, {{"u", "laplacian(u)"}});
  run.scheme = {Scheme::rkl2, 20};
  run.time_step = 20;
  const std::vector<float> state(30, 1.0f / 3);
  CHECK(test::formula_stepped(run, state, 50) == state);
}

TEST_CASE("faces: every condition keeps a solution that is linear along each axis, corners too") {
  // u = 1 + 2 x + 3 y + 4 x y + t / 2, with d2_dxdy(u) = 4 and laplacian(u) = 0.
  const std::string exact = "(1 + 2 * x + 3 * y + 4 * x * y + 0.5 * t)";
  const auto condition = [&](int axis, bool last, int kind) {
    const std::string slope =
        fmt::format("({}{})", last ? "" : "-", axis == 2 ? "(2 + 4 * y)" : "(3 + 4 * x)");
    switch (kind) {
      case 0: return side_condition(axis, last, ConditionKind::value, exact);
      case 1: return side_condition(axis, last, ConditionKind::derivative, slope);
      default:
        return side_condition(axis, last, ConditionKind::mixed, slope + " + (1 + k * x) * " + exact,
                              "1 + k * x");
    }
  };
  for (int combination = 0; combination < 81; ++combination)
    for (const Shape shape : {Shape{1, 1}, {2, 5}, {7, 3}}) {
      CAPTURE(combination);
      RunConfig run = test::formula_run(
          shape, {{"u", "laplacian(u) + d2_dxdy(u) + d_dx(u) - 2 - 4 * y - 3.5"}});
      run.boundaries = {};
      run.spacing = 0.5;
      run.parameters["k"] = test::number_parameter(0.25);
      run.time_step = 0.05;
      for (const Scheme scheme : {Scheme::euler, Scheme::heun}) {
        run.scheme = scheme;
        run.conditions = {
            condition(1, false, combination % 3), condition(1, true, combination / 3 % 3),
            condition(2, false, combination / 9 % 3), condition(2, true, combination / 27)};
        const auto solution = [&](double t) {
          return test::at_nodes(
              run, [&](double x, double y) { return 1 + 2 * x + 3 * y + 4 * x * y + 0.5 * t; });
        };
        for (const char* const engine : {"reference", "interpreted"})
          CHECK(test::largest_difference(test::formula_stepped(run, solution(0), 6, engine),
                                         solution(0.3)) < 1e-12);
      }
    }
}

TEST_CASE("faces: a derivative is exact on quadratics, and zero and insulated equal conditions") {
  RunConfig run = test::formula_run({4, 6}, {{"u", "laplacian(u)"}, {"v", "laplacian(v)"}});
  run.time_step = 0.1;
  run.conditions = {side_condition(2, false, ConditionKind::derivative, "1"),
                    side_condition(2, true, ConditionKind::derivative, "11")};
  // u = x^2: du/dx = 2 x is -1 at x = -1/2 and 11 at x = 5.5; u grows by 2 per unit of time.
  auto state = test::at_nodes(run, [](double x, double) { return x * x; });
  const std::vector<double> one = state;
  state.insert(state.end(), one.begin(), one.end());
  const auto after = test::formula_stepped(run, state, 3);
  for (std::size_t i = 0; i < after.size(); ++i)
    CHECK(after[i] == doctest::Approx(state[i] + 0.6).epsilon(1e-14));

  RunConfig words = run, conditions = run;
  words.conditions.clear();
  words.boundaries = {Boundary::periodic, Boundary::insulated};
  conditions.conditions = {side_condition(2, false, ConditionKind::derivative, "0"),
                           side_condition(2, true, ConditionKind::derivative, "0")};
  CHECK(test::formula_stepped(words, state, 9) == test::formula_stepped(conditions, state, 9));
  words.boundaries = {Boundary::periodic, Boundary::zero};
  conditions.conditions = {side_condition(2, false, ConditionKind::value, "0"),
                           side_condition(2, true, ConditionKind::value, "0")};
  CHECK(test::formula_stepped(words, state, 9) == test::formula_stepped(conditions, state, 9));
}

TEST_CASE("a condition of one field leaves the others to the axis, one of a quantity is its own") {
  RunConfig run = test::formula_run({1, 5}, {{"u", "laplacian(u)"}, {"v", "d_dx(w)"}});
  run.equation.quantities = {{"w", "3 * u"}};
  run.boundaries = {Boundary::periodic, Boundary::zero};
  run.conditions = {side_condition(2, false, ConditionKind::value, "100"),
                    side_condition(2, true, ConditionKind::value, "200")};
  run.conditions[0].array = "u";
  run.conditions[1].array = "w";
  const auto after = test::formula_stepped<double>(run, {1, 1, 1, 1, 1, 0, 0, 0, 0, 0}, 1);
  CHECK(after == std::vector<double>{100, 1, 1, 1, 0, 0, 0, 0, 0, (200.0 - 3) / 2});
}

TEST_CASE("fields read each other's old values, except in leapfrog") {
  RunConfig run = test::formula_run({1, 1}, {{"u", "v"}, {"v", "u"}});
  CHECK(test::formula_stepped<double>(run, {1, 10}, 1) == std::vector<double>{11, 11});
  run.scheme = Scheme::leapfrog;
  CHECK(test::formula_stepped<double>(run, {1, 10}, 1) == std::vector<double>{11, 21});
}

TEST_CASE("a constant has no slope, whatever it is made of") {
  const std::vector<std::string> operators = {"d_dx({})",
                                              "d_dy({})",
                                              "d2_dx2({})",
                                              "d2_dy2({})",
                                              "d2_dxdy({})",
                                              "laplacian({})",
                                              "gradient_squared({})",
                                              "upwind(v, -w, {})",
                                              "advect(0.3, -0.7, {})",
                                              "divergence(v * w * gradient({}))"};
  for (const std::string& of : operators)
    for (const char* const what : {"v", "v^2", "4.905 * v^2", "v * w", "v^2 * w / 3", "-v * w",
                                   "0.7 * v + v * w", "sin(v) * w", "(v + 2 * w) * (v - w)"})
      for (const double spacing : {1.0, 0.3}) {
        RunConfig run = test::formula_run(
            {4, 5}, {{"u", fmt::format(fmt::runtime(of), what)}, {"v", "0"}, {"w", "0"}});
        run.spacing = spacing;
        std::vector<float> state(60);
        std::fill(state.begin() + 20, state.begin() + 40, 1.2345678f);
        std::fill(state.begin() + 40, state.end(), 0.7654321f);
        CAPTURE(run.equation.rates["u"]);
        CHECK(test::formula_stepped<float>(run, state, 3) == state);
      }
}

TEST_CASE_TEMPLATE("a constant has no slope on any axes and spacings", T, float, double) {
  const std::vector<std::string> of_axes[] = {
      {"d_dx({})", "d2_dx2({})", "laplacian({})", "biharmonic({})", "gradient_squared({})",
       "divergence(gradient({}))", "divergence(v * gradient({}))"},
      {"d_dy({})", "d2_dy2({})", "d2_dxdy({})"},
      {"d_dz({})", "d2_dz2({})", "d2_dxdz({})", "d2_dydz({})"}};
  Spacing unequal;
  unequal.by_axis = {0.7, 0.3, 1.1};
  const Spacing spacings[] = {1.0, unequal};
  for (int axes = 1; axes <= 3; ++axes)
    for (const Spacing& spacing : spacings)
      for (int of = 0; of < axes; ++of)
        for (const std::string& text : of_axes[of])
          for (const char* const what : {"v", "4.905 * v^2", "v * w", "sin(v) * w"}) {
            RunConfig run = test::formula_run(
                {axes > 1 ? 3 : 1, 5, axes > 2 ? 4 : 1, axes},
                {{"u", fmt::format(fmt::runtime(text), what)}, {"v", "0"}, {"w", "0"}});
            run.boundaries = {Boundary::periodic, Boundary::periodic, Boundary::periodic};
            run.spacing = spacing;
            const auto cells = run.shape.cells();
            std::vector<T> state(static_cast<std::size_t>(3 * cells));
            std::fill(state.begin() + cells, state.begin() + 2 * cells, T(1.2345678901234567));
            std::fill(state.begin() + 2 * cells, state.end(), T(0.76543210987654321));
            CAPTURE(axes);
            CAPTURE(run.equation.rates["u"]);
            CHECK(test::formula_stepped<T>(run, state, 1) == state);
          }
}

TEST_CASE("an output equals its nested operators, with the conditions of its quantities") {
  RunConfig run = test::formula_run({9, 8}, {{"u", "0"}});
  run.boundaries.columns = Boundary::zero;
  run.equation.quantities = {{"q", "u + 0.5 * laplacian(u)"}};
  run.conditions = {side_condition(2, false, ConditionKind::value, "3"),
                    side_condition(2, true, ConditionKind::value, "2 * y")};
  for (SideCondition& condition : run.conditions) condition.array = "q";
  run.output_fields = {"twice", "more", "of_q"};
  run.derived = {{"twice", "laplacian(laplacian(u))", "1"},
                 {"more", "u + laplacian(u * laplacian(d_dx(u)))", "1"},
                 {"of_q", "q * d_dx(q) + laplacian(q)", "1"}};
  const auto state =
      test::at_nodes(run, [](double x, double y) { return std::sin(x * y) + 0.1 * x; });
  const Model model(run);
  const Problem<double> problem = make_problem<double>(model, {});
  const auto backend = make_backend<double>("cpu", "interpreted", problem, 1);
  backend->set_derived(planned_outputs(model, problem));
  backend->set_state(state);
  const auto capture = backend->capture(true);
  const auto captured = capture.wait();
  for (std::size_t i = 0; i < run.derived.size(); ++i) {
    CAPTURE(run.derived[i].formula);
    const std::vector<double> made(captured.derived[i].begin(), captured.derived[i].end());
    // A step of length 1 from 0 gives the rate.
    RunConfig as_rate = run;
    as_rate.fields = {"w", "u"};
    as_rate.equation.rates = {{"w", run.derived[i].formula}, {"u", "0"}};
    std::vector<double> both(state.size());
    both.insert(both.end(), state.begin(), state.end());
    both = test::formula_stepped(as_rate, both, 1);
    both.resize(state.size());
    CHECK(made == both);
  }
}
