// The predictions of lapl plan agree with what runs take.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/program.hpp"

using namespace lapl::test;

namespace {

// The output of `lapl plan c.yaml --json` with more words.
nlohmann::json planned_json(const std::vector<std::string>& more) {
  std::vector<std::string> words = {"plan", "c.yaml", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome planned = run_lapl(words);
  CAPTURE(planned.err);
  REQUIRE(planned.code == 0);
  return nlohmann::json::parse(planned.out);
}

}  // namespace

TEST_CASE("plan says how much disk a run takes, within a quarter, and leaves nothing behind") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [400, 300]}\ninitial: {kind: gaussian}\nequation: {coefficient: 0.2}\n"
             "time: {steps: 70}\noutput: {every: 20, directory: out}\n"
             "checkpoint: {every: 10, keep: 2}\nfilters: [{kernel: box}]\n");
  const auto plan = planned_json({"--backend", "cpu"});
  CHECK(!fs::exists("out"));
  for (const auto& entry : fs::directory_iterator("."))
    CHECK_FALSE(entry.path().filename().string().starts_with(".lapl"));
  CHECK(plan["outputs"] == 5);
  CHECK(plan["fits"] == true);
  CHECK(plan["engine"] == "blocked");
  CHECK(plan["stepping_seconds"].get<double>() > 0);
  CHECK(plan["storing_seconds"].get<double>() > 0);
  CHECK(plan["seconds"].get<double>() ==
        plan["stepping_seconds"].get<double>() + plan["storing_seconds"].get<double>());
  const auto verified = planned_json({"--backend", "cpu", "--set", "limits.verify_every=10"});
  CHECK(verified["host_bytes"].get<double>() ==
        plan["host_bytes"].get<double>() + 400 * 300 * 4);  // plus a copy of the state
  REQUIRE(run_lapl({"run", "c.yaml", "--backend", "cpu"}).code == 0);
  const auto size = [](const char* path) { return static_cast<double>(fs::file_size(path)); };
  CHECK(size("out/fields/step-000000060.nc") ==
        doctest::Approx(plan["output_bytes"].get<double>()).epsilon(0.05));
  CHECK(size("out/checkpoints/step-000000070.h5") ==
        doctest::Approx(plan["checkpoint_bytes"].get<double>()).epsilon(0.05));
  double all = 0;
  for (const auto& entry : fs::recursive_directory_iterator("out"))
    if (entry.is_regular_file()) all += static_cast<double>(entry.file_size());
  // A run briefly has three checkpoints, but two at the end.
  CHECK(all + plan["checkpoint_bytes"].get<double>() ==
        doctest::Approx(plan["disk_bytes"].get<double>()).epsilon(0.25));
}

TEST_CASE("plan says how much compressed outputs take at most") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [400, 300]}\nequation: {coefficient: 0.2}\ntime: {steps: 40}\n"
             "compute: {precision: float64}\n"
             "output: {every: 20, directory: out, compression: 1, precision: float32}\n");
  const auto plan = planned_json({"--backend", "cpu"});
  CHECK(plan["outputs_compressed"] == true);
  const auto most = plan["output_bytes"].get<double>();
  CHECK(most == doctest::Approx(2.0 * 400 * 300 * 4).epsilon(0.05));
  CHECK(plan["checkpoint_bytes"].get<double>() == doctest::Approx(400.0 * 300 * 8));
  const std::string text = run_lapl({"plan", "c.yaml", "--backend", "cpu"}).out;
  CHECK(text.find("3 outputs of at most 1.01 MB") != std::string::npos);
  REQUIRE(run_lapl({"run", "c.yaml", "--backend", "cpu"}).code == 0);
  CHECK(static_cast<double>(fs::file_size("out/fields/step-000000040.nc")) < most);
  CHECK(planned_json({"--backend", "cpu", "--set", "output.compression=null"})
            .at("outputs_compressed") == false);
}

TEST_CASE("plan says how solves go, and a steady run logs the residuals of its iterations") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [24, 32]}\nboundary: zero\ninitial: {u: random}\n"
             "equation: {let: {p: {solve: laplacian(p), equals: -u}}, u: -p - u}\n"
             "time: {step: 0.01, steps: 2000}\n");
  const auto solves = planned_json({"--backend", "cpu"}).at("solves");
  CHECK(solves.at("by") == nlohmann::json({"transforms"}));
  CHECK(solves.at("iterations").get<int>() == 1);
  CHECK(solves.at("seconds_each").get<double>() > 0);
  CHECK(solves.at("part_of_stepping").get<double>() > 0);
  CHECK(solves.at("part_of_stepping").get<double>() <= 1.01);
  const Outcome text = run_lapl({"plan", "c.yaml", "--backend", "cpu"});
  CHECK(text.out.find("solves:     by transforms: 1 iteration and ") != std::string::npos);
  write_text("s.yaml",
             "grid: {shape: [24]}\nboundary: zero\ninitial: {u: 0}\n"
             "equation: {u: laplacian(u) + exp(u) / 1000}\noutput: {directory: out}\n");
  CHECK(run_lapl({"run", "s.yaml", "--set", "time=steady", "--backend", "cpu"}).code == 0);
  const std::string log = file_text("out/log.jsonl");
  const std::size_t at = log.rfind("\"residuals\":[");
  REQUIRE(at != std::string::npos);
  CHECK(std::stod(log.substr(at + 13)) < 0.1);
  for (const char* const tolerance : {"5", "1e-15", "{relative: 1e-6, absolute: 1e-3}"})
    CHECK(run_lapl({"validate", "s.yaml", "--set",
                    fmt::format("time={{scheme: steady, tolerance: {}}}", tolerance)})
              .err.find("expected one number from 1e-14 to 0.1") != std::string::npos);
}

TEST_CASE("plan says why it could not measure storing, and the rest all the same") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [40, 30]}\ninitial: {kind: gaussian}\nequation: {coefficient: 0.2}\n"
             "time: {steps: 70}\noutput: {directory: /proc/nothing/out}\n");
  const Outcome planned = run_lapl({"plan", "c.yaml", "--backend", "cpu"});
  CHECK(planned.code == 0);
  CHECK(planned.out.find(" of stepping at ") != std::string::npos);
  CHECK(planned.out.find("and storing, not measured (/proc: ") != std::string::npos);
}

TEST_CASE("plan says that a grid does not fit and which would, and run refuses it" *
          doctest::test_suite("without_cuda")) {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [1000000, 1000000]}\ninitial: {kind: uniform}\n"
             "equation: {coefficient: 0.2}\ntime: {steps: 10}\n");
  const Outcome plan = run_lapl({"plan", "c.yaml", "--backend", "cpu"});
  CHECK(plan.code == 5);
  CHECK(plan.out.find("memory:     28 TB of ") != std::string::npos);
  CHECK(plan.out.find("a square grid of ") != std::string::npos);
  CHECK(plan.out.find("not measured: the grid does not fit") != std::string::npos);
  const Outcome run = run_lapl({"run", "c.yaml", "--backend", "cpu", "--output", "out"});
  CHECK(run.code == 5);
  // 28 bytes per cell: four buffers and the initial state in float32, the initial field in float64.
  CHECK(run.err.find("the grid of 1000000 x 1000000 cells needs 28 TB of host memory, ") !=
        std::string::npos);
  CHECK(run.err.find(" are available") != std::string::npos);
  CHECK_FALSE(fs::exists("out"));
}

TEST_CASE("run and plan warn once where float32 leaves cells as they are") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [1, 8192]}\nboundary: {rows: insulated, columns: zero}\n"
             "initial: {kind: sine, mode: [0, 1]}\nequation: {coefficient: 0.1}\n"
             "time: {steps: 40}\noutput: {every: 10, directory: out}\ncompute: {backend: cpu}\n");
  const std::string warning = "step 0: 98% of the values stand still";
  const Outcome run = run_lapl({"run", "c.yaml"});
  CAPTURE(run.err);
  REQUIRE(run.code == 0);
  const auto at = run.err.find(warning);
  REQUIRE(at != std::string::npos);
  CHECK(run.err.find("compute.precision float64", at) != std::string::npos);
  CHECK(run.err.find("stand still", at + warning.size()) == std::string::npos);
  CHECK(run_lapl({"plan", "c.yaml"}).out.find("warning:    " + warning) != std::string::npos);
  const Outcome wide =
      run_lapl({"run", "c.yaml", "--overwrite", "--set", "compute.precision=float64"});
  CHECK(wide.err.find("stand still") == std::string::npos);
}

TEST_CASE("a disk that does not suffice is reported before the start" *
          doctest::test_suite("moderate")) {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  const std::vector<std::string> many = {"--set", "output.every=1", "--set",
                                         "time.steps=1000000000000"};
  std::vector<std::string> arguments = {"plan", "c.yaml"};
  arguments.insert(arguments.end(), many.begin(), many.end());
  const Outcome plan = run_lapl(arguments);
  CAPTURE(plan.err);
  CHECK(plan.code == 4);
  CHECK(plan.err.find("out: the run takes about ") != std::string::npos);
  CHECK(plan.err.find(" of disk, ") != std::string::npos);
  arguments = {"run", "c.yaml", "--set", "limits.wall_time=0.1s"};
  arguments.insert(arguments.end(), many.begin(), many.end());
  const Outcome run = run_lapl(arguments);
  CHECK(run.code == 75);
  CHECK(run.err.find("warning: out: the run takes about ") != std::string::npos);
}

TEST_CASE("plan names the steps and errors of each way, and runs in those ways have them") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [20, 30]}\n"
             "equation: {kind: formula, field: laplacian(field) + field - field^3}\n"
             "boundary: insulated\ninitial: {kind: formula, formula: 2 * random - 1}\n"
             "time: {step: auto, end: 4}\noutput: {directory: out, every: {time: 4}}\n"
             "compute: {backend: cpu, precision: float64}\n");
  const auto plan = planned_json({"--schemes"});
  REQUIRE(plan["trial"] == 4);  // the whole run
  for (const char* const key : {"steps", "stepping_seconds", "most_steps"})
    CHECK(plan["own_steps"][key] == plan[key]);
  REQUIRE(run_lapl({"run", "c.yaml", "--set", "time.scheme=dopri5", "--set", "time.tolerance=1e-9",
                    "--output", "exact"})
              .code == 0);
  int offered = 0;
  for (const auto& way : plan["other_steps"]) {
    CAPTURE(way.dump());
    if (way.contains("why_not")) continue;
    ++offered;
    std::vector<std::string> words = {"run", "c.yaml", "--overwrite", "--set",
                                      "time.scheme=" + way["name"].get<std::string>()};
    if (way.contains("tolerance"))  // plan begins with the config's own step
      words.insert(words.end(), {"--set", "time.step=" + plan["time_step"].dump()});
    for (const char* const key : {"tolerance", "stages"})
      if (way.contains(key) && (key[0] == 't' || way[key] > 1))
        words.insert(words.end(), {"--set", "time." + std::string(key) + "=" + way[key].dump()});
    REQUIRE(run_lapl(words).code == 0);
    const auto run = nlohmann::json::parse(file_text("out/run.json"));
    CHECK(run["step"].get<double>() == doctest::Approx(way["steps"].get<double>()).epsilon(0.1));
    // The largest value is about 1, and plan compares with a tolerance of 1e-9, too.
    const double error = way["error"];
    const std::string atol = fmt::format("{}", 1.5 * error + 1e-6);
    CHECK(run_lapl({"diff", last_output("exact"), last_output("out"), "--atol", atol}).code == 0);
  }
  CHECK(offered >= 6);
  CHECK(has(run_lapl({"plan", "c.yaml", "--schemes"}).out, "  error at 4\n"));
  CHECK_FALSE(has(run_lapl({"plan", "c.yaml"}).out, "ways to the same time"));
}

TEST_CASE("plan of a run with a tolerance: steps that it took, and files that follow from times") {
  const Sandbox sandbox;
  write_text(
      "c.yaml",
      "grid: {shape: [16, 24]}\nfields: [a, b, c]\nequation:\n  kind: formula\n"
      "  let: {slow: 0.04 * a, fast: 1e4 * b * c}\n"
      "  a: 0.1 * laplacian(a) - slow + fast\n"
      "  b: 0.1 * laplacian(b) + slow - fast - 3e7 * b^2\n"
      "  c: 0.1 * laplacian(c) + 3e7 * b^2\nboundary: insulated\ninitial:\n"
      "  a: {kind: formula, formula: 0.5 + random}\n  b: {kind: uniform, value: 0}\n"
      "  c: {kind: uniform, value: 0}\n"
      "time: {scheme: imex, tolerance: {relative: 1e-4, absolute: 1e-9}, step: 1e-7, end: 40}\n"
      "output: {directory: out, every: {time: 10}, fields: [a]}\n"
      "compute: {backend: cpu, precision: float64}\n");
  const auto plan = planned_json({});
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const double steps = nlohmann::json::parse(file_text("out/run.json"))["step"];
  CHECK(plan["steps"] <= steps);
  if (plan["steps_exact"]) CHECK(plan["steps"] == steps);
  CHECK(plan["outputs"] == 5);
  CHECK(plan["disk_bytes"] < 1e6);
  // Where the first of 4e8 steps were the size of all, this would be some 10 GB.
  const auto by_steps = planned_json({"--set", "output.every=100"});
  CHECK(by_steps["outputs"].get<double>() == std::ceil(by_steps["steps"].get<double>() / 100) + 1);
  CHECK(by_steps["disk_bytes"] < 1e6);
}

TEST_CASE("plan says that a run fails in its first steps, and offers no way that does") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [16, 24]}\nfields: [u, v]\nequation:\n  kind: formula\n"
             "  u: 0.01 * laplacian(u) + 1 - 6 * u + u^2 * v\n"
             "  v: 0.01 * laplacian(v) + 5 * u - u^2 * v\nboundary: periodic\ninitial:\n"
             "  u: {kind: formula, formula: 1 + 0.1 * random}\n  v: {kind: uniform, value: 5}\n"
             "time: {scheme: bs23, tolerance: 1e-4, end: 20}\n"
             "output: {directory: out, every: {time: 20}, fields: [u]}\n"
             "compute: {backend: cpu}\n");
  const auto with_heun = [](std::vector<std::string> words) {
    for (const char* const setting : {"time.scheme=heun", "time.tolerance=null", "time.step=0.1"})
      words.insert(words.end(), {"--set", setting});
    return run_lapl(words);
  };
  const Outcome failing = with_heun({"plan", "c.yaml"});
  CAPTURE(failing.out);
  CHECK(failing.code == 3);
  CHECK(has(failing.out, "time:       none: the run fails\n"));
  CHECK(has(with_heun({"run", "c.yaml"}).err, failing.err));
  const auto plan = nlohmann::json::parse(run_lapl({"plan", "c.yaml", "--schemes", "--json"}).out);
  const auto& ways = plan["other_steps"];
  const auto leapfrog =
      std::ranges::find_if(ways, [](const auto& way) { return way["name"] == "leapfrog"; });
  REQUIRE(leapfrog != ways.end());
  CHECK(has((*leapfrog)["why_not"], "is not finite"));
}

TEST_CASE("plan --ranks counts modes and their way to other ranks") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [4000, 3000]}\nboundary: insulated\ninitial: {kind: gaussian}\n"
             "equation: {kind: formula, field: laplacian(field) - field^3}\n"
             "time: {scheme: etdrk4, tolerance: 1e-4, end: 1}\ncompute: {precision: float64}\n");
  const auto plan = [](const std::string& ranks) {
    return planned_json({"--backend", "cpu", "--ranks", ranks});
  };
  const auto one = plan("1"), four = plan("4");
  const double cells = 4000 * 3000;
  CHECK(one["transforms_bytes"] == 0);
  // docs/engines.md: 56 bytes a cell for the modes and 40 for their factors, beside the grid
  CHECK(one["bytes"].get<double>() > (56 + 40 + 5 * 8) * cells);
  CHECK(four["bytes"].get<double>() ==
        doctest::Approx(one["bytes"].get<double>() / 4 + 16 * cells / 4).epsilon(0.01));
  CHECK(four["transforms_bytes"].get<double>() ==
        doctest::Approx(9 * 8 * 0.75 * cells / 4).epsilon(0.01));
  CHECK(four["halo"] == 1);
}

TEST_CASE("plan --ranks says how many of the ranks step where the grid has no block for each") {
  const Sandbox sandbox;
  write_text("c.yaml", "grid: {shape: [1, 3]}\nequation: {coefficient: 0.1}\ntime: {steps: 2}\n");
  const Outcome plan = run_lapl({"plan", "c.yaml", "--backend", "cpu", "--ranks", "4"});
  CHECK(plan.code == 0);
  CHECK(plan.out.find("ranks:      3 of 4 step blocks of 1 x 1 ") == 0);
}

TEST_CASE("plan counts what estimates, rows of few columns and noise take") {
  const Sandbox sandbox;
  const auto planned_bytes = [](const std::string& shape, const std::string& rate,
                                const std::string& step) {
    write_text("c.yaml",
               fmt::format("grid: {{shape: {}}}\nparameters: {{k: {{formula: 1 + 0.1 * x}}}}\n"
                           "equation: {{kind: formula, field: k * ({})}}\n"
                           "initial: {{kind: uniform}}\ntime: {{step: {}, steps: 3}}\n"
                           "compute: {{precision: float64}}\n",
                           shape, rate, step));
    return planned_json({"--backend", "cpu"})["host_bytes"].get<double>();
  };
  const double array = 8 * 90'000.0;
  const double of_square = planned_bytes("[300, 300]", "laplacian(field)", "0.01");
  // At least six vectors, and the rates at a state that moves.
  CHECK(planned_bytes("[300, 300]", "laplacian(field)", "auto") > of_square + 10 * array);
  // A vector of coefficients beyond either side of each row, in place of one column.
  CHECK(planned_bytes("[90000, 1]", "laplacian(field)", "0.01") > of_square + 32 * array);
  // The words of each column.
  const double along = planned_bytes("[90000]", "laplacian(field)", "0.01");
  CHECK(planned_bytes("[90000]", "laplacian(field) + noise", "0.01") >= along + 2 * array);
}
