// The recipes of docs/recipes.md and the cylinder of the gallery, compared with exact solutions.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "solver/equation/equation.hpp"
#include "solver/times.hpp"
#include "tests/docs_page.hpp"
#include "tests/solver/gallery_run.hpp"
#include "tests/test_field.hpp"

using namespace lapl;
using test::GalleryRun;
using test::Values;

namespace {

constexpr double zero_of_j0 = 2.404825557695773;
constexpr double pi_of_recipes = std::numbers::pi;

// The config of this name on the page.
std::string recipe(const std::string& name) {
  const std::string page = test::docs_page("recipes.md");
  const std::size_t first = page.find("# " + name + "\n");
  REQUIRE(first != std::string::npos);
  return page.substr(first, page.find("```", first) - first);
}

// The positions and values at the end, on `nodes` nodes of a radius of 1.
struct RadialRun {
  Values r, u;
  double time = 0;
  double sum(int power) const {
    double total = 0;
    for (std::size_t i = 0; i < u.size(); ++i) total += std::pow(r[i], power) * u[i];
    return total;
  }
};
RadialRun radial_run(const std::string& config, int nodes, std::int64_t steps,
                     std::vector<std::string> settings = {}) {
  const double h = 1.0 / nodes;
  for (const std::string& setting :
       {fmt::format("grid.shape=[{}]", nodes), fmt::format("grid.spacing={}", h),
        fmt::format("grid.origin={}", h / 2), fmt::format("time.step={}", 0.2 * h * h),
        fmt::format("time.steps={}", steps), std::string("output.every=1000"),
        std::string("compute.precision=float64")})
    settings.push_back(setting);
  const RunConfig run = parse_config(config, "recipe.yaml", ".", settings).run;
  const auto backend = make_backend<double>(
      "cpu", "interpreted", make_problem<double>(Model(run), load_coefficients(run)), 1);
  set_initial_state(*backend, run, load_coefficients(run), {});
  backend->advance(steps);
  RadialRun made{.r = {}, .u = copy_of_state(*backend), .time = time_at_step(run, steps)};
  for (int i = 0; i < nodes; ++i) made.r.push_back(run.spacing.position(2, i));
  return made;
}

double largest_error(const RadialRun& run, const std::function<double(double r, double t)>& exact) {
  double largest = 0;
  for (std::size_t i = 0; i < run.u.size(); ++i)
    largest = std::max(largest, std::abs(run.u[i] - exact(run.r[i], run.time)));
  return largest;
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("recipes: a disk and a ball decay as exact solutions do, of second order") {
  const auto disk = [](double r, double t) {
    return std::cyl_bessel_j(0, zero_of_j0 * r) * std::exp(-zero_of_j0 * zero_of_j0 * t);
  };
  const auto ball = [](double r, double t) {
    return std::sin(pi_of_recipes * r) / r * std::exp(-pi_of_recipes * pi_of_recipes * t);
  };
  CHECK(largest_error(radial_run(recipe("disk.yaml"), 40, 0), disk) < 2e-12);
  struct Row {
    std::string name;
    std::function<double(double, double)> exact;
  };
  for (const Row& row : {Row{"disk.yaml", disk}, Row{"ball.yaml", ball}}) {
    CAPTURE(row.name);
    const double coarse = largest_error(radial_run(recipe(row.name), 20, 200), row.exact);
    const double fine = largest_error(radial_run(recipe(row.name), 40, 800), row.exact);
    CHECK(coarse < 5e-3);
    CHECK(coarse / fine == doctest::Approx(4).epsilon(0.02));
  }
  // The flux form on a ball loses some order beside the centre.
  const std::string flux = with(recipe("ball.yaml"), "D * laplacian(x * field) / x",
                                "divergence(D * x^2 * gradient(field)) / x^2");
  const double order = std::log2(largest_error(radial_run(flux, 20, 200), ball) /
                                 largest_error(radial_run(flux, 40, 800), ball));
  CHECK(order > 1.6);
  CHECK(order < 1.9);
}

TEST_CASE("recipes: nothing flows through an axis or a centre, and walls keep what is inside") {
  const std::string wall = "boundary.columns={first: insulated, last: insulated}";
  const std::string disk = recipe("disk.yaml"), ball = recipe("ball.yaml");
  const double heat = radial_run(disk, 40, 0).sum(1), of_ball = radial_run(ball, 40, 0).sum(2);
  CHECK(radial_run(disk, 40, 500, {wall}).sum(1) == doctest::Approx(heat).epsilon(1e-13));
  CHECK(radial_run(ball, 40, 500, {wall}).sum(2) == doctest::Approx(of_ball).epsilon(1e-13));
  const std::string condition = "boundary.columns={first: {value: 7}, last: {value: 0, at: face}}";
  CHECK(radial_run(disk, 40, 500, {condition}).u == radial_run(disk, 40, 500).u);
  // A parameter field is not 0 on the axis.
  const std::string parameter =
      with(with(disk, "{D: 1, k", "{R: {formula: x}, D: 1, k"), "(x * gradient", "(R * gradient");
  CHECK(radial_run(parameter, 40, 500, {condition}).u != radial_run(parameter, 40, 500).u);
}

TEST_CASE("gallery: cylinder, a mode between cold walls decays, of second order") {
  const double k = zero_of_j0, q = pi_of_recipes;
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
