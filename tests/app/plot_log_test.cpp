// lapl plot --log: logarithmic scales of values.
#include <cmath>

#include "app/view/plot/plot_panels.hpp"
#include "tests/app/pictures.hpp"

using namespace lapl::test;

TEST_CASE("plot: a logarithmic scale has the logarithms of values and limits, and gaps in graphs") {
  const lapl::Shape map{1, 4}, line{.rows = 1, .columns = 4, .planes = 1, .axes = 1};
  const std::vector<double> positive = {0.01, 0.1, 1, 100}, mixed = {-1, 0.1, 0, 10};
  lapl::PlotStyle style;
  style.log = true;
  const auto panel = [&](const std::vector<double>& values, lapl::Shape shape) {
    const lapl::FieldView view{std::span<const double>(values)};
    return lapl::make_panel(lapl::drawn_field("u", view, shape, shape, style), "", style, {});
  };
  const lapl::Panel of_map = panel(positive, map);
  CHECK(of_map.scale == lapl::Scale::logarithmic);
  CHECK(of_map.pixels == std::vector<double>{-2, -1, 0, 2});
  CHECK(of_map.limits.low == -2);
  CHECK(of_map.limits.high == 2);
  const lapl::Panel graph = panel(mixed, line);
  CHECK(std::isnan(graph.pixels[0]));
  CHECK(std::isnan(graph.pixels[2]));
  CHECK(graph.pixels[3] == 1);
  CHECK(graph.limits.low == doctest::Approx(-1.1));
  CHECK(graph.limits.high == doctest::Approx(1.1));
  style.limits = lapl::Limits{0.01, 1};
  const lapl::Panel limited = panel(mixed, map);
  CHECK(limited.limits.low == -2);
  CHECK(limited.pixels[0] < -1e300);  // the colour of the lower end
  CHECK(limited.pixels[1] == -1);
}

TEST_CASE("plot: --log draws maps, lines and graphs, and names a cell without a logarithm") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [6, 20, 30]}\nboundary: insulated\n"
             "equation: {u: \"0.1*laplacian(u)\", v: \"0*v\"}\n"
             "initial: {u: 10^(x/5), v: \"where(x == 4 and y == 3 and z == 2, -0.5, 1)\"}\n"
             "time: {step: 0.25, steps: 40}\noutput: {directory: out, every: 20}\n");
  const Outcome run = run_lapl({"run", "c.yaml"});
  CAPTURE(run.err);
  REQUIRE(run.code == 0);
  if (lacks_cairo(run_lapl({"plot", "out", "-o", "a.png"}))) return;
  const std::vector<std::vector<std::string>> all = {
      {"--field", "u"},
      {"--field", "u", "--slice", "z:2", "--own-limits"},
      {"--field", "u", "--line", "y:3,z:2"},
      {"--field", "v", "--line", "y:3,z:2"},
      {"--graph", "u_max,v_min"},
      {"--field", "v", "--limits", "0.1", "1"},
      {"--field", "u", "--movie"}};
  for (std::vector<std::string> options : all) {
    CAPTURE(options.back());
    const std::string linear = drawn(options);
    options.emplace_back("--log");
    CHECK(drawn(options) != linear);
  }
  CHECK(run_lapl({"export", "out", "--field", "u", "--slice", "z:2", "--log", "-o", "e/"}).code ==
        0);
  expect_refused(
      {"plot", "out", "-o", "none.png", "--log"},
      {{{"--field", "v", "--slice", "z:2"}, 2, "--log: v at step 0 is -0.5 in cell x:4, y:3"},
       {{"--field", "v", "--slice", "y:3"}, 2, "is -0.5 in cell x:4, z:2 (expected values above 0"},
       {{"--field", "v", "--slice", "x:4", "--movie"}, 2, "is -0.5 in cell y:3, z:2"},
       {{"--limits", "-1", "1", "--field", "u"},
        2,
        "with --log: found -1 (expected limits above 0"},
       {{"--graph", "v_min"}, 2, "--log: v_min has no value above 0"}});
  CHECK(!fs::exists("none.png"));
}
