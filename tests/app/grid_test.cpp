// Grids of one and three axes through every command that runs, checks or measures them.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/app/program.hpp"
#include "tests/text.hpp"

using namespace lapl::test;

namespace {

struct Grid {
  std::string name, config;
};

const std::string rest =
    "time: {step: auto, steps: 30}\noutput: {directory: out, every: 10, fields: [field, laplacian, "
    "slope], derived: {slope: {formula: gradient_squared(field)}}, integrals: {all: field}, ";

const std::vector<Grid>& grids() {
  static const std::vector<Grid> all = {
      {"line",
       "grid: {shape: [41], spacing: 0.5}\nequation: {kind: diffusion, diffusivity: 0.3}\n"
       "boundary: insulated\ninitial: {kind: gaussian, width: 0.2}\n" +
           rest + "probes: {every: 5, at: {here: [7]}}}\ncheckpoint: {every: 10}\n"},
      {"front",
       "grid: {shape: [41]}\nparameters: {D: {formula: 1 + 0.1 * sin(x)}}\n"
       "equation: {kind: formula, field: divergence(D * gradient(field)) + field * (1 - field)}\n"
       "boundary: {columns: {first: {value: 1}, last: insulated}}\n"
       "initial: {kind: formula, formula: exp(-x)}\n" +
           rest + "probes: {every: 5, at: {here: [7]}}}\ncheckpoint: {every: 10}\n"},
      {"box",
       "grid: {shape: [6, 7, 9], spacing: [0.5, 1, 0.25]}\n"
       "equation: {kind: diffusion, diffusivity: 0.3}\n"
       "boundary: {planes: insulated, rows: periodic, columns: zero}\n"
       "initial: {kind: fractal, crop_radius: null}\n" +
           rest + "probes: {every: 5, at: {here: [5, 3, 4]}}}\ncheckpoint: {every: 10}\n"},
      {"allen-cahn",
       "grid: {shape: [6, 7, 9]}\nparameters: {c: {formula: 0.1 + 0.01 * z}}\n"
       "equation: {kind: formula, field: laplacian(field) + field - field^3 - c * d_dz(field)}\n"
       "boundary: {planes: {first: {value: 0.1 * x}, last: insulated}, rows: periodic, columns: "
       "insulated}\ninitial: {kind: formula, formula: random - 0.5}\n" +
           rest + "probes: {every: 5, at: {here: [5, 3, 4]}}}\ncheckpoint: {every: 10}\n"},
      {"line with a gap",
       "grid: {shape: [41], spacing: 0.5, mask: {formula: abs(x - 10) > 2}}\n"
       "equation: {kind: diffusion, diffusivity: 0.3}\n"
       "boundary: {columns: periodic, mask: {value: 0.2}}\ninitial: {kind: gaussian, width: "
       "0.2}\n" +
           rest + "probes: {every: 5, at: {here: [7]}}}\ncheckpoint: {every: 10}\n"},
      {"ball",
       "grid: {shape: [6, 7, 9], mask: {formula: (x - 4)^2 + (y - 3)^2 + (z - 3)^2 < 14}}\n"
       "equation: {kind: formula, let: {mu: field^3 - field - laplacian(field)}, field: 0.1 * "
       "laplacian(mu)}\nboundary: insulated\ninitial: {kind: formula, formula: random - 0.5}\n" +
           rest + "probes: {every: 5, at: {here: [3, 3, 4]}}}\ncheckpoint: {every: 10}\n"}};
  return all;
}

Outcome run_with(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"run", "c.yaml", "--backend", "cpu"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_lapl(arguments);
}

}  // namespace

TEST_CASE("grids of one and three axes: engines, resume and verify-restart have the same bits" *
          doctest::test_suite("moderate")) {
  for (const Grid& grid : grids()) {
    CAPTURE(grid.name);
    const Sandbox sandbox;
    write_text("c.yaml", grid.config);
    const Outcome whole = run_with({"--set", "compute.engine=reference"});
    REQUIRE(whole.code == 0);
    const std::string digest = last_digest(whole.out);
    for (const char* const engine : {"interpreted", "auto"}) {
      const Outcome other =
          run_with({"--overwrite", "--set", std::string("compute.engine=") + engine});
      REQUIRE(other.code == 0);
      CHECK(last_digest(other.out) == digest);
    }
    const std::string probes = file_text("out/probes.csv"),
                      lines = file_text("out/diagnostics.csv");
    CHECK(std::ranges::count(probes, '\n') == 8);
    CHECK(has(lines, ",all,"));
    fs::rename("out", "whole");
    REQUIRE(run_with({"--set", "time.steps=10"}).code == 0);
    const Outcome resumed = run_lapl({"resume", "out", "--set", "time.steps=30"});
    CHECK(resumed.code == 0);
    CHECK(last_digest(resumed.out) == digest);
    CHECK(file_text("out/probes.csv") == probes);
    CHECK(run_lapl({"diff", "out", "whole"}).code == 0);
    CHECK(run_lapl({"verify-restart", "c.yaml", "--backend", "cpu"}).code == 0);
  }
}

TEST_CASE("plan, inspect, sweep, bench, watch and export work on grids of one and three axes" *
          doctest::test_suite("slow")) {
  for (const Grid& grid : grids()) {
    CAPTURE(grid.name);
    const Sandbox sandbox;
    write_text("c.yaml", grid.config);
    const bool box = has(grid.config, "[6, 7, 9]");
    const auto plan =
        nlohmann::json::parse(run_lapl({"plan", "c.yaml", "--backend", "cpu", "--json"}).out);
    CHECK(plan["fits"] == true);
    CHECK(plan.contains(box ? "largest_cube" : "largest_line"));
    CHECK(plan["largest_stable_step"].get<double>() > plan["time_step"].get<double>());
    REQUIRE(run_with({}).code == 0);
    const auto seen =
        nlohmann::json::parse(run_lapl({"inspect", "out/fields/step-000000030.nc", "--json"}).out);
    CHECK(seen["shape"].size() == (box ? 3 : 1));
    if (grid.name == "box") CHECK(seen["spacing"] == nlohmann::json({0.5, 1, 0.25}));
    if (grid.name == "line") CHECK(seen["spacing"] == 0.5);
    CHECK(run_lapl({"watch", "out", "--once"}).code == 0);
    CHECK(run_lapl({"export", "out", "-o", "out.nc"}).code == 0);
    CHECK(run_lapl({"sweep", "c.yaml", "--backend", "cpu", "--set", "time.steps=10,20", "--output",
                    "members"})
              .code == 0);
    CHECK(run_lapl({"bench", "--config", "c.yaml", "--backend", "cpu", "--engine", "interpreted",
                    "--steps", "4", "--repeats", "1"})
              .code == 0);
  }
  const Sandbox sandbox;
  CHECK(run_lapl({"bench", "--shape", "5", "6", "7", "--backend", "cpu", "--engine", "interpreted",
                  "--steps", "4", "--repeats", "1"})
            .code == 0);
  write_text("c.yaml", grids().front().config);
  const Outcome other = run_lapl({"bench", "--config", "c.yaml", "--shape", "5", "6"});
  CHECK(other.code == 2);
  CHECK(has(other.err, "--shape 5 6: expected 1 numbers, one for each axis of c.yaml"));
}

TEST_CASE("a folder of pictures is an initial field, or a parameter, on three axes") {
  const Sandbox sandbox;

  const fs::path picture = LAPL_SOURCE_DIR "/configs/pictures/letters.png";
  fs::create_directory("stack");
  for (const char* const name : {"p9.png", "p10.png", "p11.png"})
    fs::copy_file(picture, fs::path("stack") / name);
  const std::string config =
      "grid: {shape: [3, 96, 256]}\nequation: {kind: formula, field: w * laplacian(field)}\n"
      "parameters: {w: {image: stack, range: [0.1, 0.2]}}\ntime: {step: 0.1, steps: 1}\n"
      "output: {directory: out}\ninitial: {kind: image, path: stack}\n";
  write_text("c.yaml", config);
  REQUIRE(run_with({}).code == 0);
  const Outcome flat =
      run_lapl({"run", "c.yaml", "--output", "flat", "--set", "grid.shape=[96, 256]", "--set",
                "parameters.w=0.1", "--set", "initial.path=" + picture.string()});
  REQUIRE(flat.code == 0);
  const auto mean = [](const std::string& folder) {
    const auto seen = nlohmann::json::parse(
        run_lapl({"inspect", folder + "/fields/step-000000000.nc", "--json"}).out);
    return seen["fields"]["field"]["mean"].get<double>();
  };
  CHECK(mean("out") == doctest::Approx(mean("flat")).epsilon(1e-12));

  const auto run_error = [&](const std::string& setting) {
    const Outcome outcome = run_with({"--overwrite", "--set", setting});
    CHECK(outcome.code != 0);
    return outcome.err;
  };
  const std::string other = LAPL_SOURCE_DIR "/docs/pictures/tutorial.png";
  CHECK(has(run_error("initial.path=" + picture.string()),
            "is one file, grid.shape is [3, 96, 256] (expected a folder of PNGs, one for each "
            "plane, or a TIFF with as many pages)"));
  CHECK(has(run_error("initial.path=nowhere"), "nowhere: no such file or folder"));
  fs::copy_file(picture, "stack/p12.png");
  CHECK(has(run_error("time.steps=1"),
            "stack holds 4 PNG files (expected 3, one for each plane of grid.shape)"));
  fs::remove("stack/p11.png");
  fs::copy_file(other, "stack/p12.png", fs::copy_options::overwrite_existing);
  const std::string size = run_error("time.steps=1");
  CHECK(has(size, "stack/p12.png holds "));
  CHECK(has(size, "one plane, grid.shape is [3, 96, 256]"));
  fs::remove_all("stack");
  fs::create_directory("stack");
  CHECK(has(run_error("time.steps=1"), "stack: holds no PNG files"));
  CHECK(has(run_lapl({"run", "c.yaml", "--output", "flat", "--overwrite", "--set",
                      "grid.shape=[96, 256]", "--set", "parameters.w=0.1"})
                .err,
            "is a folder, grid.shape is [96, 256] (expected a PNG; folders of them are for three "
            "axes)"));
}
