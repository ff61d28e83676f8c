// Runs on grids with an origin: files and pictures have the positions, and restarts keep them.
#include <hdf5.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/hdf5/file_content.hpp"
#include "io/hdf5/hdf5_values.hpp"
#include "tests/app/program.hpp"
#include "tests/text.hpp"

using namespace lapl;
using namespace lapl::test;

namespace {

const std::string axes_config =
    "grid: {shape: [4, 6, 8], size: [2, 3, 2], center: true}\nboundary: insulated\n"
    "equation: {kind: formula, field: 0.1 * laplacian(field) - hx * field}\n"
    "initial: {kind: formula, formula: 'exp(-x^2 - y^2 - z^2) + 0 * Lz'}\n"
    "time: {step: 0.05, steps: 40}\n"
    "output: {directory: out, every: 20, fields: [field, r], derived: {r: {formula: x^2 + y^2}}}\n"
    "checkpoint: {every: 20}\n";

Outcome run_axes(const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"run", "c.yaml", "--backend", "cpu"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_lapl(arguments);
}

std::string without_lines(const std::string& text, const std::vector<std::string>& words) {
  std::istringstream lines(text);
  std::string kept;
  for (std::string line; std::getline(lines, line);)
    if (std::ranges::none_of(words, [&](const std::string& word) { return has(line, word); }))
      kept += line + '\n';
  return kept;
}

}  // namespace

TEST_CASE("coordinates in files and pictures follow the origin") {
  const Sandbox sandbox;
  write_text("c.yaml", axes_config);
  const Outcome outcome = run_axes();
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == 0);
  REQUIRE(run_lapl({"export", "out", "-o", "all.nc"}).code == 0);
  REQUIRE(run_lapl({"export", "out", "-o", "all.raw"}).code == 0);
  CHECK(has(file_text("all.xdmf"), ">-0.75 -1.25 -0.875<"));
  for (const std::string file : {"out/fields/step-000000040.nc", "out/fields.nc", "all.nc"}) {
    CAPTURE(file);
    const auto seen = nlohmann::json::parse(run_lapl({"inspect", file, "--json"}).out);
    CHECK(seen["origin"] == nlohmann::json({-0.75, -1.25, -0.875}));
    const Hdf5Session session;
    const OpenedFile opened = open_verified(file);
    CHECK(read_array<double>(opened.file, "z", 9) == std::vector{-0.75, -0.25, 0.25, 0.75});
    CHECK(read_array<double>(opened.file, "y", 9) ==
          std::vector{-1.25, -0.75, -0.25, 0.25, 0.75, 1.25});
    CHECK(read_array<double>(opened.file, "x", 9).back() == 0.875);
    if (file == "out/fields.nc") continue;  // an index, which VTK does not read
    const Hdf5Group vtk(H5Gopen2(opened.file, "VTKHDF", H5P_DEFAULT), "open VTKHDF");
    CHECK(read_numbers_attribute<double>(vtk, "Origin", 3) == std::vector{-0.875, -1.25, -0.75});
  }
  REQUIRE(run_lapl({"report", "out", "-o", "r.html"}).code == 0);
  CHECK(has(file_text("r.html"), "−0.5"));
  const Outcome drawn = run_lapl({"plot", "out", "-o", "p.svg", "--slice", "z=-0.3"});
  if (lacks_cairo(drawn)) return;
  REQUIRE(drawn.code == 0);
  CHECK(has(run_lapl({"plot", "out", "-o", "q.svg", "--slice", "z=2"}).err,
            "(z goes from −0.75 to 0.75)"));
}

TEST_CASE("a restart takes size and spacing as the same grid, and refuses another origin") {
  const Sandbox sandbox;
  write_text("c.yaml", axes_config);
  REQUIRE(run_axes({"--output", "whole"}).code == 0);
  REQUIRE(run_axes({"--set", "time.steps=20"}).code == 0);
  const Outcome other =
      run_lapl({"resume", "out", "--set", "time.steps=40", "--set", "grid.origin=0"});
  CHECK(other.code == 2);
  CHECK(has(other.err, "grid.origin: [-0.75, -1.25, -0.875] in "));
  const Outcome same =
      run_lapl({"run", "c.yaml", "--backend", "cpu", "--auto-resume", "--set",
                "grid.spacing=[0.5, 0.5, 0.25]", "--set", "grid.origin=[-0.75, -1.25, -0.875]"});
  CAPTURE(same.err);
  CHECK(same.code == 0);
  CHECK(run_lapl({"diff", "out", "whole"}).code == 0);
  CHECK(run_lapl({"verify-restart", "c.yaml", "--backend", "cpu"}).code == 0);
}

TEST_CASE("a run folder of a version without size and origin goes on") {
  const Sandbox sandbox;
  std::string config = axes_config;
  config.replace(0, config.find('\n'), "grid: {shape: [4, 6, 8], spacing: 0.5}");
  write_text("c.yaml", config);
  REQUIRE(run_axes({"--set", "time.steps=20"}).code == 0);
  const std::string before = file_text("out/config.yaml");
  const std::string old = without_lines(before, {"  size: ", "  origin: ", "  center: "});
  REQUIRE(std::ranges::count(old, '\n') + 3 == std::ranges::count(before, '\n'));
  write_text("out/config.yaml", old);
  const Outcome resumed = run_lapl({"resume", "out", "--set", "time.steps=40"});
  CAPTURE(resumed.err);
  CHECK(resumed.code == 0);
}
