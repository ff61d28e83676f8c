// Conditions that are far from linear in their own field: their flux is that of the solution, found
// here by bisection.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "io/readers/initial_source.hpp"
#include "solver/condition_watch.hpp"
#include "solver/equation/formula_system.hpp"
#include "tests/solver/config_run.hpp"
#include "tests/test_field.hpp"
#include "tests/text.hpp"

using namespace lapl;

namespace {

// w between a and b with f(w) = 0, where f has other signs at a and b.
double root(double a, double b, const std::function<double(double)>& f) {
  const bool rises = f(b) > 0;
  for (int i = 0; i < 200; ++i) {
    const double middle = (a + b) / 2;
    ((f(middle) > 0) == rises ? b : a) = middle;
  }
  return (a + b) / 2;
}

// The value at the face beside a node with the value `inside`, h = 1, after a step too short to
// change it.
double value_at_face(const std::string& condition, double inside) {
  const double step = 0x1p-10;
  const auto u = test::stepped<double>(test::config_run(
      fmt::format("grid: {{shape: [8]}}\nequation: {{u: laplacian(u)}}\nboundary: {{left: "
                  "insulated, right: {}}}\ninitial: {:.17g}\ntime: {{step: {}, steps: 1}}\n"
                  "compute: {{precision: float64}}\n",
                  condition, inside, step)));
  return inside + (u.back() - inside) / step / 2;
}

// The error of the flux, relative to it.
double error_of_flux(const std::string& condition, double inside,
                     const std::function<double(double)>& flux, double to) {
  const double face = root(inside, to, [&](double w) { return 2 * (w - inside) - flux(w); });
  return std::abs((value_at_face(condition, inside) - inside) / (face - inside) - 1);
}

}  // namespace

TEST_CASE("radiation has the flux of the solution, however far from linear") {
  // X = 2 e M^3 with h = k = 1: a wall of temperature T radiates to surroundings at U; M is larger.
  for (const double x : {0.1, 0.5, 2.0, 10.0, 34.0, 100.0})
    for (const auto& [inside, around] :
         {std::pair(300.0, 1500.0), std::pair(0.0, 1500.0), std::pair(1400.0, 1500.0),
          std::pair(1500.0, 300.0), std::pair(1500.0, 0.0), std::pair(1500.0, 1400.0)}) {
      CAPTURE(x);
      CAPTURE(inside);
      CAPTURE(around);
      const double e = x / 2 / std::pow(1500.0, 3), of_around = std::pow(around, 4);
      CHECK(error_of_flux(
                fmt::format("{{derivative: '-{:.17g} * (u^4 - {}^4)'}}", e, around), inside,
                [&](double w) { return -e * (std::pow(w, 4) - of_around); }, around) < 1e-3);
    }
}

TEST_CASE("other conditions have the flux of the solution") {
  const auto error = [](const std::string& derivative, double inside, double to, const auto& flux) {
    return error_of_flux("{derivative: '" + derivative + "'}", inside, flux, to);
  };
  for (const double k : {1.0, 10.0, 100.0}) {
    CAPTURE(k);
    const auto with = [&](const std::string& formula) {
      return fmt::format(fmt::runtime(formula), k);
    };
    // reactions at a wall, of order 2 and 1/2 and with saturation; the root is between 0 and inside
    CHECK(error(with("-{} * u^2"), 1, 0, [&](double w) { return -k * w * w; }) < 1e-2);
    CHECK(error(with("-{} * u / (0.1 + u)"), 1, 0, [&](double w) { return -k * w / (0.1 + w); }) <
          1e-2);
    // currents at an electrode, and heat lost to moving air
    for (const double to : {1.0, -2.0})
      CHECK(error(fmt::format("-{} * sinh(u - {})", k, to), 0, to,
                  [&](double w) { return -k * std::sinh(w - to); }) < 1e-2);
    for (const double inside : {0.2, 3.0})
      CHECK(error(with("-{} * (exp(u) - exp(1))"), inside, 1,
                  [&](double w) { return -k * (std::exp(w) - std::exp(1.0)); }) < 1e-2);
    CHECK(error_of_flux(
              fmt::format("{{mixed: {{value: 1, factor: {} * u^2}}}}", k), 2,
              [&](double w) { return 1 - k * w * w * w; }, 0) < 1e-2);
    CHECK(error_of_flux(
              fmt::format("{{mixed: {{value: {}, factor: {} * u^2}}}}", k, k), 0.1,
              [&](double w) { return k - k * w * w * w; }, 1) < 1e-2);
  }
  CHECK(error("-1 * sqrt(u)", 1, 0, [](double w) { return -std::sqrt(w); }) < 1e-2);
}

TEST_CASE("a wall heated from afar takes up the heat of the solution") {
  // X = 34. Two steps of Newton's method had the face at 7805 K at first and 337 K for the mean.
  const double h = 0.01, k = 0.1, c = 1e6, e = 5.1e-8, around = 1500, step = 100;
  const int nodes = 40, steps = 10;
  const auto found = test::stepped<double>(test::config_run(fmt::format(
      "grid: {{shape: [{}], spacing: {}}}\nparameters: {{k: {}, c: {}, e: {}}}\nequation: {{T: k / "
      "c * laplacian(T)}}\nboundary: {{left: insulated, right: {{derivative: -e * (T^4 - {}^4) / "
      "k}}}}\ninitial: 300\ntime: {{step: {}, steps: {}}}\ncompute: {{precision: float64}}\n",
      nodes, h, k, c, e, around, step, steps)));
  std::vector<double> T(nodes, 300.0);
  for (int n = 0; n < steps; ++n) {
    const double face = root(T.back(), around, [&](double w) {
      return 2 * (w - T.back()) / h + e * (std::pow(w, 4) - std::pow(around, 4)) / k;
    });
    std::vector<double> wide = T;
    wide.insert(wide.begin(), T.front());
    wide.push_back(2 * face - T.back());
    for (int i = 0; i < nodes; ++i)
      T[i] += step * k / c / (h * h) * (wide[i] - 2 * wide[i + 1] + wide[i + 2]);
  }
  CHECK(test::largest_difference(found, T) < 0.1);
}

TEST_CASE("conditions far from linear have the same bits on every engine" *
          doctest::test_suite("moderate")) {
  const auto check = [&]<class T>(const std::string& grid, const std::string& boundary) {
    const RunConfig run = test::config_run(fmt::format(
        "grid: {{{}}}\nequation: {{u: laplacian(u) + 0.1 * d2_dxdy(u)}}\nboundary: {{{}}}\ninitial:"
        " 0.1 + 0.5 * random\ntime: {{step: 0.05, steps: 7}}\ncompute: {{precision: {}}}\n",
        grid, boundary, sizeof(T) == 4 ? "float32" : "float64"));
    const auto expected = test::stepped<T>(run, "reference");
    for (const std::string engine : {"interpreted", "threaded", "blocked"}) {
      CAPTURE(engine);
      CAPTURE(grid);
      CHECK(test::largest_difference(test::stepped<T>(run, engine), expected) == 0);
    }
  };
  const std::string sides =
      "left: {derivative: -20 * (u^4 - 2)}, right: {value: 1 - 3 * u^3, at: face}, top: "
      "{derivative: -sqrt(u)}, bottom: insulated";
  check.operator()<double>("shape: [9, 150]", sides);
  check.operator()<float>("shape: [9, 150]", sides);
  check.operator()<double>("shape: [40, 200], mask: {formula: 'x < 130 or y > 20'}",
                           sides + ", mask: {derivative: 5 - 9 * u^4}");
}

TEST_CASE("a condition whose solution is not found is named") {
  const auto warning = [](const std::string& condition, double inside) {
    const RunConfig run = test::config_run(
        fmt::format("grid: {{shape: [4, 5]}}\nequation: {{u: laplacian(u)}}\nboundary: "
                    "{{left: insulated, right"
                    ": {}, y: insulated}}\ninitial: {}\ntime: {{step: 0.01, steps: 1}}\n",
                    condition, inside));
    return condition_warning(run, make_system(run), load_coefficients(run), {});
  };
  for (const double e : {0.01, 1.0, 100.0}) {
    CHECK(warning(fmt::format("{{derivative: -{} * (u^4 - 1)}}", e), 0.1) == "");
    CHECK(warning(fmt::format("{{derivative: -{} * (u^4 - 1)}}", e), 1) == "");
    CHECK(warning(fmt::format("{{derivative: -{} * u}}", e), 1) == "");
  }
  CHECK(warning("{value: 'max(u, 0)'}", 1) == "");
  CHECK(warning("{derivative: -1e9 * (u^4 - 1)}", 0.01) == "");
  CHECK(test::has(warning("{derivative: -1e12 * (u^4 - 1)}", 0),
                  "boundary.columns.last: no value of u that meets the condition was found beside "
                  "row 0, column 4, where it is 0,"));
  CHECK(warning("{derivative: -1000 * (exp(20 * u) - exp(20))}", 0) != "");
}
