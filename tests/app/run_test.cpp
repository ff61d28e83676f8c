// lapl run from the outside.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <thread>

#include "io/hdf5/dataset_checks.hpp"
#include "tests/app/program.hpp"

using namespace lapl::test;

TEST_CASE("a run leaves every file of a run folder") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  const Outcome run = run_lapl({"run", "c.yaml"});
  CAPTURE(run.err);
  REQUIRE(run.code == 0);
  for (const char* file :
       {"config.yaml", "run.json", "log.jsonl", "diagnostics.csv", "fields.nc",
        "fields/step-000000000.nc", "fields/step-000000020.nc", "fields/step-000000040.nc",
        "fields/step-000000060.nc", "checkpoints/step-000000060.h5"})
    CHECK(fs::exists(fs::path("out") / file));
  CHECK(run.out.find("step        60  time 15") != std::string::npos);
  CHECK(run.out.find("complete: step 60, 20 x 30 cells, float32") != std::string::npos);
  CHECK(run.out.find("resume out --set time.steps=120") != std::string::npos);

  const auto summary = nlohmann::json::parse(file_text("out/run.json"));
  CHECK(summary["status"] == "complete");
  CHECK(summary["digest"] == last_digest(run.out));
  const std::string diagnostics = file_text("out/diagnostics.csv");
  CHECK(std::count(diagnostics.begin(), diagnostics.end(), '\n') == 5);
  // The resolved config is a valid config.
  CHECK(run_lapl({"validate", "out/config.yaml"}).code == 0);
}

TEST_CASE("three checkpoints are kept, or as many as the config says") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml", "--set", "checkpoint.every=5"}).code == 0);
  CHECK(std::distance(fs::directory_iterator("out/checkpoints"), {}) ==
        4);  // three checkpoints and the list of outputs
  REQUIRE(run_lapl({"run", "c.yaml", "--set", "checkpoint.every=5", "--set", "checkpoint.keep=1",
                    "--output", "b"})
              .code == 0);
  CHECK(fs::exists("b/checkpoints/step-000000060.h5"));
  CHECK(std::distance(fs::directory_iterator("b/checkpoints"), {}) == 2);
}

TEST_CASE("an existing run is overwritten only when asked, any other folder never") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const std::string before = file_text("out/run.json");
  const Outcome again = run_lapl({"run", "c.yaml"});
  CHECK(again.code == 2);
  CHECK(again.err.find("out: a run is there already") != std::string::npos);
  CHECK(file_text("out/run.json") == before);
  CHECK(run_lapl({"run", "c.yaml", "--overwrite", "--set", "time.steps=20"}).code == 0);
  CHECK(!fs::exists("out/fields/step-000000060.nc"));

  fs::create_directory("thesis");
  write_text("thesis/chapter.txt", "years of work");
  const Outcome refused = run_lapl({"run", "c.yaml", "--output", "thesis", "--overwrite"});
  CHECK(refused.code == 2);
  CHECK(refused.err.find("thesis: not empty, and not a run folder (it holds chapter.txt)") !=
        std::string::npos);
  CHECK(file_text("thesis/chapter.txt") == "years of work");
}

TEST_CASE("a run is replaced once the new one has its first output and checkpoint, not before") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  write_text("out/fields/notes.txt", "mine");
  const auto contents = [] {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator("out"))
      files[entry.path()] = entry.is_directory() ? "" : file_text(entry.path());
    files.erase("out/.lock");
    return files;
  };
  const auto before = contents();
  const std::string replace = lapl_program() + " run c.yaml --overwrite --set grid.shape=[200,300]";
  CHECK(WEXITSTATUS(std::system(("ulimit -f 8; " + replace + " 2> /dev/null").c_str())) == 4);
  CHECK(contents() == before);

  CHECK(std::system((replace + " > /dev/null").c_str()) == 0);
  auto after = contents();
  CHECK(after != before);
  CHECK(after["out/fields/notes.txt"] == "mine");
  for (const auto& [path, text] : before) CHECK(after.contains(path));
  CHECK(after.size() == before.size());
}

TEST_CASE("names of fields that a checkpoint uses itself are refused") {
  const Sandbox sandbox;
  const std::string config =
      "grid: {shape: [8, 8]}\nfields: [u, NAME]\n"
      "equation: {kind: formula, u: laplacian(u), NAME: laplacian(NAME)}\n"
      "initial: {u: {kind: uniform}, NAME: {kind: uniform}}\n"
      "time: {steps: 1, step: 0.01}\noutput: {directory: out}\n";
  const auto with_name = [&](const std::string& name) {
    write_text("c.yaml", std::regex_replace(config, std::regex("NAME"), name));
  };
  with_name("v");
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const lapl::Hdf5Session session;
  for (const std::string& name :
       lapl::list_datasets(lapl::open_hdf5_file("out/checkpoints/step-000000001.h5"))) {
    if (name == "u" || name == "v") continue;
    CAPTURE(name);
    with_name(name);
    const Outcome refused = run_lapl({"validate", "c.yaml"});
    CHECK(refused.code == 2);
    CHECK(has(refused.err, "found the name " + name));
  }
}

TEST_CASE("neither a path nor a config's name gets around the refusal to overwrite") {
  const Sandbox sandbox;
  fs::create_directory("mine");
  for (const char* name : {"mine/config.yaml", "mine/...yaml", "mine/a\tb.yaml", "mine/a\nb.yaml"})
    write_text(name, "grid: {shape: [8, 8]}\nequation: {coefficient: 0.2}\ntime: {steps: 2}\n");
  fs::current_path("mine");
  const auto refused = [](const std::vector<std::string>& arguments, const char* words) {
    const Outcome run = run_lapl(arguments);
    CAPTURE(run.err);
    CHECK(run.code == 2);
    CHECK(run.err.find(words) != std::string::npos);
  };
  refused({"run", "config.yaml", "--output", "new/.."}, "new/..: leads through a folder that is");
  refused({"run", "...yaml"}, "output.directory: missing, and the config's name makes none");
  // A run with such a name could not be resumed.
  for (const char* name : {"a\tb.yaml", "a\nb.yaml"})
    refused({"run", name}, "output.directory: found runs/a?b (expected one line of UTF-8");
  CHECK_FALSE(fs::exists("runs"));
  CHECK_FALSE(fs::exists("run.json"));
}

TEST_CASE("a run folder has one writer at a time") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  const pid_t first = start({"run", "c.yaml", "--set", "time.steps=900000000", "--quiet"});
  wait_for_checkpoint("out");
  const std::string expected =
      "another run is writing here (process " + std::to_string(first) + ")";
  const Outcome second = run_lapl({"resume", "out"});
  CHECK(second.code == 4);
  CHECK(second.err.find(expected) != std::string::npos);
  kill(first, SIGTERM);
  CHECK(finish(first).code == 75);
}

TEST_CASE("with --json every line on stdout is JSON, with --quiet only errors are printed") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  const Outcome printed = run_lapl({"run", "c.yaml", "--json"});
  std::istringstream lines(printed.out);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) CHECK(nlohmann::json::accept(line));
  CHECK(count == 5);  // four outputs and the summary
  const Outcome quiet = run_lapl({"run", "c.yaml", "--overwrite", "--quiet"});
  CHECK(quiet.out.empty());
  CHECK(quiet.err.empty());
}

TEST_CASE("the bits do not depend on the number of threads, and equal the reference engine's") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  std::string digest;
  for (const char* setting : {"compute.threads=1", "compute.threads=2", "compute.threads=7",
                              "compute.engine=reference"}) {
    const Outcome run =
        run_lapl({"run", "c.yaml", "--overwrite", "--backend", "cpu", "--set", setting});
    REQUIRE(run.code == 0);
    if (digest.empty()) digest = last_digest(run.out);
    CHECK(last_digest(run.out) == digest);
  }
}

TEST_CASE("every shape works: one cell, one row, one column, primes, long and thin") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  for (const char* shape : {"[1, 1]", "[1, 9]", "[9, 1]", "[2, 2]", "[31, 37]", "[8, 100003]"})
    for (const char* kind : {"fractal", "gaussian"}) {
      CAPTURE(shape);
      const Outcome run =
          run_lapl({"run", "c.yaml", "--overwrite", "--set", std::string("grid.shape=") + shape,
                    "--set", std::string("initial.kind=") + kind, "--set", "time.steps=3"});
      CAPTURE(run.err);
      CHECK(run.code == 0);
      CHECK(run_lapl({"inspect", "out/fields.nc"}).code == 0);
    }
}

TEST_CASE("a run that starts from a stored field has the digests of the first run") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  write_text("d.yaml", small_config("initial: {kind: hdf5, path: out/fields/step-000000000.nc}\n"));
  REQUIRE(run_lapl({"run", "d.yaml", "--output", "b"}).code == 0);
  const Outcome diff = run_lapl({"diff", "out", "b"});
  CAPTURE(diff.out);
  CHECK(diff.code == 0);
}

TEST_CASE("a run with closed streams is whole, and its output goes nowhere") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml", "--output", "plain", "--quiet"}).code == 0);
  for (const char* closed : {">&-", "2>&-", "<&- >&- 2>&-"}) {
    CAPTURE(closed);
    const std::string command = lapl_program() + " run c.yaml --overwrite " + closed;
    CHECK(std::system(command.c_str()) == 0);
    const std::string lock = file_text("out/.lock");
    CHECK(lock.find_first_not_of("0123456789") == std::string::npos);
    CHECK(run_lapl({"diff", "plain", "out"}).code == 0);
  }
}

TEST_CASE("names may be any bytes, and files state them in UTF-8" *
          doctest::test_suite("moderate")) {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml", "--output", "plain", "--quiet"}).code == 0);
  for (const std::string name :
       {"\xFF\xFE.yaml", "a\nb\t.yaml", "it's \"\\ .yaml", "\x1B[31m.yaml"}) {
    write_text(name, small_config());
    const Outcome run = run_lapl({"run", "./" + name, "--overwrite", "--json"});
    CAPTURE(run.err);
    CHECK(run.code == 0);
    for (const std::string& text : {file_text("out/run.json"), file_text("out/log.jsonl")})
      for (const unsigned char c : text) CHECK((c == '\n' || (c >= 0x20 && c < 0x7F)));
    CHECK(nlohmann::json::accept(file_text("out/run.json")));
    CHECK(run_lapl({"diff", "plain", "out"}).code == 0);
    CHECK(run_lapl({"resume", "out", "--set", "time.steps=80"}).code == 0);
  }
  fs::copy("out/checkpoints/step-000000060.h5", "\xFF.h5");
  CHECK(run_lapl({"resume", "out", "--from", "\xFF.h5", "--set", "time.steps=80"}).code == 0);
  const std::string parent = "$'" + std::string("\\xFF.h5'");
  CHECK(file_text("out/fields/step-000000080.nc").find(parent) != std::string::npos);
}

TEST_CASE(
    "derived values that are not finite end a run with exit 2 where that is known beforehand, else "
    "3") {
  const Sandbox sandbox;
  const std::string weights = "filters=[{name: heavy, kernel: [[3e38, 3e38, 3e38]]}]";
  for (const auto& [settings, code, message] :
       std::vector<std::tuple<std::vector<std::string>, int, std::string>>{
           {{"grid.spacing=1e-22"},
            2,
            "grid.spacing: found 1e-22, of which the square or its inverse"},
           {{"initial.value=1e38"}, 3, "step 0: the laplacian at row 1, column 1 is not finite"},
           {{weights, "initial.value=1e9"},
            3,
            "step 0: filter heavy at row 0, column 0 is not finite"},
           {{"initial.value=1e306", "compute.precision=float64"}, 3, "step 0: mean is not finite"},
           {{"equation.coefficient=null", "equation.diffusivity=1e-308", "time.step=1e307"},
            2,
            "time.steps: found 60, which end at an infinite time with steps of 1e+307 "}}) {
    write_text("c.yaml", small_config("initial: {kind: uniform, value: 1}\n"));
    if (!fs::exists("out")) REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
    const std::string before = file_text("out/run.json");
    std::vector<std::string> arguments = {"run", "c.yaml", "--overwrite", "--backend", "cpu"};
    for (const std::string& setting : settings)
      arguments.insert(arguments.end(), {"--set", setting});
    const Outcome run = run_lapl(arguments);
    const std::string expected = message;
    CAPTURE(expected);
    CAPTURE(run.err);
    CHECK(run.code == code);
    CHECK(run.err.find(message) != std::string::npos);
    CHECK(file_text("out/run.json") == before);  // the old run is still there
    CHECK(run_lapl({"resume", "out"}).code == 0);
    write_text("out/run.json", before);
  }
}

TEST_CASE(
    "a compiler that fails beside the run is reported in a line, in log.jsonl and in run.json" *
    doctest::test_suite("moderate")) {
  const Sandbox sandbox;
  write_text("compiler", "#!/bin/sh\nfor last; do :; done; echo no library > $last\n");
  fs::permissions("compiler", fs::perms::owner_all);
  write_text("c.yaml",
             "grid: {shape: [20, 30]}\ncompute: {backend: cpu}\n"
             "equation: {kind: formula, field: 0.1 * laplacian(field) - field^3}\n"
             "time: {step: 1, steps: 900000000}\noutput: {directory: out, every: 900000000}\n");
  const std::string compiler = "CXX=" + (sandbox.path() / "compiler").string();
  const pid_t run = start({compiler, lapl_program(), "run", "c.yaml", "--quiet"}, "/usr/bin/env");
  const std::string said = "formulas are interpreted, which takes several times as long: ";
  wait_for(run,
           [&] { return has(file_text("err.txt"), "\n") && has(file_text("out/run.json"), said); });
  kill(run, SIGTERM);
  const Outcome ended = finish(run);
  CHECK(ended.code == 75);
  CHECK(has(ended.err, "lapl: warning: " + said));
  CHECK(has(ended.err, "compiler: what it has compiled is no library"));
  CHECK(std::ranges::count(ended.err, '\n') == 1);
  CHECK(has(file_text("out/log.jsonl"), "\"reason\":\"" + said));
}

TEST_CASE("a start with a value that is not finite exits with 3 and creates nothing") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config("initial: {kind: uniform, value: 1e39}\n"));
  const Outcome run = run_lapl({"run", "c.yaml"});
  CHECK(run.code == 3);
  CHECK(
      run.err.find("step 0: the value at row 0, column 0 is not finite; rows 0 to 2, columns 0 to "
                   "2 hold\n           inf          inf          inf\n") != std::string::npos);
  CHECK(!fs::exists("out"));
}

TEST_CASE("each config in configs/ is valid, and runs at a small size" *
          doctest::test_suite("without_cuda")) {
  const Sandbox sandbox;
  int count = 0;
  for (const auto& entry : fs::directory_iterator(LAPL_SOURCE_DIR "/configs")) {
    if (entry.path().extension() != ".yaml") continue;
    ++count;
    const std::string config = entry.path().string();
    CAPTURE(config);
    CHECK(run_lapl({"validate", config}).code == 0);
    std::vector<std::string> arguments = {"run",   config,         "--output", entry.path().stem(),
                                          "--set", "time.steps=20"};
    const std::string text = file_text(config);
    const bool fixed_shape = text.find("kind: image") != std::string::npos ||
                             text.find("kind: hdf5") != std::string::npos ||
                             text.find("mask: {image") != std::string::npos;
    if (!fixed_shape) arguments.insert(arguments.end(), {"--set", "grid.shape=[40, 60]"});
    const Outcome run = run_lapl(arguments);
    CAPTURE(run.err);
    CHECK(run.code == 0);
  }
  CHECK(count >= 12);
}
