// advect: fluxes that keep the sum, of second order, with slopes that do not let the total
// variation grow.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include "io/config/config.hpp"
#include "io/readers/initial_source.hpp"
#include "tests/formula_run.hpp"
#include "tests/test_field.hpp"

using namespace lapl;

namespace {

std::vector<double> around(std::int64_t cells, const std::function<double(double)>& of) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < cells; ++i)
    values.push_back(
        of(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(cells)));
  return values;
}

double total_variation(const std::vector<double>& u) {
  double total = std::abs(u.front() - u.back());
  for (std::size_t i = 1; i < u.size(); ++i) total += std::abs(u[i] - u[i - 1]);
  return total;
}

// The mean error of a profile on a circle after one turn.
double error_of_turn(const std::string& rate, std::int64_t cells) {
  RunConfig run = test::formula_run({1, cells, 1, 1}, {{"u", rate}});
  run.scheme = Scheme::ssprk3;
  run.spacing = 1 / static_cast<double>(cells);
  run.time_step = 0.4 / static_cast<double>(cells);
  const auto start = around(cells, [](double x) { return std::exp(std::sin(x)); });
  const auto end = test::formula_stepped(run, start, cells * 5 / 2);
  double error = 0;
  for (std::size_t i = 0; i < start.size(); ++i) error += std::abs(end[i] - start[i]);
  return error / static_cast<double>(cells);
}

double sum_all(const std::vector<double>& values) {
  long double sum = 0;
  for (const double value : values) sum += value;
  return static_cast<double>(sum);
}

RunConfig transport_config(const std::string& text) {
  return parse_config(text + "output: {fields: [u]}\ncompute: {precision: float64}\n", "t.yaml",
                      ".", {})
      .run;
}

std::vector<double> transported(const RunConfig& run) {
  const CoefficientFields coefficients = load_coefficients(run);
  const auto backend =
      make_backend<double>("cpu", "blocked", make_problem<double>(Model(run), coefficients), 2);
  backend->settle();
  set_initial_state(*backend, run, coefficients, {});
  backend->advance(run.steps);
  return copy_of_state(*backend);
}

}  // namespace

TEST_CASE("advect: half of van Leer's slope makes the values at faces") {
  const RunConfig run = test::formula_run({1, 5, 1, 1}, {});
  // differences 1, 3, 2, 2 and -8; harmonic means 1.5, 2.4, 2, 0 and 0
  const std::vector<double> v = {0, 1, 4, 6, 8};
  const std::vector<double> right = {0, 1.75, 5.2, 7, 8}, left = {0, 0.25, 2.8, 5, 8};
  const auto forth = test::value_of_formula(run, "advect(2, v)", v);
  const auto back = test::value_of_formula(run, "advect(-2, 3 * v)", v);
  for (std::size_t i = 0; i < 5; ++i) {
    CAPTURE(i);
    CHECK(forth[i] == doctest::Approx(2 * (right[i] - right[(i + 4) % 5])));
    CHECK(back[i] == doctest::Approx(-6 * (left[(i + 1) % 5] - left[i])));
  }
}

TEST_CASE("advect: slopes neither overflow nor vanish for values near the ends of float32") {
  for (const float unit : {1e-37f, 1e-30f, 1.0f, 1e30f, 1e37f}) {
    CAPTURE(unit);
    RunConfig run = test::formula_run({1, 5, 1, 1}, {{"u", "advect(0.5, v)"}, {"v", "0"}});
    const auto after = test::formula_stepped<float>(
        run, {0, 0, 0, 0, 0, 0, unit, 4 * unit, 6 * unit, 8 * unit}, 1);
    CHECK(after[2] / unit == doctest::Approx(0.5 * (5.2 - 1.75)).epsilon(1e-5));
  }
}

TEST_CASE("advect is of second order in the mean and upwind of first") {
  const auto order = [](const std::string& rate, std::int64_t cells) {
    return std::log2(error_of_turn(rate, cells) / error_of_turn(rate, 2 * cells));
  };
  CHECK(order("-advect(1, u)", 160) > 1.85);
  CHECK(order("-advect(-1, u)", 160) > 1.85);
  CHECK(order("-upwind(1, u)", 160) < 1.05);
  CHECK(error_of_turn("-advect(1, u)", 160) < 0.03 * error_of_turn("-upwind(1, u)", 160));
}

TEST_CASE("advect is of second order where values flow in at a side") {
  const auto error = [](std::int64_t cells) {
    const double h = 1 / static_cast<double>(cells);
    RunConfig run = test::formula_run({1, cells, 1, 1}, {{"u", "-advect(1, u)"}});
    run.scheme = Scheme::ssprk3;
    run.spacing = h;
    run.time_step = 0.4 * h;
    run.boundaries = {Boundary::insulated, Boundary::zero};
    SideCondition condition{.axis = 2, .last = false};
    condition.kind = ConditionKind::value;
    condition.value = "sin(3 * (x - t))";
    run.conditions = {condition};
    condition.last = true;
    condition.kind = ConditionKind::derivative;
    condition.value = "0";
    run.conditions.push_back(condition);
    const std::int64_t steps = cells * 5 / 2;
    const auto found = test::formula_stepped(run, std::vector<double>(cells), steps);
    double sum = 0;
    for (std::int64_t i = 0; i < cells / 2; ++i)
      sum += std::abs(found[i] - std::sin(3 * (static_cast<double>(i) * h - 1)));
    return sum * h;
  };
  CHECK(std::log2(error(80) / error(160)) > 1.8);
}

TEST_CASE("advect never lets the total variation grow over 1000 steps") {
  const auto square = around(100, [](double x) { return std::abs(x - 3) < 1 ? 1 : 0; });
  const auto noise = around(100, [](double x) { return std::sin(99 * x * x); });
  for (const auto& start : {square, noise})
    for (const Scheme scheme : {Scheme::euler, Scheme::heun, Scheme::ssprk3})
      for (const std::string rate : {"-advect(1, u)", "-advect(-1, u)"}) {
        CAPTURE(rate);
        CAPTURE(std::string(enum_name(scheme)));
        RunConfig run = test::formula_run({1, 100, 1, 1}, {{"u", rate}});
        run.scheme = scheme;
        run.time_step = 0.5;
        const auto backend =
            make_backend<double>("cpu", "reference", make_problem<double>(Model(run), {}), 1);
        backend->set_state(start);
        std::vector<double> u = start;
        const auto [low, high] = std::ranges::minmax(start);
        double before = total_variation(u), most = 0;
        for (int step = 0; step < 1000; ++step) {
          backend->advance(1);
          u = copy_of_state(*backend);
          const double now = total_variation(u);
          most = std::max(most, now / before - 1);
          before = now;
        }
        CHECK(most <= 1e-14);
        CHECK(std::ranges::min(u) >= low - 1e-14);
        CHECK(std::ranges::max(u) <= high + 1e-14);
        CHECK(std::abs(sum_all(u) - sum_all(start)) < 1e-12);
      }
}

// Where fluxes are 1e6 times their differences, a face whose flux differs by a rounding between its
// two cells would change the sum a million times as much as the rounding of the rates.
TEST_CASE("advect: both cells of a face have the same flux to the bit") {
  const auto random = [](std::size_t count, double scale) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i)
      values.push_back(1e3 + scale * std::sin(1.7 * static_cast<double>(i * i % 1009)));
    return values;
  };
  for (const std::string speeds : {"v * w, w", "w / v, -2 * w", "3 * v * (w + 1), sin(v) - 2 * v",
                                   "d_dx(v * w) + 1e3, laplacian(w) * v + 1e6", "0.3, -0.7"})
    for (const std::string carried : {"u", "v * w", "7.3 * u * v", "u + 0.1 * laplacian(w * v)"}) {
      CAPTURE(speeds);
      CAPTURE(carried);
      RunConfig run = test::formula_run(
          {37, 41}, {{"u", "advect(" + speeds + ", " + carried + ")"}, {"v", "0"}, {"w", "0"}});
      run.spacing.by_axis = {1, 0.7, 1.3};
      const std::size_t cells = 37 * 41;
      std::vector<double> state(3 * cells);
      const auto some = random(2 * cells, 1e-6);
      std::ranges::copy(some, state.begin() + static_cast<std::ptrdiff_t>(cells));
      auto after = test::formula_stepped(run, state, 1);
      after.resize(cells);
      const double largest = test::largest_magnitude(after);
      CHECK(std::abs(sum_all(after)) <= 4e-16 * static_cast<double>(cells) * largest);
    }
}

TEST_CASE("advect keeps the sum where speeds are 0 at the sides, and at the boundary of a mask") {
  const std::string inside =
      "fields: [u]\nequation: {kind: formula, let: {cx: 16 - y, cy: x - 20}, "
      "u: '-advect(cx, cy, u)'}\ntime: {step: 0.008, steps: 800, scheme: heun}\n"
      "initial: {u: {kind: formula, formula: 'exp(-(x - 20)^2 / 9 - (y - 9)^2 / 9)'}}\n";
  const std::string still = "u: insulated, cx: {value: 0, at: face}, cy: {value: 0, at: face}";
  const std::string sides = "rows: {first: {" + still + "}, last: {" + still +
                            "}}, columns: {first: {" + still + "}, last: {" + still + "}}";
  for (const std::string& place :
       {"grid: {shape: [33, 41]}\nboundary: {" + sides + "}\n",
        "grid: {shape: [33, 41], mask: {formula: '(x - 20)^2 + (y - 16)^2 < 200'}}\n"
        "boundary: {rows: insulated, columns: insulated, mask: {" +
            still + "}}\n"}) {
    CAPTURE(place);
    RunConfig run = transport_config(place + inside);
    run.steps = 0;
    const double before = sum_all(transported(run));
    run.steps = 800;
    const std::vector<double> end = transported(run);
    CHECK(sum_all(end) == doctest::Approx(before).epsilon(1e-13));
    CHECK(std::ranges::min(end) >= 0);
    CHECK(std::ranges::max(end) > 0.4);
  }
}

TEST_CASE("advect: a blob turns once about the centre and keeps its place and sum") {
  const auto turned = [](const std::string& transport, std::int64_t steps) {
    return transported(transport_config(
        "grid: {shape: [64, 64]}\nfields: [u]\nequation: {kind: formula, u: '-" + transport +
        "(31.5 - y, x - 31.5, u)'}\nboundary: periodic\n"
        "initial: {u: {kind: formula, formula: 'exp(-((x - 31.5)^2 + (y - 18)^2) / 25)'}}\n"
        "time: {steps: " +
        std::to_string(steps) + ", step: 0.0062831853071795863, scheme: ssprk3}\n"));
  };
  const std::vector<double> before = turned("advect", 0), after = turned("advect", 1000);
  CHECK(sum_all(after) == doctest::Approx(sum_all(before)).epsilon(1e-13));
  CHECK(std::ranges::min(after) >= 0);
  const auto away = [&](const std::vector<double>& found) {
    double sum = 0;
    for (std::size_t i = 0; i < found.size(); ++i) sum += std::abs(found[i] - before[i]);
    return sum / sum_all(before);
  };
  CHECK(away(after) < 0.2);
  CHECK(away(turned("upwind", 1000)) > 1);
}
