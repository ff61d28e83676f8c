// Runs compared with exact solutions: eigenmodes for every boundary, SciPy's reference, order of
// accuracy.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "solver/initial_field.hpp"
#include "tests/reference_data.hpp"
#include "tests/solver/computed_field.hpp"
#include "tests/test_field.hpp"

using namespace lapl;

namespace {

template <class T>
std::vector<T> rounded(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE_TEMPLATE("eigenmodes decay by (1 - c lambda)^n under every boundary", T, float, double) {
  RunConfig config;
  config.shape = {24, 35};
  config.initial.kind = InitialKind::sine;
  const double c = 0.2;
  for (const Boundary rows : test::all_boundaries)
    for (const Boundary columns : test::all_boundaries)
      for (const std::array<std::int64_t, 2> mode :
           {std::array<std::int64_t, 2>{1, 1}, {3, 2}, {12, 17}}) {
        config.boundaries = {rows, columns};
        config.initial.mode = {1, mode[0], mode[1]};
        const auto initial = test::computed_field(config);
        const std::int64_t steps = 300;
        const auto after = test::stepped<T>(
            "cpu", "threaded", test::diffusion<T>(config.shape, config.boundaries, T(c)),
            rounded<T>(initial), steps);
        const double lambda =
            test::eigenvalue(rows, mode[0], 24) + test::eigenvalue(columns, mode[1], 35);
        // The backend uses the rounded coefficient.
        const double factor = std::pow(1 - static_cast<double>(T(c)) * lambda, steps);
        std::vector<double> exact = initial;
        for (double& value : exact) value *= factor;
        CAPTURE(mode[0]);
        CHECK(test::largest_difference(after.field, exact) <= test::rounding_gate<T>(steps, 1));
      }
}

TEST_CASE("diffusion of the reference field equals SciPy's within the rounding gate") {
  const test::ReferenceData reference;
  const auto initial = reference.values("fractal/field");
  const double largest = test::largest_magnitude(initial);
  for (const std::string coefficient : {"0.1", "0.25"})
    for (const std::int64_t steps : {1, 10, 100, 1000}) {
      CAPTURE(coefficient);
      CAPTURE(steps);
      const std::string group =
          "diffusion/coefficient_" + coefficient + "/steps_" + std::to_string(steps);
      const auto expected = reference.values(group + "/field");
      const auto laplacian = reference.values(group + "/laplacian");
      const auto check = [&]<class T>(T c) {
        for (const char* engine : {"reference", "threaded"}) {
          const auto after = test::stepped<T>("cpu", engine, test::diffusion<T>({48, 64}, {}, c),
                                              rounded<T>(initial), steps);
          const double gate = test::rounding_gate<T>(steps, largest);
          CHECK(test::largest_difference(after.field, expected) <= gate);
          CHECK(test::largest_difference(after.laplacian, laplacian) <= 8 * gate);
        }
      };
      check(std::stof(coefficient));
      check(std::stod(coefficient));
    }
}

TEST_CASE("the Laplacian is of second order in space") {
  // sin(pi x) sin(2 pi y) on the unit square with zero boundary; its exact Laplacian is -5 pi^2 u.
  const auto error = [](std::int64_t n) {
    RunConfig config;
    config.shape = {n, n};
    config.initial.kind = InitialKind::sine;
    config.initial.mode = {1, 1, 2};
    const double h = 1.0 / static_cast<double>(n + 1);
    const auto field = test::computed_field(config);
    const auto state = test::stepped<double>(
        "cpu", "threaded", test::diffusion<double>(config.shape, {}, 0.2), field, 0, 2, h * h);
    double largest = 0;
    for (std::size_t i = 0; i < field.size(); ++i)
      largest = std::max(largest, std::abs(state.laplacian[i] +
                                           5 * std::numbers::pi * std::numbers::pi * field[i]));
    return largest;
  };
  const double order = std::log2(error(31) / error(63));
  CHECK(order > 1.95);
  CHECK(order < 2.05);
}

TEST_CASE("time stepping is of first order, and of second order in space with c fixed") {
  // u = exp(-2 pi^2 t) sin(pi x) sin(pi y) at t = 0.02; dt = c h^2, so half of h gives a quarter of
  // the error.
  const auto error = [](std::int64_t n) {
    RunConfig config;
    config.shape = {n - 1, n - 1};
    config.initial.kind = InitialKind::sine;
    const double h = 1.0 / static_cast<double>(n), c = 0.2, t = 0.02;
    const auto steps = static_cast<std::int64_t>(std::lround(t / (c * h * h)));
    const auto field = test::computed_field(config);
    const auto after = test::stepped<double>(
        "cpu", "threaded", test::diffusion<double>(config.shape, {}, c), field, steps, 2, h * h);
    const double decay = std::exp(-2 * std::numbers::pi * std::numbers::pi * t);
    double largest = 0;
    for (std::size_t i = 0; i < field.size(); ++i)
      largest = std::max(largest, std::abs(after.field[i] - decay * field[i]));
    return largest;
  };
  const double order = std::log2(error(20) / error(40));
  CHECK(order > 1.9);
  CHECK(order < 2.1);
}
