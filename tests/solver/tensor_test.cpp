// divergence(tensor(...) * gradient(u)) against exact solutions, and what it keeps.
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

RunConfig tensor_run(Shape shape, double h, Boundary of_all) {
  RunConfig run = test::formula_run(shape, {});
  run.boundaries = {of_all, of_all, of_all};
  run.precision = Precision::float64;
  run.spacing = h;
  return run;
}

// Values at the nodes from -(n - 1) h / 2 on, with x along the columns.
template <class Of>
std::vector<double> at_tensor_nodes(const RunConfig& run, const Of& of) {
  std::vector<double> values;
  const std::array<std::int64_t, 3> size = by_axis(run.shape);
  const auto place = [&](std::int64_t i, int axis) {
    return (static_cast<double>(i) - static_cast<double>(size[axis] - 1) / 2) *
           run.spacing.by_axis[axis];
  };
  for (std::int64_t z = 0; z < size[0]; ++z)
    for (std::int64_t y = 0; y < size[1]; ++y)
      for (std::int64_t x = 0; x < size[2]; ++x)
        values.push_back(of(place(x, 2), place(y, 1), place(z, 0)));
  return values;
}

// The largest error after diffusing by a tensor, with steps of rk4 in proportion to h^2.
template <class Exact>
double error_after(RunConfig run, const std::string& tensor, double time, const Exact& exact) {
  run.fields = {"u"};
  run.output_fields = run.fields;
  run.equation.rates = {{"u", "divergence(" + tensor + " * gradient(u))"}};
  run.scheme = Scheme::rk4;
  const double h = run.spacing.by_axis[2];
  const auto steps = static_cast<std::int64_t>(std::ceil(time / (0.15 * h * h)));
  run.time_step = time / static_cast<double>(steps);
  const auto at = [&](double t) {
    return at_tensor_nodes(run, [&](double x, double y, double) { return exact(x, y, t); });
  };
  const std::vector<double> found = test::formula_stepped(run, at(0), steps, "auto"),
                            right = at(time);
  double error = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    error = std::max(error, std::abs(found[i] - right[i]));
  return error;
}

std::vector<double> tensor_field(std::size_t count) {
  std::mt19937_64 generator(11);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> values(count);
  for (double& value : values) value = uniform(generator);
  return values;
}

const std::string tensor_of_three = "tensor(1 + k, 0.3 * k, -0.2, 2 - k, 0.1 * k, 1)";

}  // namespace

TEST_CASE("a Gaussian spreads along and across a rotated axis with second order") {
  const double angle = std::numbers::pi / 6, c = std::cos(angle), s = std::sin(angle);
  const double xx = c * c + 0.1 * s * s, xy = 0.9 * c * s, yy = s * s + 0.1 * c * c;
  const auto exact = [&](double x, double y, double t) {
    const double a = 1 + 2 * xx * t, b = 2 * xy * t, d = 1 + 2 * yy * t, det = a * d - b * b;
    return std::exp(-(d * x * x - 2 * b * x * y + a * y * y) / (2 * det)) / std::sqrt(det);
  };
  std::vector<double> errors;
  for (const std::int64_t n : {24, 48, 96})
    errors.push_back(
        error_after(tensor_run({n, n}, 14.0 / static_cast<double>(n), Boundary::periodic),
                    fmt::format("tensor({}, {}, {})", xx, xy, yy), 1, exact));
  CHECK(errors[0] / errors[1] > 3.4);
  CHECK(errors[1] / errors[2] > 3.8);
  CHECK(errors[2] < 2e-3);
}

// cos(m pi x) cos(k y - k xy/xx x) lets nothing through x = 0 and x = 1.
TEST_CASE(
    "an insulated side lets nothing through, with second order, however the tensor is turned") {
  const double xx = 1, xy = 0.6, yy = 0.8, k = 2 * std::numbers::pi, m = std::numbers::pi;
  const double decay = xx * m * m + k * k * (yy - xy * xy / xx);
  const auto exact = [&](double x, double y, double t) {
    x += 0.5;
    return std::cos(m * x) * std::cos(k * y - k * xy / xx * x) * std::exp(-decay * t);
  };
  for (const bool turned : {false, true}) {  // sides of columns, or of rows
    std::vector<double> errors;
    for (const std::int64_t n : {24, 48, 96}) {
      RunConfig run = tensor_run({n, n}, 1 / static_cast<double>(n), Boundary::periodic);
      (turned ? run.boundaries.rows : run.boundaries.columns) = Boundary::insulated;
      errors.push_back(error_after(
          run, turned ? "tensor(0.8, 0.6, 1)" : "tensor(1, 0.6, 0.8)", 0.02,
          [&](double x, double y, double t) { return turned ? exact(y, x, t) : exact(x, y, t); }));
    }
    CHECK(errors[0] / errors[1] > 3.5);
    CHECK(errors[1] / errors[2] > 3.7);
  }
}

TEST_CASE("a tensor is exact for quadratics, and is a number D where it is D times the unit") {
  RunConfig run = tensor_run({5, 5, 5, 3}, 0.5, Boundary::periodic);
  const std::vector<double> quadratic = at_tensor_nodes(run, [](double x, double y, double z) {
    return x * x + 3 * x * y - 2 * y * y + 4 * x * z + z * z - y * z + x;
  });
  const auto middle = [&](const std::string& tensor) {
    return test::value_of_formula(run, "divergence(" + tensor + " * gradient(v))", quadratic)[62];
  };
  CHECK(middle("tensor(2, 0.5, 0.3, 1, 0.7, 3)") ==
        doctest::Approx(2 * 2 + 2 * 0.5 * 3 + 2 * 0.3 * 4 + 1 * -4 + 2 * 0.7 * -1 + 3 * 2));
  CHECK(middle("3 * tensor(2, 0.1, 0.2, 0.9, 1, 0.4, 0.4, 1, 3)") ==
        doctest::Approx(3 * (2 * 2 + 1.0 * 3 + 0.6 * 4 + 1 * -4 + 1.4 * -1 + 3 * 2)));
  run = tensor_run({6, 7}, 0.5, Boundary::insulated);
  run.parameters["k"] = test::formula_parameter("1 + 0.5 * sin(x + 2 * y)");
  const std::vector<double> v = tensor_field(42);
  const auto of = [&](const std::string& formula) {
    return test::value_of_formula(run, formula, v);
  };
  const std::vector<double> plain = of("divergence(k * (2 + v) * gradient(v))"),
                            unit = of("divergence(k * tensor(1, 0, 1) * (2 + v) * gradient(v))");
  for (std::size_t i = 0; i < plain.size(); ++i)
    CHECK(unit[i] == doctest::Approx(plain[i]).epsilon(1e-12));
}

TEST_CASE("a tensor keeps the sum where nothing flows through sides, and a constant") {
  for (const Boundary sides : {Boundary::insulated, Boundary::periodic})
    for (const std::string mask : {"", "(x - 1)^2 + (y - 1.3)^2 > 0.5"})
      for (const Shape& shape : {Shape{7, 9}, Shape{1, 6}, Shape{4, 5, 6, 3}}) {
        RunConfig run = tensor_run(shape, 0.5, sides);
        run.parameters["k"] = test::formula_parameter("0.5 * sin(x + 2 * y)");
        if (!mask.empty()) run.mask = test::formula_parameter(mask);
        const auto cells = static_cast<std::size_t>(shape.cells());
        for (const std::string& tensor :
             shape.axes == 3 ? std::vector<std::string>{tensor_of_three}
                             : std::vector<std::string>{"tensor(1 + k, 0.3, 2 - k)",
                                                        "tensor(1, k, 0.2, 1.5 + v^2)"}) {
          CAPTURE(tensor);
          CAPTURE(mask);
          const auto of = [&](const std::vector<double>& v) {
            return test::value_of_formula(run, "divergence(" + tensor + " * gradient(v))", v);
          };
          const std::vector<double> found = of(tensor_field(cells));
          CHECK(std::abs(std::accumulate(found.begin(), found.end(), 0.0)) < 1e-11);
          CHECK(std::abs(found[0]) > 1e-3);
          for (const double value : of(std::vector<double>(cells, 0.1))) CHECK(value == 0);
          const std::vector<double> twice = test::value_of_formula(
              run, "divergence(" + tensor + " * gradient(-2 * v))", tensor_field(cells));
          for (std::size_t i = 0; i < cells; ++i)
            CHECK(twice[i] == doctest::Approx(-2 * found[i]).epsilon(1e-10));
        }
      }
}

// One row between insulated sides conducts like xx - xy yx / yy, along which nothing flows across.
TEST_CASE("a row between insulated sides has the conductivity of a plate without flux across") {
  RunConfig run = tensor_run({1, 7}, 0.5, Boundary::insulated);
  run.boundaries.columns = Boundary::periodic;
  const std::vector<double> v = tensor_field(7);
  const auto of = [&](const std::string& formula) {
    return test::value_of_formula(run, formula, v);
  };
  const std::vector<double> found = of("divergence(tensor(2, 0.6, 0.5, 0.8) * gradient(v))"),
                            plain = of("laplacian(v)");
  for (std::size_t i = 0; i < 7; ++i)
    CHECK(found[i] == doctest::Approx((2 - 0.6 * 0.5 / 0.8) * plain[i]).epsilon(1e-12));
}

TEST_CASE("mistakes of tensors") {
  const auto mistake = [](const Shape& shape, const std::string& formula) {
    return test::rate_mistake(tensor_run(shape, 1, Boundary::periodic), formula);
  };
  CHECK(mistake({5, 5}, "divergence(tensor(1, 0, 1) * gradient(v))") == "");
  CHECK(mistake({5, 5}, "divergence(tensor(1, 2) * gradient(v))") ==
        "tensor of 2 arguments on a grid of 2 axes (expected tensor(xx, xy, yy) or tensor(xx, xy, "
        "yx, "
        "yy))");
  CHECK(test::has(mistake({5, 5, 5, 3}, "divergence(tensor(1, 0, 1) * gradient(v))"),
                  "expected tensor(xx, xy, xz, yy, yz, zz) or all nine, row by row"));
  CHECK(test::has(mistake({1, 5, 1, 1}, "divergence(tensor(1) * gradient(v))"),
                  "expected a number or an expression D in place of the tensor"));
  for (const std::string formula : {"tensor(1, 0, 1)", "tensor(1, 0, 1) * laplacian(v)",
                                    "divergence(tensor(1, 0, 1) * tensor(1, 0, 1) * gradient(v))"})
    CHECK(mistake({5, 5}, formula) ==
          "tensor has no meaning here (expected it as a factor within divergence: "
          "divergence(tensor(xx, xy, yy) * gradient(e)))");
  CHECK(test::has(mistake({5, 5}, "divergence(harmonic(v) * tensor(1, 0, 1) * gradient(v))"),
                  "harmonic has no meaning here"));
}
