// lapl plot --line: values along one axis of a grid of two or three.
#include "tests/app/pictures.hpp"

using namespace lapl::test;

namespace {

// Runs u and v of four outputs on this grid into the folder out.
void run_grid(const std::string& shape) {
  write_text("c.yaml", "grid: {shape: " + shape +
                           ", spacing: 0.5}\nboundary: insulated\n"
                           "equation: {u: \"0.1*laplacian(u)\", v: \"-0.1*v\"}\n"
                           "initial: {u: random, v: x}\ntime: {step: 0.25, steps: 60}\n"
                           "output: {directory: out, every: 20}\n"
                           "checkpoint: {every: 60}\n");
  REQUIRE(run_lapl({"run", "c.yaml", "--overwrite"}).code == 0);
}

}  // namespace

TEST_CASE("plot: a line of a grid is drawn as a grid of one axis is") {
  const Sandbox sandbox;
  run_grid("[20, 30]");
  if (lacks_cairo(run_lapl({"plot", "out", "-o", "a.png"}))) return;
  const std::string line = drawn({"--line", "y=4.1"});
  const Size size = png_size("p.png");
  CHECK(line == drawn({"--line", "y:8"}));
  CHECK(line == drawn({"--line", "y:8", "--steps", "0,60"}));
  CHECK(line != drawn({"--line", "y:9"}));
  CHECK(line != drawn({"--line", "y:8", "--times", "0,5,10,15"}));
  CHECK(line != drawn({"--line", "y:8", "--limits", "0", "9"}));
  CHECK(png_size("p.png") == size);
  drawn({"--line", "y:8", "--own-limits"});
  CHECK(png_size("p.png") != size);  // two panels for each field
  drawn({"--line", "x=3", "--movie", "--size", "500x300"});
  CHECK(png_size("p.png") == Size{500, 300});
  const std::string checkpoint = "out/checkpoints/step-000000060.h5";
  CHECK(run_lapl({"plot", checkpoint, "-o", "p.png", "--line", "y:8"}).code == 0);
  expect_refused(
      {"plot", "out", "-o", "none.png"},
      {{{"--line", "y=40"}, 2, "--line y=40: outside of the grid (y goes from 0 to 9.5)"},
       {{"--line", "z=0"}, 2, "--line z=0: the grid has no such axis"},
       {{"--line", "y"}, 2, "--line y: expected an axis and a position"},
       {{"--line", "y:1", "--slice", "z:1"}, 2, "--slice"},
       {{"--line", "y:1", "--along", "x"}, 2, "--along"}});
  run_grid("[6, 7, 8]");
  CHECK(drawn({"--line", "y=1,z=0.6"}) == drawn({"--line", "z:1,y:2", "--steps", "0,60"}));
  CHECK(png_size("p.png") == size);
  expect_refused({"plot", "out", "-o", "none.png"},
                 {{{"--line", "y:1"}, 2, "expected a position on each of two axes"}});
  run_grid("[40]");
  drawn({});
  CHECK(png_size("p.png") == size);
  expect_refused({"plot", "out", "-o", "none.png"},
                 {{{"--line", "x:1"}, 2, "has a grid of one axis, which is drawn as a line"}});
  CHECK(!fs::exists("none.png"));
}

TEST_CASE("plot: --space-time is a map of one axis over the time of all outputs") {
  const Sandbox sandbox;
  run_grid("[40]");
  if (lacks_cairo(run_lapl({"plot", "out", "-o", "a.png"}))) return;
  const std::string map = drawn({"--field", "v", "--space-time"});
  // v decays as exp(-0.1 t) from x, so that its largest value of all is that of the first output
  CHECK(map == drawn({"--field", "v", "--space-time", "--limits", "0", "19.5"}));
  CHECK(map != drawn({"--field", "v", "--space-time", "--colormap", "gray"}));
  CHECK(map != drawn({"--field", "u", "--space-time"}));
  expect_refused({"plot", "out", "-o", "none.png", "--space-time"},
                 {{{"--step", "20"}, 2, "--step"}, {{"--movie"}, 2, "--movie"}});
  expect_refused({"plot", "out/fields/step-000000000.nc", "-o", "none.png"},
                 {{{"--space-time"}, 2, "has one output (expected one axis, or --line, and"}});
  run_grid("[20, 30]");
  drawn({"--line", "x:3", "--space-time"});
  expect_refused({"plot", "out", "-o", "none.png"},
                 {{{"--space-time"}, 2, "--space-time: out has 2 axes (expected one axis, or --l"},
                  {{"--graph", "u_max", "--space-time"}, 2, "--space-time"}});
  CHECK(!fs::exists("none.png"));
}

TEST_CASE("plot: a sheet of a sweep shows a line of each member") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config("initial: {kind: gaussian}\n"));
  REQUIRE(
      run_lapl({"sweep", "c.yaml", "--set", "equation.coefficient=0.1,0.2", "--output", "sweep"})
          .code == 0);
  if (lacks_cairo(run_lapl({"plot", "sweep", "-o", "a.png"}))) return;
  const auto sheet = [](const char* line) {
    REQUIRE(run_lapl({"plot", "sweep", "-o", "p.png", "--line", line}).code == 0);
    return drawing("p.png");
  };
  CHECK(sheet("y:8") != sheet("y:9"));
}
