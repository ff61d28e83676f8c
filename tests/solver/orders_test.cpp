// Orders in time, with every scheme and every condition at the faces. The solutions are exact on
// the grid, so that only the error in time is left.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>

#include "tests/formula_run.hpp"
#include "tests/test_field.hpp"

using namespace lapl;

namespace {

const char* usual_engine(TimeScheme scheme) {
  return table_row(scheme.kind).is_exponential() ? "spectral" : "interpreted";
}

// |u - exact| at t = 2 for du/dt = u cos(t), u(0) = 1, in `steps` steps.
double error_of_one_cell(TimeScheme scheme, int steps) {
  RunConfig run = test::formula_run({1, 1}, {{"u", "u * cos(t)"}});
  run.scheme = scheme;
  run.time_step = 2.0 / steps;
  return std::abs(test::formula_stepped<double>(run, {1}, steps, usual_engine(scheme))[0] -
                  std::exp(std::sin(2.0)));
}

// The solution u = q(x) e^sin(t) between faces at -r and 8 - r; the nodes lie 2 r apart.
struct Solution {
  std::string name, q, laplacian;  // of x, with the laplacian of the differences
  Boundary boundary = Boundary::periodic;
  std::optional<ConditionKind> kind = {};  // the condition at both faces
  std::string first = "0", last = "0", factor = "0";
};

// An eigenmode of the differences; the wave turns by 2 `half_turn` from node to node.
Solution mode(const char* name, Boundary boundary, const std::string& q,
              const std::string& half_turn) {
  return {name, q, fmt::format("(-(sin({}) / r)^2 * {})", half_turn, q), boundary};
}

const std::string bump = "(1 + (x + r) / 8 - ((x + r) / 8)^2)",
                  curve = "(1 + (x + r) / 8 + ((x + r) / 8)^2)", slope = "(1 / 8 + (x + r) / 32)";

const std::vector<Solution> steady = {
    mode("periodic", Boundary::periodic, "cos(pi * x / 4)", "pi * r / 4"),
    mode("value 0", Boundary::zero, "sin(pi * (x + 2 * r) / (8 + 2 * r))", "pi * r / (8 + 2 * r)"),
    mode("insulated", Boundary::insulated, "cos(pi * (x + r) / 8)", "pi * r / 8"),
    {"mixed", bump, "(-1 / 32)", Boundary::zero, ConditionKind::mixed, "0", "0",
     "1 / (8 - r^2 / 8)"}};

// The mean of a quadratic at the nodes beside a face is its value there plus r^2 / 2 q''.
const std::vector<Solution> moving_conditions = {
    {"value of t", curve, "1 / 32", Boundary::zero, ConditionKind::value, curve, curve},
    {"derivative of t", curve, "1 / 32", Boundary::zero, ConditionKind::derivative, "-" + slope,
     slope},
    {"mixed of t", curve, "1 / 32", Boundary::zero, ConditionKind::mixed,
     "(" + curve + " + r^2 / 64 - " + slope + ")", "(" + curve + " + r^2 / 64 + " + slope + ")",
     "1"}};

RunConfig make_run(const Solution& of, int cells, int steps, const NamedFormulas& rates) {
  RunConfig run = test::formula_run({1, cells, 1, 1}, rates);
  run.boundaries = {Boundary::periodic, of.boundary, Boundary::periodic};
  run.spacing = 8.0 / cells;
  run.parameters["r"] = test::number_parameter(4.0 / cells);
  run.time_step = 2.0 / steps;
  if (of.kind)
    for (const bool last : {false, true})
      run.conditions.push_back({.axis = 2,
                                .last = last,
                                .array = "u",
                                .kind = *of.kind,
                                .value = (last ? of.last : of.first) + " * exp(sin(t))",
                                .factor = of.factor});
  return run;
}

double largest_error(RunConfig run, const std::vector<double>& u, const std::string& q) {
  run.conditions.clear();
  auto exact = test::value_of_formula(run, q, std::vector<double>(u.size()));
  for (double& value : exact) value *= std::exp(std::sin(2.0));
  return test::largest_difference(u, exact);
}

double error(const Solution& of, TimeScheme scheme, int cells, int steps) {
  RunConfig run =
      make_run(of, cells, steps,
               {{"u", fmt::format("laplacian(u) + cos(t) * u - {} * exp(sin(t))", of.laplacian)}});
  RunConfig start = run;
  start.conditions.clear();
  const auto q = test::value_of_formula(start, of.q, std::vector<double>(cells));
  run.scheme = scheme;
  return largest_error(run, test::formula_stepped(run, q, steps, usual_engine(scheme), 1), of.q);
}

double order(double coarse, double fine, double ratio) {
  return std::log(coarse / fine) / std::log(ratio);
}

}  // namespace

TEST_CASE("schemes have their order, with rates that depend on time") {
  std::vector<TimeScheme> schemes;
  for (const SchemeRow& row : name_table<Scheme>)
    if (row.value != Scheme::rkl2 && !row.is_implicit()) schemes.push_back(row.value);
  for (const int stages : {2, 3, 8, 33, 128}) schemes.push_back({Scheme::rkl2, stages});
  for (const TimeScheme& scheme : schemes) {
    CAPTURE(std::string(enum_name(scheme.kind)));
    CAPTURE(scheme.stages.value_or(0));
    const double found = order(error_of_one_cell(scheme, 80), error_of_one_cell(scheme, 160), 2);
    CHECK(found == doctest::Approx(table_row(scheme.kind).order).epsilon(0.05));
  }
}

TEST_CASE("on one grid schemes have their order with every condition at the faces") {
  auto conditions = steady;
  conditions.insert(conditions.end(), moving_conditions.begin(), moving_conditions.end());
  for (const Solution& of : conditions)
    for (const SchemeRow& row : name_table<Scheme>) {
      if (row.is_implicit()) continue;  // implicit_test.cpp
      if (row.is_exponential() && of.kind == ConditionKind::mixed) continue;
      const TimeScheme scheme = {row.value, 10};
      const int steps = row.order > 3 ? 60 : 200;
      const double found = order(error(of, scheme, 8, steps), error(of, scheme, 8, 2 * steps), 2);
      CAPTURE(of.name);
      CAPTURE(std::string(row.name));
      CHECK(std::abs(found - row.order) < (row.is_exponential() ? 0.2 : 0.1));
    }
}

TEST_CASE("on finer grids a value that depends on time leaves the order 2, a derivative 2.5") {
  std::map<std::string, double> of_rk4;
  for (const Solution& of : moving_conditions)
    for (const SchemeRow& row : test::schemes_of_stages()) {
      const double coarse = error(of, row.value, 32, 128), fine = error(of, row.value, 64, 512);
      const double found = order(coarse, fine, 4);
      CAPTURE(of.name);
      CAPTURE(std::string(row.name));
      const bool reduces = row.order > 2;
      const double least = of.kind == ConditionKind::value ? 2 : 2.35;
      CHECK(found > (reduces ? least : row.order) - 0.05);
      if (reduces && of.kind == ConditionKind::value) CHECK(found < 2.1);
      if (row.value == Scheme::rk4) of_rk4[of.name] = coarse;
    }
  CHECK(of_rk4["value of t"] / of_rk4["derivative of t"] == doctest::Approx(65).epsilon(0.1));
}

TEST_CASE("leapfrog is of second order where the second field starts half a step later") {
  const auto error_of_two = [](const Solution& of, int steps) {
    // The wave equation: the second field, u, starts at dt/2, and v = du/dt at 0.
    RunConfig run =
        make_run(of, 8, steps,
                 {{"v", fmt::format("laplacian(u) + ((cos(t)^2 - sin(t)) * {} - {}) * exp(sin(t))",
                                    of.q, of.laplacian)},
                  {"u", "v"}});
    RunConfig start = run;
    start.conditions.clear();
    const double half = 1.0 / steps;
    const auto q = test::value_of_formula(start, of.q, std::vector<double>(8));
    std::vector<double> state(q);
    for (const double value : q) state.push_back(value * std::exp(std::sin(half)));
    run.scheme = Scheme::leapfrog;
    auto after = test::formula_stepped(run, state, steps, "interpreted", 1);
    after.erase(after.begin(), after.begin() + 8);
    for (double& value : after) value *= std::exp(std::sin(2.0) - std::sin(2 + half));
    return largest_error(run, after, of.q);
  };
  for (const auto& conditions : {steady, moving_conditions})
    for (const Solution& of : conditions) {
      CAPTURE(of.name);
      const double found = order(error_of_two(of, 200), error_of_two(of, 400), 2);
      CHECK(std::abs(found - 2) < 0.1);
    }
}
