// grid.coordinates: operators and integrals of cylinders and spheres against exact solutions.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/solver/config_run.hpp"
#include "tests/solver/gallery_run.hpp"
#include "tests/text.hpp"

using namespace lapl;
using test::GalleryRun;
using test::Values;

namespace {

constexpr double half_turn = std::numbers::pi;

std::string radial_config(std::int64_t n, const std::string& coordinates, const std::string& rest) {
  return fmt::format("grid: {{shape: [{}], size: 1, coordinates: {}}}\n{}", n, coordinates, rest) +
         "compute: {precision: float64}\n";
}

double largest_difference(const std::vector<double>& found, double h,
                          const std::function<double(double)>& exact) {
  double most = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    most = std::max(most, std::abs(found[i] - exact((static_cast<double>(i) + 0.5) * h)));
  return most;
}

}  // namespace

TEST_CASE(
    "coordinates: heat of a cylinder and of a ball decays as Bessel functions, with order 2") {
  const double j = 2.404825557695773;  // the first zero of J0
  const auto error = [&](std::int64_t n, bool ball) {
    const double rate = ball ? half_turn * half_turn : j * j;
    const RunConfig run = test::config_run(
        radial_config(n, ball ? "spherical" : "cylindrical",
                      "equation: {u: laplacian(u)}\nboundary: {right: {value: 0, at: face}}\n"
                      "initial: {u: 0}\ntime: {step: 0.0001, steps: 1000, scheme: rk4}\n"));
    std::vector<double> state;
    const auto shape = [&](double r) {
      return ball ? std::sin(half_turn * r) / r : std::cyl_bessel_j(0, j * r);
    };
    const double h = 1 / static_cast<double>(n);
    for (std::int64_t i = 0; i < n; ++i) state.push_back(shape((static_cast<double>(i) + 0.5) * h));
    const auto found = test::formula_stepped(run, state, run.steps);
    return largest_difference(found, h, [&](double r) { return shape(r) * std::exp(-rate * 0.1); });
  };
  for (const bool ball : {false, true}) {
    CAPTURE(ball);
    const double coarse = error(20, ball), fine = error(40, ball);
    CHECK(fine < 2e-3);
    CHECK(std::log2(coarse / fine) > 1.9);
  }
}

TEST_CASE("coordinates: laplacian, divergence and advect of r^2 are exact") {
  for (const auto& [name, n] : {std::pair("cylindrical", 1), {"spherical", 2}}) {
    CAPTURE(name);
    const RunConfig run = test::config_run(
        radial_config(8, name,
                      "equation: {u: laplacian(v), v: 0, w: \"divergence((2 + 0 * v) * "
                      "gradient(v))\", e: \"advect(x, 1 + 0 * v)\"}\n"
                      "boundary: {left: insulated, right: {derivative: 2}}\n"
                      "initial: {u: 0, v: x^2, w: 0, e: 0}\ntime: {step: 1, steps: 1}\n"));
    const auto state = test::stepped<double>(run);
    for (std::size_t i = 0; i < 7; ++i) {
      CHECK(state[i] == doctest::Approx(2.0 * (n + 1)));
      CHECK(state[16 + i] == doctest::Approx(4.0 * (n + 1)));
      CHECK(state[24 + i] == doctest::Approx(n + 1.0));  // div of r
    }
  }
}

TEST_CASE("coordinates: a pipe of two axes, with z along the rows") {
  const RunConfig run = test::config_run(
      "grid: {shape: [6, 8], spacing: [0.5, 0.125], coordinates: cylindrical}\n"
      "equation: {u: laplacian(v), v: 0}\nboundary: insulated\n"
      "initial: {u: 0, v: x^2 + y^2}\ntime: {step: 1, steps: 1}\ncompute: {precision: float64}\n");
  const auto state = test::stepped<double>(run);
  for (std::size_t row = 1; row < 5; ++row)
    for (std::size_t column = 0; column < 7; ++column)
      CHECK(state[8 * row + column] == doctest::Approx(6));
}

TEST_CASE("coordinates: integrals and means are those of the volume, and heat in it stays") {
  for (const auto& [name, volume, mean] :
       {std::tuple("cylindrical", half_turn, 0.5), {"spherical", 4 * half_turn / 3, 0.6}}) {
    CAPTURE(name);
    const RunConfig run = test::config_run(radial_config(
        1000, name,
        "equation: {let: {m: mean(v), s: integral(1 + 0 * v)}, v: 0 * v, u: m, w: s}\n"
        "boundary: insulated\ninitial: {u: 0, v: x^2, w: 0}\ntime: {step: 1, steps: 1}\n"));
    const auto state = test::stepped<double>(run);
    CHECK(state[1000] == doctest::Approx(mean).epsilon(1e-5));
    CHECK(state[2000] == doctest::Approx(volume).epsilon(1e-12));
  }
  const auto total = [](const RunConfig& run, std::int64_t steps) {
    const auto state = test::formula_stepped(run, test::stepped<double>(run), steps);
    double sum = 0;
    for (std::size_t i = 0; i < state.size(); ++i) {
      const double r = (static_cast<double>(i) + 0.5) / 40;
      sum += state[i] * (r * r + 1.0 / (12 * 1600));
    }
    return sum;
  };
  const RunConfig ball = test::config_run(
      radial_config(40, "spherical",
                    "equation: {u: \"divergence((1 + u^2) * gradient(u))\"}\nboundary: insulated\n"
                    "initial: exp(-20 * (x - 0.4)^2)\ntime: {step: 0.0001, steps: 0}\n"));
  CHECK(total(ball, 500) == doctest::Approx(total(ball, 0)).epsilon(1e-13));
}

TEST_CASE("coordinates: a shell has the steady heat a + b / r, by the solver of the whole grid") {
  const RunConfig run = test::config_run(
      "grid: {shape: [80], spacing: 0.0125, origin: 1.00625, coordinates: spherical}\n"
      "equation: {let: {phi: {solve: laplacian(phi), equals: 0}}, u: phi - u}\n"
      "boundary: {left: {value: 1, at: face}, right: {value: 0, at: face}}\ninitial: {u: 0}\n"
      "time: {step: 1, steps: 1}\ncompute: {precision: float64}\n");
  const auto state = test::stepped<double>(run, "auto");
  for (std::int64_t i = 0; i < 80; ++i) {
    const double r = 1.00625 + 0.0125 * static_cast<double>(i);
    CHECK(state[i] == doctest::Approx(2 / r - 1).epsilon(1e-4).scale(1));
  }
}

TEST_CASE("coordinates: equations with slopes alone at sides have a solution of mean 0") {
  const RunConfig ball = test::config_run(
      radial_config(40, "spherical",
                    "equation: {let: {p: {solve: laplacian(p), equals: x - 0.75, mean: removed}}, "
                    "u: p - u}\nboundary: insulated\ninitial: {u: 0}\n"
                    "time: {step: 1, steps: 1}\n"));
  const auto p = test::stepped<double>(ball, "auto");
  const auto exact = [](std::size_t i) {
    const double r = (static_cast<double>(i) + 0.5) / 40;
    return r * r * r / 12 - r * r / 8;
  };
  for (std::size_t i = 0; i < 40; ++i)
    CHECK(p[i] - p[39] == doctest::Approx(exact(i) - exact(39)).epsilon(1e-3).scale(0.1));
  const RunConfig hole = test::config_run(
      "grid: {shape: [12, 16], coordinates: cylindrical, mask: {formula: (x - 7)^2 + (y - 5)^2 > "
      "5}}\nequation: {let: {p: {solve: laplacian(p), equals: sin(x + y), mean: removed}}, u: p - "
      "u, v: laplacian(p)}\nboundary: insulated\ninitial: {u: 0, v: 0}\n"
      "time: {step: 1, steps: 2}\ncompute: {precision: float64}\n");
  const auto state = test::stepped<double>(hole, "auto");
  const auto at = [&](std::size_t row, std::size_t column) {
    return state[192 + 16 * row + column];
  };
  // in each step v grows by sin(x + y) less its mean
  CHECK((at(2, 3) - at(9, 12)) / 2 == doctest::Approx(std::sin(2 + 3.5) - std::sin(9 + 12.5)));
}

TEST_CASE("coordinates: mistakes are named, all of a config at once") {
  const auto text = [](const std::string& grid, const std::string& rate = "laplacian(u)",
                       const std::string& more = "boundary: insulated\n") {
    return test::text_thrown([&] {
      test::config_run("grid: {" + grid + "}\nequation: {u: \"" + rate + "\"}\n" + more +
                       "initial: {u: 0}\ntime: {step: 0.01, steps: 1}\n");
    });
  };
  const auto has = [&](const std::string& found, const std::string& message) {
    CAPTURE(found);
    CAPTURE(message);
    CHECK(found.find(message) != std::string::npos);
  };
  has(text("shape: [4, 4, 4], coordinates: cylindrical"),
      "grid.shape: found 3 axes in cylindrical coordinates (expected one, r, or two, [z, r])");
  has(text("shape: [4, 4], coordinates: spherical"),
      "grid.shape: found 2 axes in spherical coordinates (expected one, r)");
  has(text("shape: [4], coordinates: polar"), "grid.coordinates: found polar");
  has(text("shape: [4], coordinates: cylindrical, center: true"), "grid.center: found r = -1.5");
  has(text("shape: [4], coordinates: cylindrical, origin: 0.2"), "grid.origin: found r = 0.2");
  has(text("shape: [4], coordinates: cylindrical", "laplacian(u)", "boundary: periodic\n"),
      "boundary.columns: found periodic along r in cylindrical coordinates");
  has(text("shape: [4, 4], coordinates: cylindrical", "laplacian(u, isotropic)"),
      "laplacian in cylindrical coordinates (expected laplacian(e))");
  has(text("shape: [4], coordinates: spherical", "laplacian(u, 4)"),
      "laplacian in spherical coordinates");
  has(text("shape: [4, 4], coordinates: cylindrical", "divergence(tensor(1, 0, 1) * gradient(u))"),
      "tensor in cylindrical coordinates");
  has(text("shape: [4], coordinates: spherical", "noise"), "noise in spherical coordinates");
}

TEST_CASE("gallery: cylinder, a mode between cold walls decays, of second order") {
  const double k = 2.404825557695773, q = half_turn;
  const auto error = [&](int n) {
    std::string cosines;  // J0(k x) as the mean of cosines
    for (int i = 0; i < 16; ++i)
      cosines += fmt::format("{}cos({} * x)", i == 0 ? "" : " + ", k * std::sin(q * i / 16));
    GalleryRun run(
        "cylinder",
        {fmt::format("grid.shape=[{}, {}]", n, n), "grid.size=1",
         fmt::format("grid.origin=[{}, {}]", 0.5 / n - 0.5, 0.5 / n), "time.scheme=euler",
         fmt::format("time.step={}", 0.1 / n / n),
         "boundary.columns={first: insulated, last: {value: 0, at: face}}",
         fmt::format("initial.u={{kind: formula, formula: ({}) / 16 * cos(pi * y)}}", cosines)});
    const std::int64_t steps = n * n / 4;
    const double t = run.at_time(steps);
    const Values u = run.after(steps);
    double largest = 0;
    for (int row = 0; row < n; ++row)
      for (int column = 0; column < n; ++column) {
        const double x = run.run.spacing.position(2, column), y = run.run.spacing.position(1, row);
        const double exact =
            std::cyl_bessel_j(0, k * x) * std::cos(q * y) * std::exp(-(k * k + q * q) * t);
        largest = std::max(largest, std::abs(u[row * n + column] - exact));
      }
    return largest;
  };
  const double coarse = error(20), fine = error(40);
  CHECK(coarse < 5e-3);
  CHECK(coarse / fine == doctest::Approx(4).epsilon(0.05));
}
