// The discrete free energy with gradient_energy is what flows down its gradient dissipate; and
// where values at the face hold.
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "tests/formula_run.hpp"
#include "tests/test_field.hpp"

using namespace lapl;

namespace {

RunConfig flow(const std::string& rate) {
  RunConfig run = test::formula_run({12, 17}, {{"v", rate}});
  run.parameters["g"] = test::number_parameter(0.5);
  run.equation.quantities = {{"mu", "v^3 - v - g * laplacian(v)"}};
  run.boundaries = {Boundary::insulated, Boundary::periodic};
  run.spacing.by_axis = {1, 0.8, 1.25};
  run.scheme = {Scheme::rk4};
  return run;
}

std::vector<double> rough(const RunConfig& run) {
  return test::at_nodes(
      run, [](double x, double y) { return std::sin(1.7 * x + y) + 0.3 * std::cos(9 * x * y); });
}

// The sum over the cells; a cell's area is 1.
double total(const RunConfig& run, const std::string& formula, const std::vector<double>& v) {
  RunConfig of = run;
  of.scheme = {Scheme::euler};
  of.equation.quantities.clear();
  const std::vector<double> values = test::value_of_formula(of, formula, v);
  return std::reduce(values.begin(), values.end());
}
const std::string free_energy = "(v^2 - 1)^2 / 4 + g / 2 * gradient_energy(v)";

}  // namespace

TEST_CASE(
    "gradient_energy: the mean of both neighbours' squares, whose variation is the Laplacian") {
  const RunConfig run = flow("-mu");
  const std::vector<double> v = rough(run);
  CHECK(test::value_of_formula(test::formula_run({1, 3}, {}), "gradient_energy(v)", {1, 4, 9}) ==
        std::vector<double>{36.5, 17, 44.5});
  const std::string rate = "v - v^3 + g * laplacian(v)";
  for (const std::size_t cell : {0, 3, 16, 17, 100, 203}) {
    constexpr double change = 1e-4;
    std::vector<double> more = v, less = v;
    more[cell] += change;
    less[cell] -= change;
    const double slope =
        (total(run, free_energy, more) - total(run, free_energy, less)) / (2 * change);
    RunConfig of = run;
    of.equation.quantities.clear();
    CHECK(slope == doctest::Approx(-test::value_of_formula(of, rate, v)[cell]).epsilon(1e-6));
  }
}

TEST_CASE(
    "the energy of Allen-Cahn and Cahn-Hilliard never rises, and falls by what is dissipated") {
  const struct {
    const char* rate;
    const char* dissipation;
    double step;
  } rows[] = {
      {"-mu", "(v^3 - v - g * laplacian(v))^2", 0.1},
      {"laplacian(mu)", "gradient_energy(v^3 - v - g * laplacian(v))", 0.01},
  };
  for (const auto& row : rows) {
    CAPTURE(row.rate);
    RunConfig run = flow(row.rate);
    // The error of the trapezoidal rule over a fixed time.
    const auto error = [&](double step, int steps) {
      run.time_step = step;
      std::vector<double> v = test::formula_stepped(run, rough(run), 4 * steps);
      double dissipated = 0, first = total(run, free_energy, v), last = first;
      double rate = total(run, row.dissipation, v);
      for (int i = 0; i < steps; ++i) {
        v = test::formula_stepped(run, v, 1);
        const double now = total(run, free_energy, v), rate_now = total(run, row.dissipation, v);
        CHECK(now < last);
        dissipated += step * (rate + rate_now) / 2;
        last = now;
        rate = rate_now;
      }
      return std::abs(first - last - dissipated);
    };
    const double coarse = error(row.step, 8), fine = error(row.step / 2, 16);
    CHECK(std::log2(coarse / fine) == doctest::Approx(2).epsilon(0.1));
  }
}

TEST_CASE("a value at: face holds half a cell outside the last node, where a line passes it") {
  RunConfig run = test::formula_run({1, 8}, {{"u", "laplacian(u)"}});
  run.spacing = 0.5;
  run.time_step = 0.05;
  run.boundaries = {Boundary::insulated, Boundary::zero};
  for (const bool last : {false, true})
    run.conditions.push_back({.axis = 2,
                              .last = last,
                              .array = "",
                              .kind = ConditionKind::value_at_face,
                              .value = "3 * x + t",
                              .factor = "0"});
  // u = 3 x + t is no solution, but its rate at t = 0 is 0: the condition reads x at the face.
  const auto line = test::at_nodes(run, [](double x, double) { return 3 * x; });
  const auto after = test::formula_stepped(run, line, 1);
  CHECK(test::largest_difference(after, line) < 1e-14);
  for (SideCondition& condition : run.conditions) condition.value = condition.last ? "2" : "0";
  const auto steady = test::formula_stepped(run, line, 20'000);
  for (std::size_t i = 0; i < steady.size(); ++i)
    CHECK(steady[i] == doctest::Approx(2 * (double(i) + 0.5) / 8).epsilon(1e-12));
}
