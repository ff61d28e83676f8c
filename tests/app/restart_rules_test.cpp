// Restarts may change what the key table says (io/config/config_keys.cpp), and nothing else.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "io/config/config_keys.hpp"
#include "tests/app/csv.hpp"
#include "tests/app/program.hpp"

using namespace lapl::test;
using lapl::OnRestart;

namespace {

using Words = std::vector<std::string>;

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Words settings(const Words& values) {
  Words words;
  for (const std::string& value : values) words.insert(words.end(), {"--set", value});
  return words;
}

// A config of one field, whose engine needs no compiler.
std::string config_text(const std::string& rate, const std::string& time,
                        const std::string& more = "", const std::string& engine = "interpreted") {
  return fmt::format(
      "grid: {{shape: [8, 9]}}\nboundary: insulated\n"
      "equation: {{kind: formula, field: \"{}\"}}\n"
      "initial: {{kind: formula, formula: 2 * random - 1}}\n"
      "time: {{{}}}\noutput: {{directory: out, every: 1000, fields: [field]}}\n"
      "compute: {{backend: cpu, engine: {}, precision: float64}}\n{}",
      rate, time, engine, more);
}

// The bytes and the times of writing of all files in a folder.
using Files = std::map<std::string, std::pair<fs::file_time_type, std::string>>;
Files files_in(const fs::path& folder) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().filename() != ".lock")
      files[entry.path().string()] = {entry.last_write_time(), file_text(entry.path())};
  return files;
}

}  // namespace

TEST_CASE("a restart may add a mask, and take it away") {
  const Sandbox sandbox;
  write_text("c.yaml", config_text("laplacian(field)", "step: 0.1, steps: 10"));
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  for (const char* const mask : {"grid.mask={formula: x < 4}", "grid.mask=null"}) {
    const Words more = {"--set", mask, "--set", "time.steps=20"};
    CHECK(run_lapl(joined({"resume", "out"}, more)).code == 2);
    const Outcome changed = run_lapl(joined({"resume", "out", "--change-equation"}, more));
    CHECK_MESSAGE(changed.code == 0, changed.err);
  }
}

TEST_CASE("every key of time is kept by restarts of every family of schemes, or says why not") {
  struct Change {
    std::string key;
    Words set;  // the key's value first
    std::string was, is;
  };
  struct Family {
    std::string rate, time, engine;
    std::vector<Change> changes;
  };
  const std::string reaction = "0.3*laplacian(field)+field-field^3";
  const auto tolerance = [](const char* was, const char* is) {
    return Change{"time.tolerance", {fmt::format("time.tolerance={}", is)}, was, is};
  };
  const Change step = {"time.step", {"time.step=0.05"}, "0.1", "0.05"};
  const auto scheme = [](const char* was, const char* is) {
    return Change{"time.scheme", {fmt::format("time.scheme={}", is)}, was, is};
  };
  const Change stages = {"time.stages", {"time.stages=7"}, "5", "7"};
  const Change start = {"time.start", {"time.start=0.1"}, "0", "0.1"};
  const Change since = {
      "time.since", {"time.since={step: 1, time: 0.1}"}, "null", "{step: 1, time: 0.1}"};
  const Change about = {"time.linear_about", {"time.linear_about=0.5"}, "0", "0.5"};
  const std::vector<Family> families = {
      {reaction,
       "scheme: euler, step: 0.1",
       "interpreted",
       {step, start, since, scheme("euler", "heun")}},
      {reaction, "scheme: rk4, step: 0.1", "interpreted", {step, scheme("rk4", "heun")}},
      {reaction, "scheme: bs23, step: 0.1", "interpreted", {step, tolerance("null", "0.001")}},
      {reaction,
       "scheme: bs23, step: 0.1, tolerance: 1e-4",
       "interpreted",
       {step, scheme("bs23", "dopri5"), tolerance("0.0001", "0.01"), tolerance("0.0001", "null")}},
      {reaction,
       "scheme: rkl2, stages: 5, step: 0.1",
       "interpreted",
       {step, stages, tolerance("null", "0.001")}},
      {reaction,
       "scheme: rkl2, stages: 5, step: 0.1, tolerance: 1e-4",
       "interpreted",
       {step, stages, tolerance("0.0001", "0.01"), tolerance("0.0001", "null")}},
      {reaction,
       "scheme: imex, step: 0.1",
       "interpreted",
       {step, scheme("imex", "heun"), tolerance("null", "0.001")}},
      {reaction,
       "scheme: imex, step: 0.1, tolerance: 1e-4",
       "interpreted",
       {step, tolerance("0.0001", "0.01"), tolerance("0.0001", "null")}},
      {reaction,
       "scheme: etdrk4, step: 0.1",
       "auto",
       {step, scheme("etdrk4", "etdrk2"), about, tolerance("null", "0.001")}},
      {reaction,
       "scheme: etdrk4, step: 0.1, tolerance: 1e-4",
       "auto",
       {step, scheme("etdrk4", "etdrk2"), about, tolerance("0.0001", "0.01"),
        tolerance("0.0001", "null")}},
      {reaction,
       "scheme: etdrk2, step: 0.1, tolerance: 1e-4",
       "auto",
       {tolerance("0.0001", "0.01")}},
      {"0.3*laplacian(field)", "step: 0.1", "spectral", {step}},
  };
  std::set<std::string> free, kept;
  for (const lapl::ConfigKey& key : lapl::config_keys())
    if (key.section() == "time") (key.on_restart == OnRestart::free ? free : kept).insert(key.name);
  CHECK(free == std::set<std::string>{"time.steps", "time.end", "time.meet", "time.largest_step",
                                      "time.unit"});
  std::set<std::string> changed;
  for (const Family& family : families) {
    CAPTURE(family.time);
    const Sandbox sandbox;
    write_text("c.yaml", config_text(family.rate, family.time + ", end: 0.5", "", family.engine));
    const Outcome run = run_lapl({"run", "c.yaml"});
    REQUIRE_MESSAGE(run.code == 0, run.err);
    const Files before = files_in("out");
    for (const Change& change : family.changes) {
      changed.insert(change.key);
      const Words more = settings(joined(change.set, {"time.end=1"}));
      for (const auto& [command, where] : std::map<std::string, std::string>{
               {"resume", "the checkpoint"}, {"run", "the run folder"}}) {
        const Outcome refused = run_lapl(joined(
            command == "run" ? Words{"run", "c.yaml", "--auto-resume"} : Words{"resume", "out"},
            more));
        const std::string words =
            fmt::format("{}: {} in {}, {} now (", change.key, change.was, where, change.is);
        CHECK(refused.code == 2);
        CHECK_MESSAGE(has(refused.err, words), refused.err);
        CHECK_FALSE(has(refused.err, "discretises"));
      }
    }
    CHECK(files_in("out") == before);
    const Outcome on = run_lapl({"resume", "out", "--set", "time.end=1"});
    CHECK_MESSAGE(on.code == 0, on.err);
  }
  CHECK(changed == kept);  // no key of time escapes
}

TEST_CASE("steps of one size go on with a tolerance at their time, with both values in the log") {
  const Sandbox sandbox;
  write_text("c.yaml", config_text("sin(t)", "scheme: bs23, step: 0.1, end: 5",
                                   "checkpoint: {every: 10, keep: 100}\n"));
  REQUIRE(run_lapl({"run", "c.yaml", "--set", "initial.formula=0"}).code == 0);
  const Words change = joined({"resume", "out", "--change-equation"},
                              settings({"time.tolerance=1e-6", "time.end=10"}));
  for (int time = 0; time < 2; ++time) {
    const Outcome on = run_lapl(time == 0 ? change : Words{"resume", "out"});
    REQUIRE_MESSAGE(on.code == 0, on.err);
    CHECK(last_value("time") == 10);
    CHECK(std::abs(last_value("mean") - (1 - std::cos(10))) < 1e-5);
    CHECK(has(file_text("out/log.jsonl"), "time.tolerance: null before, 1.0e-06 from then on"));
    // As if the run had been killed before its first checkpoint after the change.
    for (const auto& entry : fs::directory_iterator("out/checkpoints"))
      if (entry.path().filename() > "step-000000050.h5" && entry.path().extension() == ".h5")
        fs::remove(entry.path());
  }
  REQUIRE(run_lapl({"resume", "out"}).code == 0);
  const Outcome back = run_lapl(joined({"resume", "out", "--change-equation"},
                                       settings({"time.tolerance=null", "time.end=14"})));
  CHECK(back.code == 2);
  CHECK_MESSAGE(
      has(back.err,
          "time.tolerance: 1.0e-06 in the checkpoint, null now (a restart may not change it, as "
          "steps of one size have another clock; lapl resume --change step,tolerance does)"),
      back.err);
  CHECK(run_lapl(joined({"resume", "out", "--change-equation"},
                        settings({"time.tolerance=1e-8", "time.end=12"})))
            .code == 0);
  CHECK(std::abs(last_value("mean") - (1 - std::cos(12))) < 1e-5);
}

TEST_CASE("under a changed equation the largest stable step is looked at again") {
  const Sandbox sandbox;
  const auto config = [](const std::string& rate, const std::string& step) {
    return "grid: {shape: [64]}\nparameters: {D: 0.1}\nequation: {kind: formula, field: \"" + rate +
           "\"}\ninitial: {kind: formula, formula: random}\ntime: {step: " + step +
           ", steps: 600}\noutput: {directory: out, every: 30, fields: [field]}\n"
           "compute: {backend: cpu, engine: interpreted}\n";
  };
  const std::string rate = "D * laplacian(field) - 0.001 * field^3";
  const Words change = joined({"resume", "out", "--change-equation"},
                              settings({"parameters.D=0.3", "time.steps=630"}));
  SUBCASE("time.step: auto takes another one, also where the run was killed at once") {
    write_text("c.yaml", config(rate, "auto"));
    REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
    const Outcome on = run_lapl(change);
    REQUIRE_MESSAGE(on.code == 0, on.err);
    CHECK_MESSAGE(has(on.err, "(estimated at step 600)"), on.err);
    CHECK(last_value("max") <= 1);
    CHECK(last_value("min") >= 0);
    const double time = last_value("time");
    const auto digest = last_digest(on.out);
    fs::remove("out/checkpoints/step-000000630.h5");
    const Outcome again = run_lapl({"resume", "out"});
    REQUIRE(again.code == 0);
    CHECK(last_digest(again.out) == digest);
    CHECK(last_value("time") == time);
    // Longer steps, too.
    REQUIRE(run_lapl(joined({"resume", "out", "--change-equation"},
                            settings({"parameters.D=0.01", "time.steps=660"})))
                .code == 0);
    CHECK(last_value("time") - time > 30 * 20);
    CHECK(last_value("max") <= 1);
  }
  SUBCASE("a given step has the warning of a new run") {
    write_text("c.yaml", config(rate, "4.5"));
    REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
    const Outcome on = run_lapl(change);
    CHECK_MESSAGE(has(on.err,
                      "time.step: found 4.5, which may be unstable (the largest stable "
                      "step is estimated to be 1.6"),
                  on.err);
    CHECK(has(on.err, "at step 600"));
  }
  SUBCASE("a step that is known to be unstable is refused as in a new run") {
    write_text("c.yaml", config("D * laplacian(field)", "4.5"));
    REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
    const Files before = files_in("out");
    const Outcome on = run_lapl(change);
    CHECK(on.code == 2);
    CHECK_MESSAGE(has(on.err, "time.step: found 4.5"), on.err);
    CHECK(files_in("out") == before);
  }
}

TEST_CASE("a coefficient that implies the step is kept, as times follow from it") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const Outcome refused = run_lapl(joined({"resume", "out", "--change-equation"},
                                          settings({"equation.coefficient=0.2", "time.steps=80"})));
  CHECK(refused.code == 2);
  CHECK_MESSAGE(has(refused.err,
                    "equation.coefficient: 0.25 in the checkpoint, 0.2 now (a restart may not "
                    "change it, as time.step follows from it; lapl resume --change equation,step "
                    "does)"),
                refused.err);
  const std::string time = column("out/diagnostics.csv", "time").back();
  const Outcome on = run_lapl(joined({"resume", "out", "--change", "equation,step"},
                                     settings({"equation.coefficient=0.2", "time.steps=80"})));
  REQUIRE_MESSAGE(on.code == 0, on.err);
  CHECK(last_value("time") == std::stod(time) + 20 * 0.2);
}

TEST_CASE("where estimates are made is kept where steps follow from them, and free elsewhere") {
  const Sandbox sandbox;
  write_text("c.yaml", config_text("laplacian(field) - field^3", "step: auto, steps: 10"));
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const Words more = settings({"limits.check_finite_every=7", "time.steps=20"});
  const Outcome refused = run_lapl(joined({"resume", "out"}, more));
  CHECK(refused.code == 2);
  CHECK_MESSAGE(has(refused.err, "limits.check_finite_every: 500 in the checkpoint, 7 now"),
                refused.err);
  CHECK(run_lapl(joined({"resume", "out", "--change-equation"}, more)).code == 0);
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml", "--overwrite"}).code == 0);
  CHECK(run_lapl(
            joined({"resume", "out"}, settings({"limits.check_finite_every=7", "time.steps=80"})))
            .code == 0);
}

TEST_CASE("--auto-resume of run and sweep takes no results of another tolerance" *
          doctest::test_suite("slow")) {
  const Sandbox sandbox;
  write_text("c.yaml", config_text("field - field^3", "scheme: bs23, tolerance: 1e-3, end: 2"));
  const Words runs = {"run", "c.yaml", "--auto-resume"};
  const Words sweep = {"sweep", "c.yaml",           "--output",     "s",
                       "--set", "initial.seed=1,2", "--auto-resume"};
  REQUIRE(run_lapl(runs).code == 0);
  REQUIRE(run_lapl(sweep).code == 0);
  const Files before = files_in("out"), members = files_in("s");
  const Words other = settings({"time.tolerance=1e-5"});
  for (const Words& command : {runs, sweep}) {
    const Outcome refused = run_lapl(joined(command, other));
    CHECK(refused.code == 2);
    CHECK_MESSAGE(has(refused.err, "time.tolerance: 0.001 in the run folder, 1.0e-05 now"),
                  refused.err);
  }
  CHECK(files_in("out") == before);
  CHECK(files_in("s") == members);
  // Another end is no result of this config either: the members go on.
  const Outcome longer = run_lapl(joined(sweep, settings({"time.end=2.0000001"})));
  CHECK_MESSAGE(longer.code == 0, longer.err);
  CHECK_FALSE(has(longer.err, "complete already"));
}

TEST_CASE("a resume of a complete run takes no step and writes nothing") {
  const Sandbox sandbox;
  const std::string decay = "0.1 * laplacian(field) - field";
  for (const std::string& config :
       {small_config(), config_text(decay, "scheme: bs23, tolerance: 1e-3, end: 2"),
        config_text(decay, "step: 0.1, steps: 9000",
                    "limits: {steady: 1e-6, check_finite_every: 10}\n"),
        config_text("laplacian(field) - field^3", "step: auto, steps: 10")}) {
    CAPTURE(config);
    write_text("c.yaml", config);
    const Outcome run = run_lapl({"run", "c.yaml", "--overwrite"});
    REQUIRE_MESSAGE(run.code == 0, run.err);
    const Files before = files_in("out");
    for (const Words& command : {Words{"resume", "out"}, Words{"run", "c.yaml", "--auto-resume"}}) {
      const Outcome again = run_lapl(command);
      CHECK_MESSAGE(again.code == 0, again.err);
      CHECK(has(again.out, "complete already"));
      CHECK(last_digest(again.out) == last_digest(run.out));
      CHECK(files_in("out") == before);
    }
  }
  // A lost file is made again, and an output that is there stays as it is.
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml", "--overwrite"}).code == 0);
  const Files before = files_in("out");
  fs::remove("out/fields.nc");
  REQUIRE(run_lapl({"resume", "out"}).code == 0);
  CHECK(fs::exists("out/fields.nc"));
  REQUIRE(run_lapl({"resume", "out", "--set", "time.steps=70"}).code == 0);
  const Files after = files_in("out");
  for (const char* step : {"000000000", "000000020", "000000040", "000000060"}) {
    const std::string file = fmt::format("out/fields/step-{}.nc", step);
    CHECK(after.at(file) == before.at(file));
  }
  CHECK(column("out/diagnostics.csv", "step") == Words{"0", "20", "40", "60", "70"});
}
