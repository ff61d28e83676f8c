// Surfaces of volumes, without drawing.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/view/plot/iso_surface.hpp"

using namespace lapl;

namespace {

constexpr Shape long_volume{.rows = 21, .columns = 31, .planes = 41, .axes = 3};

// The distance from the middle of the volume, whose nodes are 0.5, 1 and 2 apart along z, y, x.
std::vector<double> distances() {
  std::vector<double> values;
  for (int plane = 0; plane < 41; ++plane)
    for (int row = 0; row < 21; ++row)
      for (int column = 0; column < 31; ++column)
        values.push_back(std::hypot((plane - 20) * 0.5, row - 10, (column - 15) * 2));
  return values;
}

constexpr IsoSurface sphere{.value = 7, .azimuth = -60, .elevation = 30, .spacing = {0.5, 1, 2}};

}  // namespace

TEST_CASE(
    "surfaces: a sphere looks like a disc of its radius from everywhere, lit by Lambert's law") {
  const std::vector<double> values = distances();
  const FieldView view{std::span<const double>(values)};
  for (const double azimuth : {-60.0, 0.0, 90.0, 200.0})
    for (const double elevation : {30.0, 0.0, 90.0, -45.0}) {
      CAPTURE(azimuth);
      CAPTURE(elevation);
      IsoSurface surface = sphere;
      surface.azimuth = azimuth, surface.elevation = elevation;
      const Extent extent = surface_extent(long_volume, surface);
      const Shape box{static_cast<std::int64_t>(240 * extent.rows), 240};
      const DrawnField drawn = surface_field("u", view, long_volume, box, surface);
      CHECK(drawn.range.low == 0);
      CHECK(drawn.range.high == doctest::Approx(std::hypot(10, 10, 30)));
      std::int64_t lit = 0;
      double largest = 0;
      for (const double brightness : drawn.pixels)
        if (!std::isnan(brightness)) ++lit, largest = std::max(largest, brightness);
      CHECK(largest > 0.97);
      CHECK(largest <= 1);
      // The picture is 1.16 times as wide as the box that it shows.
      const double angle = azimuth * 3.14159265 / 180;
      const double width = 1.16 * (60 * std::abs(std::sin(angle)) + 20 * std::abs(std::cos(angle)));
      const double area = static_cast<double>(lit) * (width / 240) * (width / 240);
      CHECK(area == doctest::Approx(3.14159265 * 49).epsilon(0.03));
      // In the middle the surface faces the viewer, and the light comes from the upper left.
      const double middle = drawn.pixels[(box.rows / 2) * 240 + 120];
      CHECK(middle == doctest::Approx(0.25 + 0.75 / std::sqrt(1 + 0.36 + 0.16)).epsilon(0.02));
    }
}

TEST_CASE("surfaces: equal input makes equal pixels, and none lies next to a value that is NaN") {
  std::vector<double> values = distances();
  IsoSurface surface = sphere;
  surface.azimuth = surface.elevation = 0;  // x is the distance
  const auto pixels = [&] {
    return surface_field("u", FieldView{std::span<const double>(values)}, long_volume, {60, 60},
                         surface)
        .pixels;
  };
  const std::vector<double> whole = pixels();
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  CHECK(std::ranges::equal(whole, pixels(), same));
  CHECK(!std::isnan(whole[30 * 60 + 30]));
  for (std::int64_t i = 0; i < long_volume.cells(); ++i)  // a column of NaN along x, in the middle
    if (i / 31 % 21 == 10 && i / (31 * 21) == 20) values[i] = std::nan("");
  CHECK(std::isnan(pixels()[30 * 60 + 30]));
  CHECK(!std::isnan(pixels()[30 * 60 + 38]));
}
