// Values on a grid that divides the same box otherwise: averages keep the integral, interpolation
// is exact for polynomials.
#include "solver/other_grid.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

using namespace lapl;

namespace {

Shape box(const std::vector<std::int64_t>& extents) { return Shape::of(extents); }

using Place = std::function<double(double z, double y, double x)>;

// A function at the middles of the cells of the box from 0 to 1 along each axis.
std::vector<double> sampled(Shape shape, const Place& function) {
  std::vector<double> values;
  const auto middle = [](std::int64_t i, std::int64_t n) {
    return (static_cast<double>(i) + 0.5) / static_cast<double>(n);
  };
  for (std::int64_t plane = 0; plane < shape.planes; ++plane)
    for (std::int64_t row = 0; row < shape.rows; ++row)
      for (std::int64_t column = 0; column < shape.columns; ++column)
        values.push_back(function(middle(plane, shape.planes), middle(row, shape.rows),
                                  middle(column, shape.columns)));
  return values;
}

constexpr Boundaries walls = {Boundary::insulated, Boundary::insulated, Boundary::insulated},
                     endless = {Boundary::periodic, Boundary::periodic, Boundary::periodic};

// The largest error at cells at least `margin` from all sides.
double error_inside(const std::vector<double>& found, Shape shape, const Place& function,
                    double margin) {
  const std::vector<double> exact = sampled(shape, function);
  double largest = 0;
  const std::vector<double> inside = sampled(shape, [&](double z, double y, double x) {
    double near = std::min(x, 1 - x);
    if (shape.axes > 1) near = std::min({near, y, 1 - y});
    if (shape.axes > 2) near = std::min({near, z, 1 - z});
    return near >= margin ? 1.0 : 0.0;
  });
  for (std::size_t i = 0; i < found.size(); ++i)
    if (inside[i] == 1) largest = std::max(largest, std::abs(found[i] - exact[i]));
  return largest;
}

}  // namespace

TEST_CASE("averages on a coarser grid keep the integral, and are those of the cells' parts") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> values(-1, 1);
  for (const auto& [from, to] : {std::pair(box({12, 16}), box({6, 8})),
                                 {box({13, 31}), box({7, 5})},
                                 {box({101}), box({100})},
                                 {box({9, 8, 7}), box({4, 8, 3})},
                                 {box({5, 7}), box({1, 1})}}) {
    std::vector<double> field(from.cells());
    for (double& value : field) value = values(random);
    const auto found = on_other_grid(field, from, to, Interpolation::linear, walls);
    REQUIRE(std::ssize(found) == to.cells());
    const double before = std::accumulate(field.begin(), field.end(), 0.0) /
                          static_cast<double>(from.cells()),
                 after = std::accumulate(found.begin(), found.end(), 0.0) /
                         static_cast<double>(to.cells());
    CHECK(std::abs(after - before) < 1e-15);
  }
  CHECK(on_other_grid({1, 2, 3}, box({3}), box({2}), Interpolation::cubic, walls) ==
        std::vector<double>{(1 + 2 * 0.5) / 1.5, (2 * 0.5 + 3) / 1.5});
}

TEST_CASE("a grid of the same shape keeps its bits") {
  const std::vector<double> field = {0.1, -0.2, 1e300, 3e-310, 0, 5};
  CHECK(on_other_grid(field, box({2, 3}), box({2, 3}), Interpolation::cubic, walls) == field);
}

TEST_CASE("interpolation is exact for linear and for cubic polynomials away from sides") {
  const Place linear = [](double z, double y, double x) { return 1 + 2 * x - 3 * y + 5 * z; };
  const Place cubic = [](double z, double y, double x) {
    return 1 - x + x * x * x - 2 * y * y * y * x + 4 * z * z * z;
  };
  for (const auto& [from, to] : {std::pair(box({12, 10}), box({24, 30})),
                                 {box({12, 10}), box({17, 10})},
                                 {box({15}), box({64})},
                                 {box({10, 9, 11}), box({13, 20, 11})}}) {
    const auto at = [&](const Place& function, Interpolation by) {
      return error_inside(on_other_grid(sampled(from, function), from, to, by, walls), to, function,
                          0.21);
    };
    CHECK(at(linear, Interpolation::linear) < 1e-14);
    CHECK(at(linear, Interpolation::cubic) < 1e-14);
    CHECK(at(cubic, Interpolation::cubic) < 1e-14);
    CHECK(at(cubic, Interpolation::linear) > 1e-4);
  }
}

TEST_CASE("interpolation goes round where the grid is periodic, at its order") {
  const Place wave = [](double, double, double x) { return std::sin(2 * std::acos(-1.0) * x); };
  for (const auto& [by, order] :
       {std::pair(Interpolation::linear, 2.0), {Interpolation::cubic, 4.0}}) {
    const auto error = [&, method = by](std::int64_t n) {
      const Shape from = box({n}), to = box({3 * n + 1});
      return error_inside(on_other_grid(sampled(from, wave), from, to, method, endless), to, wave,
                          0);
    };
    CHECK(std::log2(error(32) / error(64)) == doctest::Approx(order).epsilon(0.05));
  }
}

TEST_CASE("beyond sides values are mirrored, so none leaves the range of linear interpolation") {
  const auto found = on_other_grid({1, 4}, box({2}), box({4}), Interpolation::linear, walls);
  CHECK(found == std::vector<double>{1, 1.75, 3.25, 4});
}

TEST_CASE("cells outside a mask do not count") {
  const double none = std::numeric_limits<double>::quiet_NaN();
  CHECK(on_other_grid({none, 2, 4, none}, box({4}), box({2}), Interpolation::linear, walls) ==
        std::vector<double>{2, 4});
  for (const Interpolation by : {Interpolation::linear, Interpolation::cubic}) {
    const auto finer = on_other_grid({none, none, 3, 3, 3, 3}, box({6}), box({12}), by, walls);
    CHECK(std::isnan(finer[0]));
    for (std::size_t i = 4; i < 12; ++i) CHECK(finer[i] == doctest::Approx(3));
  }
}
