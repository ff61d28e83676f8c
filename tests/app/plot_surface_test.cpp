// Surfaces of volumes by lapl plot.
#include "tests/app/pictures.hpp"

using namespace lapl::test;

TEST_CASE("plot: the surface of a value, from a direction, in pictures and movies") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [9, 12, 16], spacing: [2, 0.5, 0.5]}\n"
             "equation: {u: -0.1 * u}\ninitial: {u: x}\n"
             "time: {step: 0.1, steps: 4}\noutput: {directory: out, every: 2}\n");
  REQUIRE(run_lapl({"run", "c.yaml", "--quiet"}).code == 0);
  write_text("plate.yaml",
             "grid: {shape: [9, 9]}\nequation: {diffusivity: 0.1}\ntime: {step: 0.1, steps: "
             "1}\noutput: {directory: plate}\n");
  REQUIRE(run_lapl({"run", "plate.yaml", "--quiet"}).code == 0);
  if (lacks_cairo(run_lapl({"plot", "out", "-o", "a.svg"}))) return;
  expect_refused({"plot"},
                 {
                     {{"out", "--iso", "9"},
                      2,
                      "--iso 9: 9 is outside of the values of u (expected 0 to 7.5)"},
                     {{"out", "--iso", "x"}, 2, "--iso x: expected a number"},
                     {{"plate", "--iso", "0.5"}, 2, "plate has a grid of 9 x 9 (expected three"},
                     {{"out", "--view", "1,2"}, 2, "--view 1,2: shows a surface (expected also"},
                     {{"out", "--iso", "3", "--view", "1"}, 2, "--view 1: expected AZIMUTH,ELEV"},
                     {{"out", "--iso", "3", "--view", "1,95"}, 2, "from -90 to 90"},
                     {{"out", "--iso", "3", "--slice", "z:1"}, 2, "--slice"},
                     {{"out", "--iso", "3", "--contours", "4"}, 2, "--contours"},
                 });
  for (const auto& entry : fs::directory_iterator(".")) CHECK(entry.path().extension() != ".png");
  const std::string usual = drawn({"--iso", "3"});
  CHECK(drawn({"--iso", "3", "--view", "-60,30"}) == usual);
  CHECK(drawn({"--iso", "3", "--view", "20,30"}) != usual);
  CHECK(drawn({"--iso", "3", "--colormap", "gray"}) != usual);
  CHECK(drawn({"--iso", "3", "--step", "4"}) != usual);
  CHECK(run_lapl({"plot", "out", "-o", "p.svg", "--iso", "3"}).code == 0);
  // 7.5 exp(-0.04) < 7.4: the last frame has no surface, but the first one has.
  CHECK(run_lapl({"plot", "out", "--movie", "-o", "m.png", "--iso", "7.4"}).code == 0);
  CHECK(png_size("m.png")[0] > 100);
}
