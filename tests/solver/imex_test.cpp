// Scheme imex: reactions implicitly, all other terms explicitly.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cmath>
#include <functional>
#include <numbers>

#include "solver/equation/formula_system.hpp"
#include "solver/equation/reactions.hpp"
#include "solver/stable_step.hpp"
#include "tests/formula_run.hpp"
#include "tests/test_field.hpp"

using namespace lapl;

namespace {

const double gamma_of_imex = 1 - std::sqrt(0.5);

// One step of imex in a single cell with the rates f and their matrix of derivatives, by hand.
double step_by_hand(double u, double dt, const std::function<double(double)>& rate,
                    double derivative) {
  const double inverse = 1 / (1 - gamma_of_imex * dt * derivative);
  const double k = inverse * rate(u), y = u + gamma_of_imex * dt * k;
  return y + dt / (2 * gamma_of_imex) * inverse * (rate(y) - 2 * gamma_of_imex * k);
}

std::vector<double> stepped(RunConfig run, const std::vector<double>& state, int steps) {
  run.scheme = Scheme::imex;
  return test::formula_stepped(run, state, steps, "interpreted", 1);
}

RunConfig cell_with(const NamedFormulas& rates) {
  RunConfig run = test::formula_run({1, 1, 1, 1}, rates);
  run.boundaries = {Boundary::insulated, Boundary::insulated};
  return run;
}

}  // namespace

TEST_CASE("imex takes the derivative of every operation in its reactions") {
  std::vector<std::string> formulas = {"-u",          "3 - u",
                                       "u - 2 * u",   "u * u * 0.7",
                                       "2 / (u + 1)", "u / (2 + u)",
                                       "u^3",         "u^-2",
                                       "u^1",         "u^0.5",
                                       "1.5^u",       "u^u",
                                       "u < 0.9",     "where(u > 0.5, u^2, 7)"};
  for (const FormulaFunction& function : formula_functions) {
    if (function.kind != FormulaFunction::Kind::of_values) continue;
    CAPTURE(std::string(function.name));
    CHECK(has_derivatives(function.name));
    const std::string name(function.name);
    const int operands = table_row(function.operation).operands;
    if (operands == 1) formulas.push_back(name + "(u)");
    if (operands == 2) formulas.insert(formulas.end(), {name + "(u, 0.3)", name + "(0.3, u)"});
    if (operands == 3) formulas.push_back(name + "(u - 0.2, u^2, u)");
  }
  for (const std::string& formula : formulas) {
    CAPTURE(formula);
    RunConfig run = cell_with({{"u", formula}});
    run.time_step = 0.5;
    const double u = 0.8;
    const auto rate = [&](double at) {
      RunConfig none = test::formula_run({1, 1, 1, 1}, {});
      none.boundaries = {Boundary::insulated, Boundary::insulated};
      std::string in_v = formula;  // value_of_formula reads field v
      for (std::size_t i = 0; i < in_v.size(); ++i)
        if (in_v[i] == 'u' && (i == 0 || !std::isalpha(in_v[i - 1])) &&
            (i + 1 == in_v.size() || !std::isalpha(in_v[i + 1])))
          in_v[i] = 'v';
      return test::value_of_formula(none, in_v, {at}).front();
    };
    const double h = 1e-5, derivative = (rate(u + h) - rate(u - h)) / (2 * h);
    CHECK(stepped(run, {u}, 1).front() ==
          doctest::Approx(step_by_hand(u, 0.5, rate, derivative)).epsilon(1e-8));
  }
}

TEST_CASE("imex is stable and damps where a reaction decays at a rate of 1e8" *
          doctest::test_suite("moderate")) {
  RunConfig run = test::formula_run({1, 8, 1, 1}, {{"u", "0.1 * laplacian(u) - k * (u - 2)"}});
  run.parameters["k"] = test::number_parameter(1e8);
  const std::vector<double> start = {1, -5, 1e3, 0, 7, 2, 1, 3};
  for (const double step : {0.01, 1.0, 4.0}) {  // Heun's limit without the reaction is 5
    run.time_step = step;
    for (const double u : stepped(run, start, 1)) CHECK(std::abs(u - 2) < 1e-2);
    for (const double u : stepped(run, start, 20)) CHECK(std::abs(u - 2) < 1e-7);
  }
}

TEST_CASE("imex has order 2 for coupled reactions with transport") {
  const auto error = [](int steps) {
    RunConfig run = test::formula_run(
        {1, 16, 1, 1},
        {{"u", "0.3 * laplacian(u) + q - u + 0.1 * sin(t)"}, {"v", "0.2 * d_dx(v) - q + cos(t)"}});
    run.equation.quantities = {{"q", "u^2 * v"}};
    std::vector<double> start = test::at_nodes(run, [](double x, double) { return 1 + x / 16; });
    start.insert(start.end(), 16, 0.5);
    run.time_step = 2.0 / 4096;
    run.scheme = Scheme::rk4;
    const auto exact = test::formula_stepped(run, start, 4096, "interpreted", 1);
    run.time_step = 2.0 / steps;
    return test::largest_difference(stepped(run, start, steps), exact);
  };
  CHECK(std::log2(error(64) / error(128)) == doctest::Approx(2).epsilon(0.03));
}

TEST_CASE("imex keeps its order where stiff reactions contain t") {
  // u' = -k (u - cos t) - sin t is linear, so a step is SDIRK2's of the same gamma.
  const auto difference = [](int steps) {
    RunConfig run = cell_with({{"u", "-1e6 * (u - cos(t)) - sin(t)"}});
    run.time_step = 1.0 / steps;
    return std::abs(stepped(run, {1}, steps).front() - std::cos(1));
  };
  CHECK(difference(10) < 3.5e-8);
  CHECK(difference(80) < 4.4e-9);
  // Not linear, and the stiffness changes with t.
  const auto error = [](int steps) {
    RunConfig run = cell_with({{"u", "-k * (u^3 - (2 + sin(3 * t))^3) + 3 * cos(3 * t)"}});
    run.equation.quantities = {{"k", "1000 * (1.5 + cos(5 * t))"}};
    run.time_step = 2.0 / steps;
    return std::abs(stepped(run, {2}, steps).front() - 2 - std::sin(6));
  };
  MESSAGE("errors with k: ", error(50), " ", error(100), " ", error(200), " ", error(400));
  CHECK(error(100) < 2e-3);
  CHECK(error(100) / error(200) > 3.5);
  CHECK(error(200) / error(400) > 3.5);
}

TEST_CASE("the largest stable step of imex is that of the other terms") {
  RunConfig run = test::formula_run({1, 32, 1, 1}, {{"u", "0.5 * laplacian(u) - 1e6 * u^3"}});
  run.initials["u"].kind = InitialKind::uniform;
  run.time_step.reset();
  const auto steps = stable_step_finder(run, make_system(run), [] { return StateFields{}; });
  CHECK(*steps(Scheme::imex).largest == doctest::Approx(1).epsilon(0.02));
  CHECK(steps(Scheme::imex).estimated);
  CHECK(*steps(Scheme::heun).largest < 1e-6);
  run.scheme = Scheme::imex;
  const auto of_imex = stable_step_finder(run, make_system(run), [] { return StateFields{}; });
  CHECK(*of_imex(Scheme::imex).largest == *steps(Scheme::imex).largest);
  CHECK(*of_imex(Scheme::heun).largest == *steps(Scheme::heun).largest);
}

TEST_CASE("a chain of quantities that are read twice each costs what it has of them") {
  RunConfig run = test::formula_run({1, 16, 1, 1}, {{"u", "q60"}});
  run.equation.quantities = {{"q0", "laplacian(u) - u^3"}};
  for (int i = 1; i <= 60; ++i)
    run.equation.quantities.emplace_back(fmt::format("q{}", i),
                                         fmt::format("0.5*q{} + 0.5*q{}", i - 1, i - 1));
  const std::vector<double> start(16, 0.5);
  run.time_step = 0.01;
  const auto chained = stepped(run, start, 3);
  run = test::formula_run({1, 16, 1, 1}, {{"u", "laplacian(u) - u^3"}});
  run.time_step = 0.01;
  CHECK(test::largest_difference(stepped(run, start, 3), chained) < 1e-12);
}

TEST_CASE("terms are reactions if they have no operators") {
  const struct {
    const char *rate, *reactions, *others;
  } rows[] = {
      {"laplacian(u) - 2 * u + 0.5", "0.5 - 2 * u", "laplacian(u)"},
      {"-(u - laplacian(u)) * 3 / 4", "-0.75 * u", "0.75 * laplacian(u)"},
      {"2 * m - q", "-2 * u^2 - q", "2 * laplacian(u)"},
      {"u * laplacian(u) - v", "-v", "u * laplacian(u)"},
      {"exp(laplacian(u)) + exp(u)", "exp(u)", "exp(laplacian(u))"},
      {"x * (v - d_dx(v))", "x * v", "-x * d_dx(v)"},
      {"laplacian(u)", "0", "laplacian(u)"},
      {"1 - u / (1 + u)", "1 - u / (1 + u)", "0"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.rate);
    const auto values = [&](const std::vector<Formula>& rates) {
      RunConfig run = test::formula_run({5, 6}, {{"u", "0"}, {"v", "0"}});
      run.time_step = 1;
      FormulaSystem system = make_system(run);
      static const std::vector<Formula> quantities = {parse_formula("m", "laplacian(u) - u^2"),
                                                      parse_formula("q", "u * v")};
      system.quantities = quantities;
      system.rates = rates;
      const auto backend = make_backend<double>(
          "cpu", "reference", problem_with<double>(run, {}, step_stages(system, Scheme::euler, 1)),
          1);
      backend->set_state(test::random_field<double>({10, 6}));
      backend->advance(1);
      return copy_of_state(*backend);
    };
    RunConfig run = test::formula_run({5, 6}, {{"u", row.rate}, {"v", "0"}});
    run.equation.quantities = {{"m", "laplacian(u) - u^2"}, {"q", "u * v"}};
    const FormulaSystem system = make_system(run);
    const SplitSystem split(system);
    const Formula zero = parse_formula("v", "0");
    CHECK(test::largest_difference(values({split.others.rates[0], zero}),
                                   values({parse_formula("u", row.others), zero})) < 1e-14);
    CHECK(test::largest_difference(
              values({split.reactions[0].value_or(parse_formula("u", "0")), zero}),
              values({parse_formula("u", row.reactions), zero})) < 1e-14);
  }
}
