// Limits of memory, of numbers and of what a run can know before it runs.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/app/program.hpp"

using namespace lapl::test;

namespace {

const std::string by_error =
    "equation: {kind: formula, field: laplacian(field)}\n"
    "initial: {kind: formula, formula: sin(x)}\n"
    "time: {scheme: bs23, tolerance: 1e-4, end: 1}\n"
    "output: {directory: out, every: {time: 1}, fields: [field]}\ncompute: {backend: cpu}\n";

}  // namespace

TEST_CASE("limits: diffusion beside a parameter field runs on every number of axes and engine") {
  const Sandbox sandbox;
  for (const std::string shape : {"[16]", "[16, 15]", "[6, 7, 8]"}) {
    const std::string config = "grid: {shape: " + shape +
                               "}\nequation: {kind: diffusion, coefficient: 0.1}\n"
                               "initial: {kind: gaussian}\ntime: {steps: 20}\n"
                               "compute: {precision: float32, backend: cpu}\n";
    write_text("plain.yaml", config + "output: {every: 10, fields: [field], directory: plain}\n");
    write_text("c.yaml", config +
                             "parameters: {k: {formula: 1 + 0.1 * x}}\n"
                             "output: {every: 10, fields: [field, flux], derived: {flux: "
                             "{formula: k * field}}, directory: out}\n");
    CAPTURE(shape);
    CHECK(run_lapl({"validate", "c.yaml"}).code == 0);
    REQUIRE(run_lapl({"run", "plain.yaml", "--overwrite"}).code == 0);
    const auto digest = [](const char* folder) {
      return nlohmann::json::parse(file_text(fs::path(folder) / "run.json"))["digest"];
    };
    for (const std::string engine : {"auto", "interpreted", "reference"}) {
      const Outcome run =
          run_lapl({"run", "c.yaml", "--overwrite", "--set", "compute.engine=" + engine});
      CHECK_MESSAGE(run.code == 0, run.err);
      CHECK(digest("out") == digest("plain"));
    }
  }
  CHECK(run_lapl({"bench", "--config", "c.yaml", "--backend", "cpu", "--engine", "interpreted",
                  "--precision", "float32", "--steps", "2", "--repeats", "1"})
            .code == 0);
}

TEST_CASE("limits: a config of a large grid is read without its cells") {
  const Sandbox sandbox;
  write_text("c.yaml", "grid: {shape: [200000033]}\n" + by_error);
#ifndef __SANITIZE_ADDRESS__
  // The cells would take 12 GB. (The peak that the kernel counts includes that of this process.)
  const Outcome read = finish(
      start({"-c", fmt::format("ulimit -v 500000; exec '{}' validate c.yaml", lapl_program())},
            "/bin/sh"));
  CHECK_MESSAGE(read.code == 0, read.err);
#endif
  const Outcome plan = run_lapl({"plan", "c.yaml", "--set", "grid.shape=[1099511627776]"});
  CHECK(plan.code == 5);
  CHECK(has(plan.out, "not measured: the grid does not fit"));
  // A parameter field is held whole, and checked before.
  std::string varying = by_error;
  varying.replace(varying.find("laplacian"), 0, "k * ");
  write_text("p.yaml",
             "grid: {shape: [1099511627776]}\nparameters: {k: {formula: 1 + x}}\n" + varying);
  const Outcome whole = run_lapl({"validate", "p.yaml"});
  CHECK(whole.code == 5);
  CHECK_MESSAGE(has(whole.err, "parameters.k: the field of 1099511627776 cells needs "), whole.err);
}

TEST_CASE("limits: the outputs of a run by error are those of its times") {
  const Sandbox sandbox;
  write_text("c.yaml", "grid: {shape: [64, 64]}\n" + by_error);
  const auto plan = [](std::vector<std::string> settings) {
    std::vector<std::string> words = {"plan", "c.yaml", "--json", "--set", "time.step=1e-9"};
    for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
    const Outcome planned = run_lapl(words);
    CHECK_MESSAGE(planned.code == 0, planned.err);
    return nlohmann::json::parse(planned.out);
  };
  const auto by_time = plan({"output.every={time: 0.25}"}), by_step = plan({"output.every=1"});
  CHECK(by_time["outputs"] == 5);
  CHECK(by_time["outputs_exact"] == true);
  CHECK(by_time["disk_bytes"] < 1e6);
  CHECK(by_step["outputs"].get<double>() == by_step["steps"].get<double>() + 1);
  CHECK(by_step["outputs_exact"] == by_step["steps_exact"]);
  CHECK(by_step["steps"] < 1e4);  // the first step is not that of all
  const Outcome tiny =
      run_lapl({"validate", "c.yaml", "--set", "time.step=1e-15", "--set", "time.end=100"});
  CHECK_MESSAGE(tiny.code == 0, tiny.err);
  const Outcome many = run_lapl({"validate", "c.yaml", "--set", "output.every={time: 5e-324}"});
  CHECK(many.code == 2);
  CHECK_MESSAGE(has(many.err, "output.every: found a time of "), many.err);
  const Outcome absolute =
      run_lapl({"validate", "c.yaml", "--set", "time.tolerance={relative: 1e-4, absolute: 1e-50}"});
  CHECK(absolute.code == 2);
  CHECK_MESSAGE(has(absolute.err, "time.tolerance: found absolute 1e-50, which is 0 in float32"),
                absolute.err);
}

TEST_CASE("limits: a rate that is not finite is named, and the state before resumes") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [8, 9]}\n"
             "equation: {kind: formula, field: \"-field^0.5 + 0.1*laplacian(field)\"}\n"
             "initial: {kind: formula, formula: 2*random-1}\n"
             "time: {scheme: bs23, tolerance: 1e-4, step: 0.01, end: 1}\n"
             "output: {fields: [field], every: 1000, directory: out}\n"
             "compute: {precision: float64, backend: cpu, engine: interpreted}\n");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run", "c.yaml"}, {"resume", "out"}}) {
    const Outcome ended = run_lapl(words);
    CHECK(ended.code == 3);
    CHECK_MESSAGE(has(ended.err, "step 1: at time 0 the rates are not finite at or near row "),
                  ended.err);
  }
}

TEST_CASE("limits: a run with a step that may be unstable says so at the end, too") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [8, 9]}\n"
             "equation: {kind: formula, field: laplacian(field) - field^3}\n"
             "initial: {kind: formula, formula: 2*random-1}\ntime: {step: 0.3, steps: 4}\n"
             "output: {every: 4, directory: out}\n"
             "compute: {precision: float64, backend: cpu, engine: interpreted}\n");
  const Outcome run = run_lapl({"run", "c.yaml"});
  CHECK(run.code == 0);
  CHECK(has(run.err, "which may be unstable"));
  CHECK_MESSAGE(has(run.err, " at the initial state); the values of this run may be wrong"),
                run.err);
  CHECK(has(file_text("out/run.json"), "step_warning"));
}

TEST_CASE("limits: the name of a config is no matter where --output is given") {
  const Sandbox sandbox;
  write_text("a\x01.yaml",
             "grid: {shape: [8, 9]}\nequation: {coefficient: 0.2}\ninitial: {kind: uniform}\n"
             "time: {steps: 4}\ncompute: {backend: cpu}\n");
  const Outcome sweep =
      run_lapl({"sweep", "a\x01.yaml", "--set", "time.steps=2,3", "--output", "all"});
  CHECK_MESSAGE(sweep.code == 0, sweep.err);
}

TEST_CASE("limits: any number of threads of OpenMP draws a view") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml", "--output", "out"}).code == 0);
  setenv("OMP_NUM_THREADS", "100000", 1);
  const Outcome watched = finish(start({"watch", "--once", "out"}));
  unsetenv("OMP_NUM_THREADS");
  CHECK(watched.signal == 0);
  CHECK_MESSAGE(watched.code == 0, watched.err);
}

#ifndef __SANITIZE_ADDRESS__
Outcome run_within(int kibibytes, const std::string& command) {
  return finish(start({"-c", fmt::format("ulimit -v {}; OMP_NUM_THREADS=2 exec '{}' {}", kibibytes,
                                         lapl_program(), command)},
                      "/bin/sh"));
}

// The KiB of addresses with which the program starts, and an error has memory. They are those of
// the program's code, which has a part for each architecture of a GPU.
int least_kibibytes() {
  int kibibytes = 10'000;
  while (run_within(kibibytes, "inspect nothing-there").code != 4 && kibibytes < 400'000)
    kibibytes += 500;
  return kibibytes;
}

TEST_CASE("limits: where memory runs out HDF5 ends with a code, not with a signal") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml", "--output", "out"}).code == 0);
  const int least = least_kibibytes() + 3000;
  for (int kibibytes = least; kibibytes <= least + 16000; kibibytes += 2000) {
    CAPTURE(kibibytes);
    const Outcome read = run_within(kibibytes, "inspect out");
    CHECK(read.signal == 0);
    CHECK(read.code != 1);
  }
}

TEST_CASE("limits: where memory runs out in a thread that reads or stores, there is a code, too") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml", "--output", "out"}).code == 0);
  bool too_little = false, enough = false;
  const int least = least_kibibytes() + 2000;
  for (int kibibytes = least; kibibytes <= least + 20000; kibibytes += 400)
    for (const char* const command : {"watch --once out", "run c.yaml --overwrite"}) {
      CAPTURE(kibibytes);
      CAPTURE(std::string(command));
      const Outcome ended = run_within(kibibytes, command);
      CHECK(ended.signal == 0);
      CHECK(ended.code != 1);
      (ended.code == 0 ? enough : too_little) = true;
    }
  WARN(too_little);  // else the limits are not those of this build
  WARN(enough);
}
#endif
