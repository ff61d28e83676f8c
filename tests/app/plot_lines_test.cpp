// Lines over the pictures of lapl plot.
#include "tests/app/pictures.hpp"

using namespace lapl::test;

namespace {

// A disc of v in the middle of a plate with a mask and a gradient of u along x.
constexpr const char* plate =
    "grid: {shape: [24, 32], mask: {formula: (x - 8)^2 + (y - 8)^2 > 9}}\n"
    "equation: {u: 0 * u, v: 0 * v}\n"
    "initial: {u: x, v: 'where((x - 20)^2 + (y - 12)^2 < 20, 1, 0)'}\n"
    "time: {step: 1, steps: 2}\noutput: {directory: out, every: 1}\n";

// The number of line pieces in an SVG of out with these options.
std::size_t pieces(std::vector<std::string> options) {
  options.insert(options.begin(), {"plot", "out", "-o", "p.svg", "--step", "2", "--field", "u"});
  const Outcome outcome = run_lapl(options);
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == 0);
  const std::string svg = file_text("p.svg");
  std::size_t count = 0;
  for (auto at = svg.find(" L "); at != std::string::npos; at = svg.find(" L ", at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("plot: contours of a field, of another one and of the mask are paths over its picture") {
  const Sandbox sandbox;
  write_text("c.yaml", plate);
  const Outcome run = run_lapl({"run", "c.yaml", "--quiet"});
  CAPTURE(run.err);
  REQUIRE(run.code == 0);
  if (lacks_cairo(run_lapl({"plot", "out", "-o", "a.svg"}))) return;
  const std::size_t none = pieces({});
  // Each line of u is straight from below to above: 23 cells, and a mark in the bar, each drawn
  // twice. The hole is not near x = 24.5.
  CHECK(pieces({"--contours", "24.5"}) == none + 2 * (23 + 1));
  CHECK(pieces({"--contours", "24.5,28.25"}) == none + 4 * (23 + 1));
  CHECK(pieces({"--contours", "1"}) > none + 2 * 10);
  const std::size_t disc = pieces({"--over", "v=0.5"}), mask = pieces({"--over", "mask"});
  CHECK(disc > none + 2 * 20);
  CHECK(mask > none + 2 * 12);
  CHECK(pieces({"--over", "v=0.5", "--over", "mask"}) == disc + mask - none);
  CHECK(pieces({"--over", "v"}) > none + 2 * (disc - none));
  for (const char* end : {"p.pdf", "p.png"})
    CHECK(run_lapl({"plot", "out", "-o", end, "--contours", "4", "--over", "mask"}).code == 0);
  // fields.nc has the mask once for all times.
  const std::vector<std::string> movie = {"plot", "out/fields.nc", "--movie", "-o", "m.png"};
  CHECK(run_lapl(movie).code == 0);
  const std::string without = drawing("m.png");
  std::vector<std::string> with = movie;
  with.insert(with.end(), {"--over", "mask", "--contours", "3"});
  CHECK(run_lapl(with).code == 0);
  CHECK(drawing("m.png") != without);
  // The first row is above: the same lines at other places.
  CHECK(drawn({"--contours", "4", "--origin", "upper"}) != drawn({"--contours", "4"}));
}

TEST_CASE("plot: mistakes in lines are named, and no picture appears") {
  const Sandbox sandbox;
  write_text("c.yaml", plate);
  REQUIRE(run_lapl({"run", "c.yaml", "--quiet"}).code == 0);
  write_text("line.yaml",
             "grid: {shape: [9]}\nequation: {diffusivity: 0.1}\ntime: {step: 0.1, steps: "
             "1}\noutput: {directory: line}\n");
  REQUIRE(run_lapl({"run", "line.yaml", "--quiet"}).code == 0);
  if (lacks_cairo(run_lapl({"plot", "out", "-o", "a.svg"}))) return;
  expect_refused({"plot"},
                 {
                     {{"out", "--contours", "0"}, 2, "--contours 0: found 0 (expected a number"},
                     {{"out", "--contours", "1,x"}, 2, "--contours 1,x: found x (expected"},
                     {{"out", "--contours", "40.0"},
                      2,
                      "--contours 40.0: 40 is outside of the values of u (expected 0 to 31)"},
                     {{"out", "--over", "w"}, 2, "--over w: out has no such field (it has: u, v)"},
                     {{"out", "--over", "v="}, 2, "--over v=: found  (expected a number"},
                     {{"out", "--over", "=3"}, 2, "--over =3: found no name"},
                     {{"line", "--contours", "3"}, 2, "line has a grid of one axis"},
                     {{"line", "--over", "mask"}, 2, "--over mask"},
                 });
  for (const auto& entry : fs::directory_iterator(".")) CHECK(entry.path().extension() != ".png");
}
