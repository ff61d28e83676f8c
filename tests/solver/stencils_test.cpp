// Stencils with a choice of discretisation, against waves and against the nodes around each cell.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <random>
#include <string>

#include "tests/formula_run.hpp"
#include "tests/text.hpp"

using namespace lapl;

namespace {

RunConfig stencil_run(Shape shape, double h = 1) {
  RunConfig run = test::formula_run(shape, {});
  run.boundaries.planes = Boundary::periodic;
  run.precision = Precision::float64;
  run.spacing = h;
  return run;
}

// The factor by which an operator multiplies cos(k . x), at the node 0 in the middle.
double wave_factor(const std::string& formula, Shape shape, const std::array<double, 3>& k,
                   double h = 1) {
  std::vector<double> wave;
  const std::array<std::int64_t, 3> size = by_axis(shape);
  for (std::int64_t z = 0; z < size[0]; ++z)
    for (std::int64_t y = 0; y < size[1]; ++y)
      for (std::int64_t x = 0; x < size[2]; ++x) {
        const auto at = [&](std::int64_t i, int axis) {
          return k[axis] * h * static_cast<double>(i - size[axis] / 2);
        };
        wave.push_back(std::cos(at(z, 0) + at(y, 1) + at(x, 2)));
      }
  return test::value_of_formula(stencil_run(shape, h), formula, wave)[wave.size() / 2];
}

std::vector<double> random_field(std::size_t count) {
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> values(count);
  for (double& value : values) value = uniform(generator);
  return values;
}

}  // namespace

TEST_CASE("the error of the isotropic Laplacian has the same size in all directions") {
  const double k = 0.2;
  const double error_of_plain = k * k * k * k / 12;
  for (int turn = 0; turn < 12; ++turn) {
    const double angle = 2 * std::numbers::pi * turn / 12 + 0.1;
    for (const double h : {1.0, 0.5}) {
      const double along = k * std::cos(angle), up = k * std::sin(angle);
      const double expected = -k * k + h * h * error_of_plain;
      CHECK(std::abs(wave_factor("laplacian(v, isotropic)", {5, 5}, {0, up, along}, h) - expected) <
            std::pow(k, 6) / 100);
      for (const double tilt : {0.3, 0.8, 1.3}) {
        const std::array<double, 3> of_three = {k * std::sin(tilt), std::cos(tilt) * up,
                                                std::cos(tilt) * along};
        CHECK(std::abs(wave_factor("laplacian(v, isotropic)", {5, 5, 5, 3}, of_three, h) -
                       expected) < std::pow(k, 6) / 100);
      }
    }
  }
  // along a diagonal the five points have half of the error
  CHECK(wave_factor("laplacian(v)", {5, 5}, {0, k / std::sqrt(2), k / std::sqrt(2)}) + k * k ==
        doctest::Approx(error_of_plain / 2).epsilon(1e-2));
}

TEST_CASE("the isotropic Laplacian of a constant is 0, and its sum over a periodic grid too") {
  for (const Shape& shape : {Shape{7, 9}, Shape{4, 5, 6, 3}}) {
    const auto cells = static_cast<std::size_t>(shape.cells());
    for (const double value : test::value_of_formula(stencil_run(shape), "laplacian(v, isotropic)",
                                                     std::vector<double>(cells, 0.1)))
      CHECK(value == 0);
    const std::vector<double> found =
        test::value_of_formula(stencil_run(shape), "laplacian(v, isotropic)", random_field(cells));
    CHECK(std::abs(std::accumulate(found.begin(), found.end(), 0.0)) < 1e-12);
  }
}

TEST_CASE("the isotropic Laplacian reads corners beyond sides by the conditions of both sides") {
  const std::int64_t n = 6;
  const std::vector<double> field = random_field(n * n);
  for (const Boundary rows : {Boundary::zero, Boundary::insulated, Boundary::periodic}) {
    RunConfig run = stencil_run({n, n});
    run.boundaries = {rows, Boundary::zero};
    for (const bool last : {false, true}) {
      SideCondition side{.axis = 2, .last = last, .kind = ConditionKind::mixed, .value = "0.7"};
      side.factor = last ? "0.3" : "1";
      run.conditions.push_back(side);
    }
    const std::vector<double> found = test::value_of_formula(run, "laplacian(v, isotropic)", field);
    // columns first, then rows
    const auto at = [&](std::int64_t row, std::int64_t column) {
      if (rows == Boundary::periodic) row = (row + n) % n;
      const bool beyond = row < 0 || row >= n;
      if (beyond && rows == Boundary::zero) return 0.0;
      if (beyond) row = row < 0 ? 0 : n - 1;
      if (column >= 0 && column < n) return field[row * n + column];
      const double factor = column < 0 ? 1 : 0.3;
      return (0.7 + (1 - factor / 2) * field[row * n + (column < 0 ? 0 : n - 1)]) /
             (1 + factor / 2);
    };
    for (std::int64_t row = 0; row < n; ++row)
      for (std::int64_t column = 0; column < n; ++column) {
        double expected = -20 * at(row, column);
        for (int i = -1; i <= 1; ++i)
          for (int j = -1; j <= 1; ++j)
            if (i != 0 || j != 0) expected += (i == 0 || j == 0 ? 4 : 1) * at(row + i, column + j);
        CHECK(found[row * n + column] == doctest::Approx(expected / 6).epsilon(1e-12));
      }
  }
}

TEST_CASE("mistakes of the isotropic Laplacian") {
  const auto has = [](const RunConfig& run, const std::string& formula, const std::string& text) {
    CAPTURE(formula);
    CHECK(test::has(test::rate_mistake(run, formula), text));
  };
  has(stencil_run({1, 9, 1, 1}), "laplacian(v, isotropic)", "isotropic on a grid of one axis");
  RunConfig run = stencil_run({5, 5});
  run.spacing.by_axis[2] = 0.5;
  has(run, "laplacian(v, isotropic)",
      "isotropic where spacings differ: 1 x 0.5 (expected equal ones)");
  run = stencil_run({5, 5});
  CHECK(test::rate_mistake(run, "laplacian(v, isotropic)") == "");
  has(run, "laplacian(v, round)",
      "expected laplacian(e), laplacian(e, isotropic) or laplacian(e, 4)");
  has(run, "laplacian(v, isotropic, v)", "laplacian of 3 arguments");
  has(run, "d_dx(v, isotropic)", "d_dx of two arguments (expected d_dx(e) or d_dx(e, 4))");
}

TEST_CASE("operators of fourth order have it on periodic grids of one, two and three axes") {
  const auto order = [](const std::string& formula, const Shape& shape, double exact) {
    const double k = 0.8;
    const auto error = [&](double h) {
      const std::array<double, 3> wave = {k / 3, k / 2, k};
      return std::abs(wave_factor(formula, shape, wave, h) - exact);
    };
    return std::log2(error(1) / error(0.5));
  };
  const double k2 = 0.8 * 0.8;
  // the wave's middle node is far from the sides, where it does not fit
  CHECK(order("laplacian(v, 4)", {1, 11, 1, 1}, -k2) == doctest::Approx(4).epsilon(0.02));
  CHECK(order("laplacian(v, 4)", {11, 11}, -k2 * 1.25) == doctest::Approx(4).epsilon(0.02));
  CHECK(order("laplacian(v, 4)", {11, 11, 11, 3}, -k2 * (1.25 + 1 / 9.0)) ==
        doctest::Approx(4).epsilon(0.02));
  CHECK(order("d2_dy2(v, 4)", {11, 11}, -k2 / 4) == doctest::Approx(4).epsilon(0.02));
  CHECK(order("laplacian(v)", {11, 11}, -k2 * 1.25) == doctest::Approx(2).epsilon(0.02));
  CHECK(order("d_dx(d_dx(v, 4), 4)", {1, 15, 1, 1}, -k2) == doctest::Approx(4).epsilon(0.02));
}

TEST_CASE("an even solution keeps the fourth order at insulated sides") {
  const auto error = [](std::int64_t n) {
    RunConfig run = stencil_run({1, n, 1, 1}, 1 / static_cast<double>(n));
    run.boundaries.columns = Boundary::insulated;
    std::vector<double> wave;
    for (std::int64_t i = 0; i < n; ++i)
      wave.push_back(
          std::cos(2 * std::numbers::pi * (static_cast<double>(i) + 0.5) / static_cast<double>(n)));
    const std::vector<double> found = test::value_of_formula(run, "laplacian(v, 4)", wave);
    double largest = 0;
    for (std::size_t i = 0; i < wave.size(); ++i)
      largest = std::max(largest, std::abs(found[i] + 4 * std::pow(std::numbers::pi, 2) * wave[i]));
    return largest;
  };
  CHECK(std::log2(error(16) / error(32)) == doctest::Approx(4).epsilon(0.02));
}

TEST_CASE("operators of fourth order: spacings that differ, arguments with operators, mistakes") {
  RunConfig run = stencil_run({7, 8});
  run.spacing.by_axis[2] = 0.5;
  const std::vector<double> v = random_field(56);
  const auto of = [&](const std::string& formula) {
    return test::value_of_formula(run, formula, v);
  };
  const std::vector<double>
      fourth = of("laplacian(2 * v, 4)"),
      by_hand = of("2 * (d2_dx2(v - hx^2 / 12 * d2_dx2(v)) + d2_dy2(v - hy^2 / 12 * d2_dy2(v)))"),
      first = of("d_dx(v + laplacian(v), 4)"),
      first_by_hand = of("d_dx(v + laplacian(v) - hx^2 / 6 * d2_dx2(v + laplacian(v)))");
  for (std::size_t i = 0; i < v.size(); ++i) {
    CHECK(fourth[i] == doctest::Approx(by_hand[i]).epsilon(1e-11));
    CHECK(first[i] == doctest::Approx(first_by_hand[i]).epsilon(1e-11));
  }
  CHECK(test::has(test::rate_mistake(run, "laplacian(v, 2)"),
                  "expected laplacian(e), laplacian(e, isotropic) or laplacian(e, 4)"));
  CHECK(test::has(test::rate_mistake(run, "d_dx(v, 3)"), "expected d_dx(e) or d_dx(e, 4)"));
  CHECK(test::has(test::rate_mistake(run, "d2_dxdy(v, 4)"), "d2_dxdy of 2 arguments"));
}
