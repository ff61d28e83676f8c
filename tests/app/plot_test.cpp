// lapl plot, from the outside.
#include <array>
#include <cstdint>

#include "app/view/plot/plot_panels.hpp"
#include "tests/app/pictures.hpp"

using namespace lapl::test;

namespace {

std::uint32_t count_frames(const fs::path& path) {
  const std::string bytes = file_text(path);
  const auto control = bytes.find("acTL");
  REQUIRE(control != std::string::npos);
  return lapl::number_at(bytes, control + 4);
}

// Runs a config of three axes into the folder out.
void run_volume() {
  write_text("c.yaml",
             "grid: {shape: [9, 12, 16], spacing: [2, 0.5, 0.5]}\n"
             "equation: {diffusivity: 0.1}\ntime: {step: 0.1, steps: 40}\n"
             "output: {directory: out, every: 20}\ncheckpoint: {every: 20}\n");
  REQUIRE(run_lapl({"run", "c.yaml", "--quiet"}).code == 0);
}

}  // namespace

TEST_CASE("plot: a run, a step, an index and a checkpoint become a PNG of the size asked for") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const Outcome first = run_lapl({"plot", "out"});
  if (lacks_cairo(first)) return;
  CAPTURE(first.err);
  REQUIRE(first.code == 0);
  CHECK(png_size("out.png")[0] > 2 * png_size("out.png")[1]);  // three panels side by side
  for (const char* path : {"out", "out/fields.nc", "out/fields/step-000000040.nc",
                           "out/checkpoints/step-000000060.h5"}) {
    const Outcome plot = run_lapl({"plot", path, "-o", "p.png", "--size", "900x300"});
    CAPTURE(plot.err);
    CHECK(plot.code == 0);
    CHECK(png_size("p.png") == Size{900, 300});
  }
  CHECK(run_lapl({"plot", "out", "-o", "p.svg"}).code == 0);
  CHECK(file_text("p.svg").find("<svg") != std::string::npos);
  CHECK(run_lapl({"plot", "out", "-o", "p.pdf"}).code == 0);
  CHECK(file_text("p.pdf").starts_with("%PDF"));
  CHECK(file_text("p.pdf").find("CreationDate") ==
        std::string::npos);  // equal figures, equal files
}

TEST_CASE("plot: options change what is drawn, and the index draws what the run does") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config("filters: [{name: smooth, kernel: gaussian, sigma: 1}]\n"));
  const Outcome run = run_lapl({"run", "c.yaml"});
  CAPTURE(run.err);
  REQUIRE(run.code == 0);
  if (lacks_cairo(run_lapl({"plot", "out", "-o", "a.png"}))) return;
  REQUIRE(run_lapl({"plot", "out/fields.nc", "-o", "b.png"}).code == 0);
  CHECK(drawing("a.png") == drawing("b.png"));
  for (const std::vector<std::string>& options : {std::vector<std::string>{"--step", "20"},
                                                  {"--field", "smooth"},
                                                  {"--colormap", "inferno"},
                                                  {"--limits", "-1", "1"},
                                                  {"--percentiles", "10", "90"}}) {
    std::vector<std::string> command = {"plot", "out", "-o", "b.png"};
    command.insert(command.end(), options.begin(), options.end());
    const Outcome plot = run_lapl(command);
    CAPTURE(options.front());
    CAPTURE(plot.err);
    CHECK(plot.code == 0);
    CHECK(drawing("a.png") != drawing("b.png"));
  }
}

TEST_CASE("plot: a movie has a frame for each output") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const Outcome movie = run_lapl({"plot", "out", "--movie", "-o", "m.png", "--size", "300x200"});
  if (lacks_cairo(movie)) return;
  CAPTURE(movie.err);
  REQUIRE(movie.code == 0);
  CHECK(png_size("m.png") == Size{300, 200});
  CHECK(count_frames("m.png") == 4);
}

TEST_CASE("plot: fields of one row, one column and one cell can be drawn") {
  const Sandbox sandbox;
  for (const char* shape : {"[1, 500]", "[500, 1]", "[1, 1]", "[500]", "[1]", "[1, 1, 1]",
                            "[1, 1, 70]", "[70, 1, 2]"}) {
    write_text("c.yaml", small_config("", "{coefficient: 0.125}"));
    REQUIRE(run_lapl({"run", "c.yaml", "--overwrite", "--set", std::string("grid.shape=") + shape,
                      "--set", "initial.kind=uniform"})
                .code == 0);
    const Outcome plot = run_lapl({"plot", "out"});
    if (lacks_cairo(plot)) return;
    CAPTURE(plot.err);
    CHECK(plot.code == 0);
  }
}

TEST_CASE(
    "plot, report and watch show slices and projections of three axes, and plot makes movies of "
    "them") {
  const Sandbox sandbox;
  run_volume();
  if (lacks_cairo(run_lapl({"plot", "out", "-o", "p.png"}))) return;
  const std::string slices = drawn({});
  CHECK(png_size("p.png")[0] > 3 * png_size("p.png")[1] / 2);  // three panels side by side
  CHECK(drawn({"--step", "0"}) != slices);
  CHECK(drawn({"--field", "laplacian"}) != slices);
  // A position selects the nearest node; without options the middle slices are drawn.
  const std::string slice = drawn({"--slice", "z=8.9"});
  CHECK(slice == drawn({"--slice", "z:4"}));
  CHECK(slice != drawn({"--slice", "z:5"}));
  CHECK(slice != drawn({"--slice", "x:4"}));
  CHECK(drawn({"--project", "max:z"}) != drawn({"--project", "min:z"}));
  for (const char* kind : {"p.svg", "p.pdf"})
    CHECK(run_lapl({"plot", "out", "-o", kind, "--slice", "y=1"}).code == 0);
  // Movies in time of three slices or of one, and along an axis at one output.
  drawn({"--movie"});
  CHECK(count_frames("p.png") == 3);
  drawn({"--movie", "--slice", "y:3", "--size", "300x200"});
  CHECK(count_frames("p.png") == 3);
  CHECK(png_size("p.png") == Size{300, 200});
  const std::string through = drawn({"--along", "z", "--size", "300x200"});
  CHECK(count_frames("p.png") == 9);
  CHECK(through == drawn({"--along", "z", "--size", "300x200", "--movie", "--step", "40"}));
  CHECK(through != drawn({"--along", "z", "--size", "300x200", "--step", "20"}));
  // A checkpoint has no positions of nodes, so only indices work.
  const std::string checkpoint = "out/checkpoints/step-000000040.h5";
  CHECK(run_lapl({"plot", checkpoint, "-o", "p.png", "--slice", "z:1"}).code == 0);
  CHECK(run_lapl({"plot", checkpoint, "--slice", "z=1"}).err.find("(expected z:0 to z:8)") !=
        std::string::npos);

  CHECK(run_lapl({"watch", "out", "--once"}).out.find("step 40, plane 4") != std::string::npos);
  REQUIRE(run_lapl({"report", "out"}).code == 0);
  CHECK(file_text("out.html").find("<b>field, z = 8</b>") != std::string::npos);
  CHECK(file_text("out.html").find("9 x 12 x 16") != std::string::npos);

  expect_refused({"plot", "out", "-o", "none.png"},
                 {
                     {{"--slice", "z=17.1"}, 2, "outside of the grid (z goes from 0 to 16)"},
                     {{"--slice", "z:9"}, 2, "(expected z:0 to z:8)"},
                     {{"--slice", "w=1"}, 2, "unknown axis \"w\" (x, y or z)"},
                     {{"--project", "median:z"}, 2, "expected max, min or mean and an axis"},
                     {{"--along", "t"}, 2, "--along: t not in {x,y,z}"},
                     {{"--slice", "z:1", "--project", "max:z"}, 2, "--project"},
                     {{"--movie", "--step", "20"}, 2, "a movie of one output goes --along an axis"},
                     {{"--size", "200x200"}, 2, "no room for 3 panels"},
                 });
  CHECK(!fs::exists("none.png"));
}

TEST_CASE("plot, report and watch: a field that began as a picture has its first row on top") {
  const Sandbox sandbox;
  run_letters();
  write_text("d.yaml",
             "grid: {shape: [96, 256]}\nequation: {coefficient: 0.2}\ntime: {steps: 5}\n"
             "output: {directory: other}\ninitial: {kind: fractal}\n");
  REQUIRE(run_lapl({"run", "d.yaml"}).code == 0);
  const auto made = [](const char* command, const char* run, const char* origin,
                       const std::string& file) {
    std::vector<std::string> words = {command, run, "--origin", origin};
    if (file.empty())
      words.emplace_back("--once");
    else
      words.insert(words.end(), {"-o", file});
    const Outcome outcome = run_lapl(words);
    CAPTURE(outcome.err);
    CHECK(outcome.code == 0);
    return file.empty() ? outcome.out : drawing(file);
  };
  for (const char* command : {"watch", "report", "plot"}) {
    CAPTURE(command);
    if (command == std::string("plot") && lacks_cairo(run_lapl({"plot", "out"}))) return;
    const std::string file = command == std::string("watch")    ? ""
                             : command == std::string("report") ? "a.html"
                                                                : "a.png";
    CHECK(made(command, "out", "auto", file) == made(command, "out", "upper", file));
    CHECK(made(command, "out", "auto", file) != made(command, "out", "lower", file));
    CHECK(made(command, "other", "auto", file) == made(command, "other", "lower", file));
    CHECK(made(command, "other", "auto", file) != made(command, "other", "upper", file));
  }
  for (const char* path :
       {"out/fields.nc", "out/fields/step-000000005.nc", "out/checkpoints/step-000000005.h5"}) {
    CAPTURE(path);
    CHECK(made("plot", path, "auto", "a.png") == made("plot", path, "upper", "a.png"));
    CHECK(made("plot", path, "auto", "a.png") != made("plot", path, "lower", "a.png"));
  }
}

TEST_CASE("plot: each panel can have its colour map, and limits can be percentiles of cells") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml", "--set", "grid.shape=[900,900]"}).code == 0);
  if (lacks_cairo(run_lapl({"plot", "out", "-o", "a.png"}))) return;
  const auto drawn = [](std::vector<std::string> options) {
    options.insert(options.end(), {"--size", "900x300"});
    return lapl::test::drawn(options);
  };
  const std::string usual = drawn({});
  CHECK(drawn({"--colormap", "viridis,viridis,diverging"}) == usual);
  CHECK(drawn({"--colormap", "auto"}) == usual);
  CHECK(drawn({"--colormap", "auto,auto,gray"}) != usual);
  CHECK(drawn({"--colormap", "viridis,viridis,gray"}) == drawn({"--colormap", "auto,auto,gray"}));
  CHECK(drawn({"--colormap", "gray,gray,gray"}) == drawn({"--colormap", "gray"}));
  // Means of the Laplacian over a pixel are far smaller than its values in cells.
  CHECK(drawn({"--of-cells"}) != usual);
  CHECK(drawn({"--of-cells"}) != drawn({"--of-cells", "--percentiles", "1", "99"}));
}

TEST_CASE("plot: limits are percentiles of pixels, or of cells where asked for") {
  const lapl::Shape shape{64, 64}, box{8, 8};
  std::vector<double> cells(64 * 64);  // alternates in sign from cell to cell
  for (std::size_t i = 0; i < cells.size(); ++i)
    cells[i] = (i / 64 + i % 64) % 2 == 0 ? 1 + static_cast<double>(i) / 4096 : -1;
  const lapl::FieldView view{std::span<const double>(cells)};
  lapl::PlotStyle style;
  const lapl::Limits pixels = lapl::drawn_field("laplacian", view, shape, box, style).range;
  CHECK(pixels.high < 0.6);
  CHECK(pixels.low > 0);  // and yet its name asks for colours on both sides of 0
  CHECK(lapl::drawn_field("laplacian", view, shape, box, style).signs);
  CHECK_FALSE(lapl::drawn_field("u", view, shape, box, style).signs);
  style.of_cells = true;
  const lapl::Limits all = lapl::drawn_field("laplacian", view, shape, box, style).range;
  CHECK(all.low == -1);
  CHECK(all.high == lapl::percentile_limits(cells, 5, 95).high);
  CHECK(all.high > 1.8);
}

TEST_CASE("plot: mistakes are named, and no picture appears") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  if (lacks_cairo(run_lapl({"plot", "out", "-o", "a.svg"}))) return;
  expect_refused(
      {"plot"},
      {
          {{"out", "--field", "sobel"}, 2, "no such field (it has: field, laplacian)"},
          {{"out", "--step", "30"}, 2, "no output of that step (nearest: 20 and 40)"},
          {{"out", "--step", "99"}, 2, "(nearest: 60)"},
          {{"out", "--size", "0x0"}, 2, "--size 0x0: expected WIDTHxHEIGHT"},
          {{"out", "--size", "800"}, 2, "--size 800: expected WIDTHxHEIGHT"},
          {{"out", "--size", "90000x10"}, 2, "each from 1 to 20000"},
          {{"out", "--size", "60x40"}, 2, "no room for 3 panels"},
          {{"out", "--slice", "z=1"},
           2,
           "--slice z=1: out has a grid of two axes (expected one of three"},
          {{"out", "--along", "x"}, 2, "--along x: out has a grid of two axes"},
          {{"out", "--limits", "2", "1"}, 2, "--limits 2 1: the first must be less"},
          {{"out", "--percentiles", "-5", "95"}, 2, "must lie from 0 to 100"},
          {{"out", "--colormap", "jet"}, 2, "colormap jet: unknown (known: viridis"},
          {{"out", "--colormap", "gray,gray"},
           2,
           "--colormap gray,gray: 2 colour maps for 3 panels"},
          {{"out", "--movie", "--colormap", "gray,gray"}, 2, "2 colour maps for 1 panel"},
          {{"out", "--of-cells", "--limits", "0", "1"}, 2, "--limits"},
          {{"out", "--origin", "top"}, 2, "--origin"},
          {{"out", "-o", "p.jpg"}, 2, "unknown kind of picture \".jpg\" (.png, .svg or .pdf)"},
          {{"out", "-o", "p.mp4"}, 2, ".mp4 with --movie"},
          {{"out", "--movie", "-o", "p.gif"}, 2, "(.mp4 or .png)"},
          {{"none"}, 4, "none: no such file or folder"},
          {{"."}, 4, "not a run folder"},
          {{"c.yaml"}, 4, "c.yaml"},
      });
  for (const auto& entry : fs::directory_iterator(".")) CHECK(entry.path().extension() != ".png");
}
