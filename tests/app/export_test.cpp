// lapl export from the outside: every format holds the values of the outputs.
#include <charconv>
#include <cmath>
#include <cstring>
#include <sstream>

#include "io/durable/durable_file.hpp"
#include "io/hdf5/step_file.hpp"
#include "io/images/image.hpp"
#include "tests/app/program.hpp"

using namespace lapl::test;
using lapl::FieldValues;

namespace {

// The values of the outputs at these steps, one after the other.
FieldValues outputs(const fs::path& run, const std::string& field,
                    const std::vector<std::int64_t>& steps) {
  FieldValues all;
  for (const std::int64_t step : steps) {
    const auto read = lapl::read_field(run / "fields" / lapl::step_file_name(step), field);
    if (step == steps.front()) {
      all = read.values;
      continue;
    }
    std::visit(
        [&](auto& held) {
          const auto& more = std::get<std::decay_t<decltype(held)>>(read.values);
          held.insert(held.end(), more.begin(), more.end());
        },
        all);
  }
  return all;
}

std::string stored_bytes(const FieldValues& values) {
  return std::visit(
      [](const auto& held) {
        return std::string(reinterpret_cast<const char*>(held.data()),
                           held.size() * sizeof held[0]);
      },
      values);
}

// Three axes have a smaller largest stable coefficient.
constexpr const char* stable_on_three = "{coefficient: 0.125}";

void make_run(const std::vector<std::string>& settings = {},
              const char* equation = "{coefficient: 0.25}") {
  write_text("c.yaml", small_config("", equation));
  std::vector<std::string> arguments = {"run", "c.yaml", "--overwrite", "--quiet"};
  for (const std::string& setting : settings) {
    arguments.push_back("--set");
    arguments.push_back(setting);
  }
  REQUIRE(run_lapl(arguments).code == 0);
}

void export_to(const std::string& out, const std::vector<std::string>& options = {}) {
  std::vector<std::string> arguments = {"export", "out", "-o", out, "--overwrite"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const Outcome outcome = run_lapl(arguments);
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == 0);
}

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

}  // namespace

TEST_CASE("export: .nc, .npy and .raw hold every bit of every output, at any shape" *
          doctest::test_suite("slow no_tsan")) {
  const Sandbox sandbox;
  const std::vector<std::int64_t> steps = {0, 20, 40, 60};
  for (const char* shape : {"[20, 30]", "[1, 31]", "[31, 1]", "[1, 1]", "[120, 9001]",
                            "[7, 11, 13]", "[3, 1, 2]", "[1, 1, 1]", "[29]", "[1]"})
    for (const char* precision : {"float32", "float64"}) {
      // One precision suffices for the smallest grids.
      if (precision == std::string("float64") && std::strlen(shape) < 8) continue;
      CAPTURE(shape);
      CAPTURE(precision);
      make_run({std::string("grid.shape=") + shape, std::string("compute.precision=") + precision,
                "initial.kind=gaussian"},
               stable_on_three);
      export_to("all.nc");
      CHECK_NOTHROW(lapl::verify_seal("all.nc"));
      const lapl::FileContent content = lapl::read_content("all.nc");
      CHECK(content.kind == "series");
      CHECK(content.steps == steps);
      CHECK(content.times == std::vector<double>{0, 2.5, 5, 7.5});
      CHECK(content.precision == precision);
      for (const char* field : {"field", "laplacian"}) {
        const std::string expected = stored_bytes(outputs("out", field, steps));
        std::string found;
        for (std::size_t i = 0; i < steps.size(); ++i)
          found += stored_bytes(lapl::read_field("all.nc", field, i).values);
        CHECK(found == expected);
        export_to("one.raw", {"--field", field});
        CHECK(file_text("one.raw") == expected);
        export_to("one.npy", {"--field", field});
        const std::string npy = file_text("one.npy");
        CHECK(npy.starts_with("\x93NUMPY\x01"));
        std::string extents = std::string(shape).substr(1);
        extents.pop_back();
        CHECK(npy.find("'shape': (4, " + extents + "), }") != std::string::npos);
        const std::size_t header = npy.size() - expected.size();
        CHECK(header % 64 == 0);
        CHECK(npy.substr(header) == expected);
      }
    }
}

TEST_CASE("export: .csv has a line for each cell, and its number reads back as the same") {
  const Sandbox sandbox;
  make_run({"compute.precision=float64"});
  export_to("a.csv");
  const auto expected = std::get<std::vector<double>>(outputs("out", "field", {0, 20, 40, 60}));
  std::istringstream file(file_text("a.csv"));
  std::string line;
  std::getline(file, line);
  CHECK(line == "step,time,row,column,field");
  std::size_t i = 0;
  for (; std::getline(file, line); ++i) {
    const std::string before = std::to_string(i / 600 * 20) + ',' + std::to_string(i / 600 * 5) +
                               ',' + std::to_string(i % 600 / 30) + ',' + std::to_string(i % 30) +
                               ',';
    REQUIRE(line.starts_with(before));
    double value = 0;
    std::from_chars(line.data() + before.size(), line.data() + line.size(), value);
    REQUIRE(value == expected.at(i));
  }
  CHECK(i == expected.size());
}

TEST_CASE("export: .csv, .npy and .xdmf are right on three axes and on one") {
  const Sandbox sandbox;
  make_run({"grid.shape=[3, 4, 5]", "grid.spacing=[2, 1, 0.5]", "initial.kind=gaussian",
            "time.step=0.1"},
           "{diffusivity: 0.1}");
  export_to("a.csv", {"--step", "20"});
  std::istringstream file(file_text("a.csv"));
  std::string line;
  std::getline(file, line);
  CHECK(line == "step,time,plane,row,column,field");
  for (int i = 0; i < 60; ++i) {
    REQUIRE(std::getline(file, line));
    CHECK(line.starts_with("20,2," + std::to_string(i / 20) + ',' + std::to_string(i / 5 % 4) +
                           ',' + std::to_string(i % 5) + ','));
  }
  CHECK(!std::getline(file, line));
  export_to("a.npy", {"--step", "20"});
  CHECK(file_text("a.npy").find("'shape': (3, 4, 5), }") != std::string::npos);
  export_to("a.raw");
  CHECK(file_text("a.xdmf").find("Dimensions=\"3 4 5\"") != std::string::npos);
  CHECK(file_text("a.xdmf").find(">2 1 0.5<") != std::string::npos);
  for (const int record : {0, 1, 2, 3})
    CHECK(has(file_text("a.xdmf"), fmt::format("Seek=\"{}\"", 60 * sizeof(float) * record)));

  make_run({"grid.shape=[5]", "initial.kind=gaussian"});
  export_to("a.csv");
  CHECK(file_text("a.csv").starts_with("step,time,column,field\n0,0,0,"));
  export_to("a.npy", {"--step", "20"});
  CHECK(file_text("a.npy").find("'shape': (5,), }") != std::string::npos);
}

TEST_CASE("export: three axes give a picture of each slice, or of the chosen ones") {
  const Sandbox sandbox;
  make_run({"grid.shape=[3, 4, 5]", "initial.kind=gaussian"}, stable_on_three);
  const auto values = std::get<std::vector<float>>(outputs("out", "field", {60}));
  const auto [least, most] = std::ranges::minmax(values);
  // One pixel per cell, first row at the bottom, one colour scale for all slices.
  export_to("slices/", {"--plain", "--along", "z", "--step", "60", "--colormap", "gray"});
  CHECK(entries("slices") == 3);
  for (int plane = 0; plane < 3; ++plane) {
    const lapl::GreyImage picture =
        lapl::read_png("slices/z-00000000" + std::to_string(plane) + ".png");
    REQUIRE(picture.shape == lapl::Shape{4, 5});
    for (int i = 0; i < 20; ++i) {
      const float value = values[plane * 20 + (3 - i / 5) * 5 + i % 5];
      CHECK(std::abs(picture.values[i] - (value - least) / (most - least)) < 0.01);
    }
  }
  export_to("y/", {"--plain", "--slice", "y:2", "--colormap", "gray", "--limits", "0", "1"});
  CHECK(entries("y") == 4);
  CHECK(lapl::read_png("y/step-000000000.png").shape == lapl::Shape{3, 5});
  const Outcome all = run_lapl({"export", "out", "-o", "all/"});
  if (!lacks_cairo(all)) CHECK(entries("all") == 4);
  expect_refused(
      {"export", "out"},
      {{{"-o", "p/", "--plain"}, 2, "(which slice? --slice, --project or --along)"},
       {{"-o", "p/", "--plain", "--along", "z"}, 2, "--along z: shows one output, found 4"},
       {{"-o", "p.npy", "--slice", "z:1"}, 2, "is no picture, as --plain, --slice,"}});
  CHECK(!fs::exists("p"));
}

TEST_CASE("export: an output, the index and an exported file give what the run gives") {
  const Sandbox sandbox;
  make_run();
  export_to("a.npy");
  export_to("a.nc");
  for (const char* source : {"out/fields.nc", "a.nc"}) {
    REQUIRE(run_lapl({"export", source, "-o", "b.npy", "--overwrite"}).code == 0);
    CHECK(file_text("a.npy") == file_text("b.npy"));
  }
  REQUIRE(run_lapl({"export", "a.nc", "-o", "b.nc"}).code == 0);
  CHECK(run_lapl({"diff", "a.nc", "b.nc"}).code == 0);
  REQUIRE(run_lapl({"export", "out/fields/step-000000020.nc", "-o", "b.raw"}).code == 0);
  CHECK(file_text("b.raw") == stored_bytes(outputs("out", "field", {20})));
  // The content that an exported file reports.
  const auto content = lapl::read_content("b.nc");
  CHECK(content.spacing == 1);
  CHECK(content.fields == std::vector<std::string>{"field", "laplacian"});
  const Outcome inspect = run_lapl({"inspect", "b.nc", "--json"});
  CHECK(
      inspect.out.find("field 60 " + last_digest(run_lapl({"run", "c.yaml", "--overwrite"}).out)) !=
      std::string::npos);
}

TEST_CASE(
    "export: the steps and fields asked for are there, with NaN where an output lacks a field") {
  const Sandbox sandbox;
  make_run();
  const auto exported = [&](const std::string& steps) {
    export_to("a.nc", {"--steps", steps});
    return lapl::read_content("a.nc").steps;
  };
  using Steps = std::vector<std::int64_t>;
  CHECK(exported("20:40") == Steps{20, 40});
  CHECK(exported("20:") == Steps{20, 40, 60});
  CHECK(exported(":40") == Steps{0, 20, 40});
  CHECK(exported("::40") == Steps{0, 40});
  CHECK(exported("20::40") == Steps{20, 60});
  CHECK(exported(":") == Steps{0, 20, 40, 60});
  export_to("a.npy", {"--step", "40"});
  CHECK(file_text("a.npy").find("'shape': (20, 30), ") != std::string::npos);
  export_to("a.nc", {"--field", "laplacian", "--step", "40"});
  CHECK(lapl::read_content("a.nc").fields == std::vector<std::string>{"laplacian"});

  REQUIRE(
      run_lapl({"resume", "out", "--set", "time.steps=80", "--set", "output.fields=[laplacian]"})
          .code == 0);
  export_to("b.nc");
  CHECK(lapl::read_content("b.nc").fields == std::vector<std::string>{"field", "laplacian"});
  const auto missing = std::get<std::vector<float>>(lapl::read_field("b.nc", "field", 4).values);
  for (const float value : missing) REQUIRE(std::isnan(value));
}

TEST_CASE("export: a running run gives its finished outputs, a damaged output is refused") {
  const Sandbox sandbox;
  make_run();
  write_text("out/fields/.step-000000080.nc.tmp-1", "half of an output");
  export_to("a.npy");
  CHECK(file_text("a.npy").find("'shape': (4, 20, 30), ") != std::string::npos);
  std::string bytes = file_text("out/fields/step-000000040.nc");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_text("out/fields/step-000000040.nc", bytes);
  fs::create_directory("empty");
  for (const char* out : {"empty/a.nc", "empty/a.npy", "empty/a.raw", "empty/a.csv", "empty/"}) {
    const Outcome outcome = run_lapl({"export", "out", "-o", out});
    CAPTURE(outcome.err);
    if (lacks_cairo(outcome)) continue;
    CHECK(outcome.code == 4);
    CHECK(outcome.err.find("step-000000040.nc: the bytes differ") != std::string::npos);
    CHECK(entries("empty") == 0);
  }
}

TEST_CASE("export: each output gives a picture, all of one size") {
  const Sandbox sandbox;
  make_run();
  const Outcome outcome = run_lapl({"export", "out", "-o", "frames/"});
  if (lacks_cairo(outcome)) return;
  REQUIRE(outcome.code == 0);
  CHECK(entries("frames") == 4);
  const auto png_extent = [](const char* path) { return file_text(path).substr(16, 8); };
  CHECK(png_extent("frames/step-000000000.png") == png_extent("frames/step-000000060.png"));
  CHECK(file_text("frames/step-000000000.png") != file_text("frames/step-000000060.png"));
  export_to("p%4d.png", {"--steps", "20:40"});
  CHECK(file_text("p  20.png") != file_text("frames/step-000000020.png"));  // other colour limits
  CHECK(fs::exists("p  40.png"));
}

TEST_CASE("export: mistakes are named, and existing files stay") {
  const Sandbox sandbox;
  make_run();
  export_to("made.nc");
  write_text("old.npy", "old");
  write_text("new.xdmf", "old");
  write_text("foreign.h5", "none");
  fs::create_directory("pictures");
  write_text("pictures/step-000000060.png", "old");
  const std::vector<Refusal> refusals = {
      {{"out", "-o", "old.npy"}, 2, "old.npy: exists already (--overwrite replaces it)"},
      {{"out", "-o", "new.raw"}, 2, "new.xdmf: exists already"},
      {{"out", "-o", "pictures"}, 2, "step-000000060.png: exists already"},
      {{"out", "-o", "a.hdf"}, 2, "-o a.hdf: unknown ending \".hdf\" (FILE.nc"},
      {{"out", "-o", "a"}, 2, "unknown ending \"\""},
      {{"out", "-o", "a.png"}, 2, "such as frames/%09d.png"},
      {{"out", "-o", "%d%s.png"}, 2, "expected one place for the step"},
      {{"out", "-o", "%n.png"}, 2, "expected one place for the step"},
      {{"out", "-o", "%99999d.png"}, 2, "expected one place for the step"},
      {{"out", "-o", "none/a.nc"}, 4, "none/a.nc: cannot create"},
      {{"out", "-o", "none/a.npy"}, 4, "none/a.npy: cannot create"},
      {{"out", "-o", "out/fields.nc", "--overwrite"}, 2, "is a file of the run"},
      {{"out", "-o", "out/diagnostics.csv", "--overwrite"}, 2, "is a file of the run"},
      {{"out", "-o", "out/probes.csv"}, 2, "is a file of the run"},
      {{"out", "-o", "out/fields/step-000000020.nc", "--overwrite"}, 2, "is a file of the run"},
      {{"out", "-o", "out/fields/step-000000030.nc", "--step", "20"}, 2, "is a file of the run"},
      {{"made.nc", "-o", "made.nc", "--overwrite"}, 2, "is part of what is exported"},
      {{"out"}, 2, "--output is required"},
      {{"out", "-o", "a.nc", "--field", "smooth"}, 2, "no such field (it has: field, laplacian)"},
      {{"out", "-o", "a.nc", "--step", "30"}, 2, "(it has 0, 20, 40, 60)"},
      {{"out", "-o", "a.nc", "--steps", "61:"}, 2, "no output of the steps asked for"},
      {{"out", "-o", "a.nc", "--steps", "20"}, 2, "--steps 20: expected FIRST:LAST"},
      {{"out", "-o", "a.nc", "--steps", "0:9:0"}, 2, "--steps 0:9:0: expected"},
      {{"out", "-o", "a.nc", "--steps", "9:0"}, 2, "--steps 9:0: expected"},
      {{"out", "-o", "a.nc", "--steps", "1:2:3:4"}, 2, "--steps 1:2:3:4: expected"},
      {{"out", "-o", "a.nc", "--steps", "a:b"}, 2, "--steps a:b: expected"},
      {{"out", "-o", "a.nc", "--steps", "-5:"}, 2, "--steps -5:: expected"},
      {{"out", "-o", "a.nc", "--steps", "0:", "--step", "0"}, 2, "excludes"},
      {{"none", "-o", "a.nc"}, 4, "none: no such file or folder"},
      {{".", "-o", "a.nc"}, 4, "not a run folder"},
      {{"foreign.h5", "-o", "a.nc"}, 4, "foreign.h5"},
      {{LAPL_SOURCE_DIR "/tests/data/reference.h5", "-o", "a.nc"}, 4, "another HDF5 file"},
      {{"out/checkpoints/step-000000060.h5", "-o", "a.nc"}, 4, "is a checkpoint, not an output"},
  };
  const std::size_t before = entries(".");
  expect_refused({"export"}, refusals);
  CHECK(file_text("old.npy") == "old");
  CHECK(entries(".") <= before + 2);  // at most out.txt and err.txt are new
  // A grid too large for .csv is refused before anything is written.
  make_run({"grid.shape=[500, 501]", "initial.kind=uniform"});
  const Outcome csv = run_lapl({"export", "out", "-o", "a.csv"});
  CHECK(csv.code == 2);
  CHECK(csv.err.find("4 outputs of 500 x 501 cells make over 1000000 lines") != std::string::npos);
  CHECK(!fs::exists("a.csv"));
  CHECK(run_lapl({"export", "out", "-o", "a.csv", "--step", "20", "--quiet"}).out.empty());
}

TEST_CASE(
    "export: plain pictures have a pixel for each cell and equal the picture that the field began "
    "as") {
  const Sandbox sandbox;
  run_letters();
  export_to("plain/", {"--plain", "--colormap", "gray", "--limits", "0", "1"});
  CHECK(entries("plain") == 2);
  const lapl::GreyImage began = lapl::read_png(letters);
  const lapl::GreyImage first = lapl::read_png("plain/step-000000000.png");
  CHECK(first.shape == began.shape);
  CHECK(first.values == began.values);
  CHECK(lapl::read_png("plain/step-000000005.png").values != began.values);
  export_to("below/", {"--plain", "--colormap", "gray", "--limits", "0", "1", "--origin", "lower"});
  const lapl::GreyImage below = lapl::read_png("below/step-000000000.png");
  for (std::size_t column = 0; column < 256; ++column)
    CHECK(below.values[column] == began.values[std::size_t{95} * 256 + column]);
  export_to("coloured/", {"--plain", "--field", "laplacian"});
  CHECK(lapl::png_shape("coloured/step-000000005.png") == lapl::Shape{96, 256});
  const Outcome refused = run_lapl({"export", "out", "-o", "a.nc", "--plain"});
  CHECK(refused.code == 2);
  CHECK(refused.err.find("a.nc: is no picture, as --plain") != std::string::npos);
  CHECK(!fs::exists("a.nc"));
}
