// Parts of pictures without drawing: ticks, limits, colours, layout, pixels.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>

#include "app/view/plot/colormap.hpp"
#include "app/view/plot/layout.hpp"
#include "app/view/plot/limits.hpp"
#include "app/view/plot/resample.hpp"
#include "app/view/plot/ticks.hpp"
#include "io/images/movie.hpp"
#include "kernels/error.hpp"
#include "tests/io/scratch_folder.hpp"

using namespace lapl;

namespace {

std::vector<std::string> labels(const Ticks& ticks) {
  std::vector<std::string> list;
  for (const Tick& tick : ticks.ticks) list.push_back(tick.label);
  return list;
}

using Labels = std::vector<std::string>;

}  // namespace

TEST_CASE("ticks are multiples of 1, 2 and 5, as many as allowed") {
  CHECK(labels(round_ticks(0, 1, 6)) == Labels{"0", "0.2", "0.4", "0.6", "0.8", "1.0"});
  CHECK(labels(round_ticks(0, 1, 5)) == Labels{"0", "0.5", "1.0"});
  CHECK(labels(round_ticks(0, 1, 2)) == Labels{"0", "1"});
  CHECK(labels(round_ticks(-3, 7, 4)) == Labels{"0", "5"});
  CHECK(labels(round_ticks(-1, 1, 3)) == Labels{"−1", "0", "1"});
  CHECK(labels(round_ticks(0, 1999, 5)) == Labels{"0", "500", "1000", "1500"});
  const Ticks ticks = round_ticks(1, 5, 5);
  CHECK(ticks.ticks.front().fraction == 0);
  CHECK(ticks.ticks.back().fraction == 1);
  CHECK(ticks.common_text("").empty());
}

TEST_CASE("ticks of cells lie at the positions of nodes, from any origin on") {
  const Ticks ticks = cell_ticks(5, 0.5, 5, -1);
  CHECK(labels(ticks) == Labels{"−1.0", "−0.5", "0", "0.5", "1.0"});
  CHECK(ticks.ticks[2].fraction == 0.5);
  CHECK(ticks.ticks.front().fraction == doctest::Approx(0.1));
  CHECK(cell_ticks(1, 0.5, 5, -2.5).ticks.front().label == "−2.5");
  CHECK(cell_ticks(1, 0.5, 5).ticks.front().label == "0");
}

TEST_CASE("ticks: tiny and huge values share an exponent, close ones an offset") {
  const Ticks tiny = round_ticks(0, 1e-30, 6);
  CHECK(labels(tiny) == Labels{"0", "0.2", "0.4", "0.6", "0.8", "1.0"});
  CHECK(tiny.common_text("") == "×10^{−30}");
  const Ticks huge = round_ticks(-2e30, 2e30, 5);
  CHECK(labels(huge) == Labels{"−2", "−1", "0", "1", "2"});
  CHECK(huge.common_text("") == "×10^{30}");
  const Ticks close = round_ticks(273.15, 273.1501, 6);
  CHECK(close.common_text("") == "×10^{−4} + 273.15");
  CHECK(close.common_text("K") == "×10^{−4} + 273.15 K");
  CHECK(labels(close) == Labels{"0", "0.2", "0.4", "0.6", "0.8", "1.0"});
}

TEST_CASE(
    "ticks of a logarithmic axis are powers of ten, with numbers between where there are few") {
  const Ticks three = log_ticks(-2, 0.5, 7);
  Labels named = labels(three);
  std::erase(named, "");
  CHECK(named == Labels{"10^{−2}", "10^{−1}", "10^{0}"});
  CHECK(three.ticks.front().fraction == 0);
  CHECK(three.ticks[1].fraction == doctest::Approx(std::log10(2) / 2.5));
  CHECK(three.ticks.size() == 21);  // 0.01, 0.02, ..., 3
  CHECK(labels(log_ticks(-12, 0, 3)) == Labels{"10^{−10}", "10^{−5}", "10^{0}"});
  named = labels(log_ticks(0.5, 1.8, 6));
  std::erase(named, "");
  CHECK(named == Labels{"5", "10", "20", "50"});
  const Ticks narrow = log_ticks(0, std::log10(3), 5);
  CHECK(labels(narrow) == Labels{"1.0", "1.5", "2.0", "2.5", "3.0"});
  CHECK(narrow.ticks[2].fraction == doctest::Approx(std::log10(2) / std::log10(3)));
  for (double low = -300; low < 300; low += 7.3)
    for (const double range : {1e-3, 0.3, 0.9, 1.5, 2.5, 40.0})
      for (int most = 1; most <= 7; ++most) {
        int count = 0;
        for (const Tick& tick : log_ticks(low, low + range, most).ticks) {
          CHECK(tick.fraction >= -1e-5);
          CHECK(tick.fraction <= 1 + 1e-5);
          count += tick.label.empty() ? 0 : 1;
        }
        CHECK(count <= most);
      }
}

TEST_CASE("ticks are in place, apart and short for any range") {
  for (double magnitude = 1e-290; magnitude < 1e300; magnitude *= 3.7e9)
    for (const double low : {-1.0, -0.3, 0.0, 0.7, 0.9999, 0.99999999})
      for (int most = 1; most <= 7; ++most) {
        CAPTURE(magnitude);
        CAPTURE(low);
        const Ticks ticks = round_ticks(low * magnitude, magnitude, most);
        CHECK(ticks.ticks.size() <= static_cast<std::size_t>(most));
        if (most >= 5) CHECK(ticks.ticks.size() >= 2);
        double before = -1;
        for (const Tick& tick : ticks.ticks) {
          CHECK(tick.fraction > before + 0.05);
          CHECK(tick.fraction > -1e-5);
          CHECK(tick.fraction < 1 + 1e-5);
          // six digits or points and a minus sign of three bytes
          CHECK(tick.label.size() <= 9);
          before = tick.fraction;
        }
      }
}

TEST_CASE("limits: percentiles are NumPy's, of the finite values") {
  const std::vector<double> values = {4, std::nan(""), 1, INFINITY, 3, 2};
  const Limits limits = percentile_limits(values, 5, 90);
  CHECK(limits.low == doctest::Approx(1.15).epsilon(1e-15));
  CHECK(limits.high == doctest::Approx(3.7).epsilon(1e-15));
  const Limits none = percentile_limits(std::vector<double>{std::nan("")}, 0, 100);
  CHECK(none.low > none.high);
  CHECK(united(none, limits).high == limits.high);
  CHECK(united(limits, {0, 2}).low == 0);
  CHECK(united(limits, {0, 2}).high == limits.high);
}

TEST_CASE("limits: a constant has the middle colour, zero the middle of a diverging map") {
  for (const double value : {1.0, -7.0, 1e-30, -1e30, 1e300}) {
    CHECK(widened({value, value}).fraction(value) == doctest::Approx(0.5));
    CHECK(centred({value, value}).fraction(0) == 0.5);
  }
  CHECK(widened({0, 0}).fraction(0) == 0);
  CHECK(centred({0, 0}).fraction(0) == 0.5);
  CHECK(widened({2, 3}).low == 2);
  CHECK(widened({2, 3}).high == 3);
  CHECK(centred({-1, 4}).low == -4);
  CHECK(centred({-4, 1}).high == 4);
  const Limits largest = widened({-1.7e308, 1.7e308});
  CHECK(std::isfinite(largest.high - largest.low));
  CHECK(largest.fraction(1.7e308) > 1);
}

TEST_CASE("colours: each map has its ends, its name, and a separate colour for NaN") {
  CHECK(colormap_named("viridis").color(0) == 0x440154);
  CHECK(colormap_named("viridis").color(1) == 0xfde725);
  CHECK(colormap_named("inferno").color(-3) == 0x000004);
  CHECK(colormap_named("inferno").color(3) == 0xfcffa4);
  CHECK(colormap_named("diverging").color(0.5) == 0xf7f7f7);
  CHECK(colormap_named("gray").color(std::nan("")) == missing_color);
  const std::string message = test::thrown_message<ConfigError>([] { colormap_named("jet"); });
  CHECK(test::contains(message, "jet"));
  CHECK(test::contains(message, "viridis, inferno, magma, plasma"));
}

TEST_CASE("colours: uniform maps differ from the published tables by three levels of 255 at most") {
  struct Fact {
    const char* name;
    int entry;
    lapl::Rgb color;
    int last = 255;
    int deviation = 3;
  };
  // The entry with the largest deviation of each map, and some at other places.
  for (const Fact& fact : std::initializer_list<Fact>{
           {"viridis", 242, 0xdde318},      {"viridis", 99, 0x2b758e},
           {"inferno", 2, 0x010106},        {"inferno", 162, 0xe65d2f},
           {"magma", 4, 0x020109},          {"magma", 99, 0x882781},
           {"magma", 229, 0xfecd90},        {"plasma", 251, 0xf2f227},
           {"plasma", 99, 0xad2793},        {"cividis", 251, 0xfde334, 255, 6},
           {"cividis", 99, 0x646770},       {"cividis", 162, 0x9d9576},
           {"mako", 1, 0x0d0406},           {"mako", 162, 0x35a1ab},
           {"rocket", 120, 0xbf1654},       {"rocket", 229, 0xf7c4a4},
           {"batlow", 53, 0x195762},        {"batlow", 162, 0xc49138},
           {"vik", 43, 0x06568c},           {"vik", 229, 0x872406},
           {"twilight", 10, 0xdcd9df, 509}, {"twilight", 194, 0x58278b, 509},
           {"twilight", 451, 0xcea991, 509}}) {
    CAPTURE(fact.name);
    CAPTURE(fact.entry);
    const Rgb color = colormap_named(fact.name).color(fact.entry / static_cast<double>(fact.last));
    for (const int shift : {16, 8, 0})
      CHECK(std::abs(static_cast<int>(color >> shift & 255) -
                     static_cast<int>(fact.color >> shift & 255)) <= fact.deviation);
  }
  CHECK(colormap_named("twilight").color(0) == colormap_named("twilight").color(1));
  CHECK(colormap_named("vik").diverging());
}

TEST_CASE("pixels are cells where there is room, else means that keep the sum") {
  const std::vector<double> field = {1, 2, 3, 4, 5, 6};
  const FieldView view = std::span(field);
  CHECK(resample(view, {2, 3}, {2, 3}) == field);
  CHECK(resample(view, {2, 3}, {2, 6}) == std::vector<double>{1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6});
  CHECK(resample(view, {2, 3}, {1, 1})[0] == doctest::Approx(3.5));
  const std::vector<double> constant(7 * 11, 2.5);
  for (const double value : resample(std::span(constant), {7, 11}, {3, 4}))
    CHECK(value == doctest::Approx(2.5).epsilon(1e-15));
  // The means of an alternating pattern are 0.
  std::vector<float> board(64 * 64);
  for (std::size_t i = 0; i < board.size(); ++i) board[i] = (i / 64 + i) % 2 == 0 ? 1.0F : -1.0F;
  for (const double value : resample(std::span<const float>(board), {64, 64}, {7, 45}))
    CHECK(std::abs(value) < 1e-12);
}

TEST_CASE("layout: everything is inside its cell, cells are square, nothing overlaps") {
  for (const Shape shape : {Shape{20, 30}, {1, 1000}, {1000, 1}, {1, 1}, {7, 4000}, {2000, 2000}})
    for (const PictureSize size : {PictureSize{1200, 400}, {400, 1200}, {500, 300}, {4000, 900}})
      for (const int count : {1, 2, 3}) {
        CAPTURE(shape.rows);
        CAPTURE(shape.columns);
        CAPTURE(size.width);
        const FigureLayout layout = figure_layout(size, count, shape);
        REQUIRE(layout.panels.size() == static_cast<std::size_t>(count));
        for (const PanelLayout& panel : layout.panels) {
          const Rectangle &cell = panel.cell, &box = panel.box, &bar = panel.bar;
          CHECK(box.width >= 1);
          CHECK(box.height >= 1);
          CHECK(box.x - 5 * layout.font >= cell.x);
          CHECK(box.y - 5 * layout.font >= cell.y);
          CHECK(bar.x + bar.width <= cell.x + cell.width);
          CHECK(bar.y + bar.height <= cell.y + cell.height + 1);
          CHECK((panel.bar_below ? bar.y >= box.y + box.height + 3 * layout.font
                                 : bar.x >= box.x + box.width));
          if (std::min(box.width, box.height) > 3 * layout.font)
            CHECK(std::abs(box.width / static_cast<double>(shape.columns) /
                               (box.height / static_cast<double>(shape.rows)) -
                           1) < 0.1);
        }
      }
  CHECK_THROWS_AS(figure_layout({100, 40}, 3, {20, 30}), ConfigError);
  // the panels are stacked
  CHECK(figure_layout(default_size(3, {2, 900}), 3, {2, 900}).panels[1].cell.y > 0);
}

TEST_CASE("movies: ffmpeg is the one of an absolute entry of PATH") {
  const test::ScratchFolder folder;
  const std::filesystem::path here = std::filesystem::current_path();
  const std::string before = std::getenv("PATH"), absolute = folder / "absolute";
  for (const std::string name : {"relative", "absolute"}) {
    std::filesystem::create_directory(folder / name);
    const std::filesystem::path program = folder / name / "ffmpeg";
    std::ofstream(program)
        << "#!/bin/sh\nPATH=/usr/bin:/bin\ncat >/dev/null\nfor file; do :; done\n"
        << "echo " << name << " >\"${file#file:}\"\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  }
  std::filesystem::current_path(folder.path());
  setenv("PATH", "relative:.:", 1);
  CHECK(!ffmpeg_found());
  CHECK_THROWS_AS(FfmpegMovie("m.mp4", {2, 2}, 10), IoError);
  setenv("PATH", ("relative:" + absolute).c_str(), 1);
  CHECK(ffmpeg_found());
  FfmpegMovie("m.mp4", {2, 2}, 10).finish();
  setenv("PATH", before.c_str(), 1);
  std::filesystem::current_path(here);
  CHECK(test::read_bytes(folder / "m.mp4") == "absolute\n");
}

TEST_CASE("movies: one that the disk cuts short is an error") {
  if (!ffmpeg_found()) return;
  const test::ScratchFolder folder;
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{1000, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  {
    FfmpegMovie movie(folder / "m.mp4", {64, 64}, 10);
    movie.add(std::vector<Rgb>(64 * 64));
    CHECK_THROWS_AS(movie.finish(), IoError);
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(std::filesystem::is_empty(folder.path()));
}
