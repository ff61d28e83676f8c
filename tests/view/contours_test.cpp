// Contour lines without drawing.
#include "app/view/plot/contours.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "kernels/error.hpp"
#include "tests/text.hpp"

using namespace lapl;
using test::has;

namespace {

std::string level_message(const LineChoice& lines, Limits range) {
  try {
    line_levels(lines, range, "u");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("contours: the line of a circle is closed, and as far from its middle as the radius") {
  constexpr Shape shape{40, 60};
  std::vector<double> nodes;
  for (int row = 0; row < 40; ++row)
    for (int column = 0; column < 60; ++column)
      nodes.push_back(std::hypot(column - 30.3, row - 19.6));
  double length = 0, turn = 0;
  for (const Segment& s : contour(nodes, shape, 12)) {
    const double x0 = 60 * s.x0 - 0.5 - 30.3, y0 = 40 * s.y0 - 0.5 - 19.6;
    const double x1 = 60 * s.x1 - 0.5 - 30.3, y1 = 40 * s.y1 - 0.5 - 19.6;
    CHECK(std::hypot(x0, y0) == doctest::Approx(12).epsilon(0.002));
    length += std::hypot(x1 - x0, y1 - y0);
    turn += std::abs(std::atan2(x0 * y1 - y0 * x1, x0 * x1 + y0 * y1));
  }
  CHECK(length == doctest::Approx(24 * 3.14159265).epsilon(0.002));
  CHECK(turn == doctest::Approx(2 * 3.14159265));
}

TEST_CASE("contours: crossings are linear, saddles go by the middle, NaN has no line") {
  const std::vector<Segment> across = contour(std::vector<double>{0, 0, 4, 4}, {2, 2}, 1);
  REQUIRE(across.size() == 1);
  CHECK(across[0].y0 == doctest::Approx(0.375));  // a quarter of the way between the nodes
  CHECK(across[0].y1 == across[0].y0);
  CHECK(std::abs(across[0].x1 - across[0].x0) == doctest::Approx(0.5));
  // Two corners are above. A low level joins them, a high one parts them.
  for (const double level : {0.4, 0.6}) {
    const auto saddle = contour(std::vector<double>{1, 0, 0, 1}, {2, 2}, level);
    REQUIRE(saddle.size() == 2);
    for (const Segment& s : saddle) {  // a line cuts off the first corner, or the second
      const double x = (s.x0 + s.x1) / 2 - 0.5, y = (s.y0 + s.y1) / 2 - 0.5;
      CHECK((x * y < 0) == (level < 0.5));
    }
  }
  CHECK(contour(std::vector<double>{0, NAN, 4, 4}, {2, 2}, 1).empty());
  CHECK(contour(std::vector<double>{0, INFINITY, 4, 4}, {2, 2}, 1).empty());
  CHECK(contour(std::vector<double>{1, 2, 3}, {1, 3}, 1.5).empty());
}

TEST_CASE("contours: a number of levels lies evenly within the values, a level beyond is refused") {
  CHECK(line_levels({.option = "", .count = 3}, {1, 3}, "u") == std::vector<double>{1.5, 2, 2.5});
  CHECK(line_levels({.option = "", .levels = {1, 3}}, {1, 3}, "u") == std::vector<double>{1, 3});
  CHECK(level_message({.option = "--contours 3.5", .levels = {3.5}}, {1, 3}) ==
        "--contours 3.5: 3.5 is outside of the values of u (expected 1 to 3)");
  CHECK(level_message({.option = "--contours 3.5", .levels = {3.5}}, {1, 0}) ==
        "--contours 3.5: u has no finite value");
  const std::vector<double> few = {0.25, 0.5}, many = {1, 2, 3, 4, 5};
  CHECK(lines_text("v", few, "mol") == ", lines of v at 0.25, 0.5 mol");
  CHECK(lines_text("v", many, "") == ", lines of v at 1 to 5");
}
