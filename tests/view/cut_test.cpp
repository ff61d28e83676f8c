// Views of a grid of three axes: slices and projections, and their places in a picture.
#include "app/view/plot/cut.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "app/view/plot/plot_panels.hpp"
#include "kernels/error.hpp"
#include "tests/text.hpp"

using namespace lapl;
using test::has;

namespace {

constexpr Shape volume{.rows = 5, .columns = 7, .planes = 4, .axes = 3};

// A different value in each cell, made of the cell's indices.
std::vector<float> counted() {
  std::vector<float> values(static_cast<std::size_t>(volume.cells()));
  for (std::int64_t i = 0; i < volume.cells(); ++i) {
    const Cell cell = cell_at(volume, i);
    values[i] = static_cast<float>(100 * cell.plane + 10 * cell.row + cell.column);
  }
  return values;
}

std::vector<float> cut_floats(const std::vector<float>& values, const Cut& cut) {
  return std::get<std::vector<float>>(
      cut_values(FieldView{std::span<const float>(values)}, volume, cut));
}

std::string cut_message(const auto& call) {
  try {
    call();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

PlotAxes metres() {
  PlotAxes axes{.has_positions = true, .units = {"m", ""}};
  axes.x.spacing = 0.25, axes.y.spacing = 0.5, axes.z.spacing = 2;
  return axes;
}

}  // namespace

TEST_CASE("cuts: a slice has the values of its nodes, row by row") {
  const std::vector<float> values = counted();
  for (int axis = 0; axis < 3; ++axis)
    for (std::int64_t index = 0; index < volume.extents()[static_cast<std::size_t>(axis)];
         ++index) {
      const Cut cut{.axis = axis, .index = index};
      const Shape shape = cut_shape(volume, cut);
      CHECK(shape == (axis == 0 ? Shape{5, 7} : axis == 1 ? Shape{4, 7} : Shape{4, 5}));
      const std::vector<float> shown = cut_floats(values, cut);
      REQUIRE(std::ssize(shown) == shape.cells());
      for (std::int64_t row = 0; row < shape.rows; ++row)
        for (std::int64_t column = 0; column < shape.columns; ++column) {
          const std::int64_t expected = axis == 0   ? 100 * index + 10 * row + column
                                        : axis == 1 ? 100 * row + 10 * index + column
                                                    : 100 * row + 10 * column + index;
          REQUIRE(shown[row * shape.columns + column] == static_cast<float>(expected));
        }
    }
}

TEST_CASE("cuts: projections along each axis are right, and NaN where a value is") {
  std::vector<float> values = counted();
  values[3 * 35 + 2 * 7 + 6] = -1;
  values[1 * 35 + 4 * 7 + 5] = std::numeric_limits<float>::quiet_NaN();
  for (int axis = 0; axis < 3; ++axis)
    for (const Projection kind : {Projection::max, Projection::min, Projection::mean}) {
      const Shape shape = cut_shape(volume, Cut{.axis = axis});
      std::vector<double> expected(static_cast<std::size_t>(shape.cells()));
      const std::int64_t count = volume.extents()[static_cast<std::size_t>(axis)];
      for (std::int64_t index = 0; index < count; ++index) {
        const std::vector<float> slice = cut_floats(values, {.axis = axis, .index = index});
        for (std::size_t i = 0; i < slice.size(); ++i) {
          const double value = slice[i];
          if (index == 0)
            expected[i] = value;
          else if (kind == Projection::mean || std::isnan(value) || std::isnan(expected[i]))
            expected[i] += value;
          else
            expected[i] = kind == Projection::max ? std::max(expected[i], value)
                                                  : std::min(expected[i], value);
        }
      }
      const std::vector<float> found = cut_floats(values, {.axis = axis, .projection = kind});
      REQUIRE(found.size() == expected.size());
      int nan = 0;
      for (std::size_t i = 0; i < found.size(); ++i) {
        const double share = kind == Projection::mean ? static_cast<double>(count) : 1;
        const auto value = static_cast<float>(expected[i] / share);
        CHECK((std::isnan(value) ? std::isnan(found[i]) : found[i] == value));
        nan += std::isnan(found[i]);
      }
      CHECK(nan == 1);
    }
}

TEST_CASE("cuts: a position means its nearest node, an index itself") {
  const auto slice = [](const std::string& text) { return slice_named(text, volume, metres()); };
  CHECK(slice("z=4.9").index == 2);
  CHECK(slice("z=5.1").index == 3);
  CHECK(slice("z=-0.9").index == 0);
  CHECK(slice("y:4").axis == 1);
  CHECK(slice("x=1.5").axis == 2);
  CHECK(slice("x=1.5").index == 6);
  CHECK(cut_text(metres(), slice("z=5.1")) == ", z = 6 m");
  CHECK(cut_text(metres(), slice("x:3")) == ", x = 0.75 m");
  CHECK(cut_text(metres(), projection_named("max:y")) == ", maximum along y");
  CHECK(cut_text({.z = {"plane"}}, Cut{.index = 3}) == ", plane 3");
  CHECK(cut_text(metres(), std::nullopt) == "");
  const PlotAxes axes = cut_axes(metres(), slice("x:3"));
  CHECK(axes.x.name + axes.y.name + axes.z.name == "yzx");
  CHECK(axes.y.spacing == 2);
  CHECK(cut_axes(metres(), slice("y:3")).y.name == "z");

  PlotAxes moved = metres();
  moved.z.origin = -3, moved.x.origin = 10;
  CHECK(slice_named("z=-0.9", volume, moved).index == 1);
  CHECK(slice_named("x=11.5", volume, moved).index == 6);
  CHECK(cut_text(moved, Cut{.index = 1}) == ", z = −1 m");
  CHECK(has(cut_message([&] { slice_named("z=4.1", volume, moved); }),
            "--slice z=4.1: outside of the grid (z goes from −3 to 3 m)"));

  CHECK(has(cut_message([&] { slice("z=8"); }),
            "--slice z=8: outside of the grid (z goes from 0 to 6 m)"));
  CHECK(has(cut_message([&] { slice("z=nan"); }), "outside of the grid"));
  CHECK(has(cut_message([&] { slice("z:4"); }), "(expected z:0 to z:3)"));
  CHECK(has(cut_message([&] { slice("z:-1"); }), "(expected z:0 to z:3)"));
  CHECK(has(cut_message([&] { slice("t=1"); }), "unknown axis \"t\" (x, y or z)"));
  for (const char* text : {"z", "z=", "z=1m", "z:1.5", ""})
    CHECK(has(cut_message([&] { slice(text); }), "expected an axis and a position, such as z=0.5"));
  CHECK(has(cut_message([&] { slice_named("z=1", volume, {}); }), "(expected z:0 to z:3)"));
  for (const char* text : {"max", "median:z", ":z"})
    CHECK(
        has(cut_message([&] { projection_named(text); }), "expected max, min or mean and an axis"));
  CHECK(has(cut_message([&] { projection_named("max:w"); }), "unknown axis \"w\""));
}

TEST_CASE("cuts: a line has the values along the remaining axis, through the nearest nodes") {
  const std::vector<float> values = counted();
  const auto line = [](const std::string& text) { return line_named(text, volume, metres()); };
  const auto along = [&](const std::string& text) {
    CHECK(cut_shape(volume, line(text)).axes == 1);
    return cut_floats(values, line(text));
  };
  CHECK(along("z:1,y:2") == std::vector<float>{120, 121, 122, 123, 124, 125, 126});
  CHECK(along("y=1.1,z=2.4") == along("z:1,y:2"));
  CHECK(along("x:3,z:2") == std::vector<float>{203, 213, 223, 233, 243});
  CHECK(along("x:3,y:4") == std::vector<float>{43, 143, 243, 343});
  CHECK(cut_text(metres(), line("y=1.1,z=2.4")) == ", z = 2 m, y = 1 m");
  const PlotAxes axes = cut_axes(metres(), line("x:3,y:4"));
  CHECK(axes.x.name == "z");
  CHECK(axes.x.spacing == 2);
  CHECK(cut_axes(metres(), line("x:3,z:2")).x.name == "y");
  CHECK(cut_axes(metres(), line("y:3,z:2")).x.name == "x");

  const Shape plane{3, 2};
  const std::vector<double> six = {0, 1, 10, 11, 20, 21};
  const auto of_plane = [&](const std::string& text) {
    const Cut cut = line_named(text, plane, metres());
    CHECK(cut_shape(plane, cut) ==
          Shape{.rows = 1, .columns = cut.axis == 1 ? 2 : 3, .planes = 1, .axes = 1});
    return std::get<std::vector<double>>(
        cut_values(FieldView{std::span<const double>(six)}, plane, cut));
  };
  CHECK(of_plane("y=0.6") == std::vector<double>{10, 11});
  CHECK(of_plane("x:1") == std::vector<double>{1, 11, 21});

  CHECK(has(cut_message([&] { of_plane("z=0"); }), "--line z=0: the grid has no such axis"));
  CHECK(has(cut_message([&] { of_plane("x:0,y:0"); }),
            "--line x:0,y:0: expected a position on one axis, such as y=0.5"));
  for (const char* text : {"z:0", "z:0,z:1", "x:0,y:0,z:0"})
    CHECK(has(cut_message([&] { line(text); }),
              "expected a position on each of two axes, such as y=0.5,z=0.2"));
  CHECK(has(cut_message([&] { line("y=9,z:0"); }),
            "--line y=9: outside of the grid (y goes from 0 to 2 m)"));
  CHECK(has(cut_message([&] { line("y=1z:0"); }), "--line y=1z:0: expected an axis"));
}

TEST_CASE("cuts: a grid of three axes has middle cuts, others have none") {
  CHECK(middle_cuts(volume).size() == 3);
  CHECK(middle_cut(volume)->index == 2);
  CHECK(middle_cut(volume, 1)->index == 2);
  CHECK(middle_cut(volume, 2)->index == 3);
  for (const Shape shape : {Shape{3, 4}, Shape{.rows = 1, .columns = 9, .axes = 1}}) {
    REQUIRE(middle_cuts(shape).size() == 1);
    CHECK(!middle_cuts(shape).front());
    CHECK(cut_shape(shape, std::nullopt) == shape);
  }
  // A terminal shows the middle plane.
  const std::vector<float> values = counted();
  const Panel panel = small_panel("u", std::span<const float>(values), volume, 7, true);
  CHECK(panel.subtitle == "step 7, plane 2");
  CHECK(panel.drawn == Shape{5, 7});
  CHECK(panel.pixels.back() == 246);
  CHECK(!panel.line);
}

TEST_CASE("cuts: the layout has one scale and one bar a row, and nothing exceeds its cell") {
  const std::vector<std::vector<Extent>> grids = {{{60, 80}, {40, 80}, {40, 60}},
                                                  {{1, 1}, {1, 1}, {1, 1}},
                                                  {{500, 500}, {3, 500}, {3, 500}},
                                                  {{500, 3}, {500, 3}, {500, 500}},
                                                  {{2000, 1000}, {17, 1000}, {17, 2000}}};
  for (const auto& beside : grids)
    for (const int rows : {1, 2})
      for (const PictureSize size : {slices_size(beside, rows), PictureSize{1200, 400},
                                     PictureSize{600, 900}, PictureSize{4000, 700}}) {
        CAPTURE(size.width);
        CAPTURE(beside.front().columns);
        const FigureLayout layout = slices_layout(size, beside, rows);
        REQUIRE(layout.panels.size() == beside.size() * static_cast<std::size_t>(rows));
        for (std::size_t i = 0; i < layout.panels.size(); ++i) {
          const auto& [cell, box, bar, bar_below, in_sheet, across, upwards] = layout.panels[i];
          CHECK(box.width >= 1);
          CHECK(box.height >= 1);
          CHECK(box.x - 5 * layout.font >= cell.x);
          CHECK(box.y - 5 * layout.font >= cell.y - 1);
          CHECK(box.x + box.width <= cell.x + cell.width + 1);
          CHECK(box.y + box.height + 3.7 * layout.font <= cell.y + cell.height + 1);
          CHECK(cell.x + cell.width <= size.width + 1);
          CHECK((bar.width > 0) == (i % beside.size() == beside.size() - 1));
          CHECK(bar.x + bar.width <= size.width);
          const Rectangle& first = layout.panels[i - i % beside.size()].box;
          CHECK(first.y + first.height == box.y + box.height);
          const Extent &extent = beside[i % beside.size()], &other = beside.front();
          if (std::min({box.width, box.height, first.width}) > 3 * layout.font) {
            CHECK(std::abs(box.width / extent.columns / (box.height / extent.rows) - 1) < 0.1);
            CHECK(std::abs(box.width / extent.columns / (first.width / other.columns) - 1) < 0.1);
          }
        }
      }
  CHECK_THROWS_AS(slices_layout({200, 400}, grids.front(), 1), ConfigError);
  CHECK_THROWS_AS(slices_layout({1200, 100}, grids.front(), 2), ConfigError);
}
