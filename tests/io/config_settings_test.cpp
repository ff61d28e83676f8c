// --set, rules between keys, and the order of messages.
#include <filesystem>
#include <fstream>

#include "config_helpers.hpp"
#include "kernels/engines.hpp"
#include "solver/equation/equation.hpp"

namespace lapl {
namespace {

struct SettingMistake {
  std::vector<std::string> settings;
  const char* message;
};

// Settings for the smallest config; the last one is a mistake.
const SettingMistake setting_table[] = {
    // clang-format off
    {{"time.stps=5"}, "--set time.stps=5: time.stps: unknown key (did you mean time.steps?)"},
    {{"steps=5"}, "--set steps=5: steps: unknown key (did you mean time.steps?)"},
    {{"chekpoint.every=5"},
     "--set chekpoint.every=5: chekpoint.every: unknown key (did you mean checkpoint.every?)"},
    {{"grid.shape.rows=5"},
     "--set grid.shape.rows=5: grid.shape: found a map (expected a list of 1 to 3, each an integer "
     "from 1 to 1099511627776)"},
    {{"=5"}, "--set =5: not a setting (expected KEY=VALUE, such as time.steps=100)"},
    {{"time.steps"},
     "--set time.steps: not a setting (expected KEY=VALUE, such as time.steps=100)"},
    {{"time.steps="},
     "--set time.steps=: time.steps: found nothing (expected a value; null stands for none)"},
    {{"time.steps=010"},
     "--set time.steps=010: time.steps: found 010, with leading zeros (write 10)"},
    {{"time.steps=\"10\""},
     "--set time.steps=\"10\": time.steps: found \"10\", quoted (write 10)"},
    {{"time.steps=- 1"},
     "--set time.steps=- 1: time.steps: not one value (write a list as [a, b] and a map as "
     "{a: b})"},
    {{"time.steps=&a 1"},
     "--set time.steps=&a 1: time.steps: found an anchor (write the value itself)"},
    {{"grid.shape=[3,"},
     "--set grid.shape=[3,: grid.shape: not valid YAML: end of sequence flow not found (expected "
     "matching indentation, brackets and quotes)"},
    {{"time=5"},
     "--set time=5: time: found 5 (expected a map with keys of time: steps, start, end, step, since, scheme, stages, tolerance, meet, largest_step, unit, linear_about)"},
    {{"boundary=open"},
     "--set boundary=open: boundary: found open (expected zero, insulated or periodic, or a finite number, or a condition or a map of first and last with one each)"},
    {{"initial.kind=image"}, "bad.yaml:1:1: initial.path: missing (expected the path of a file)"},
    {{"initial.width=1"},
     "--set initial.width=1: initial.width: does not apply to initial.kind fractal (it belongs to "
     "gaussian)"},
    {{"initial.kind=uniform", "initial.tile=1"},
     "--set initial.tile=1: initial.tile: does not apply to initial.kind uniform (it belongs to "
     "checkerboard)"},
    {{"compute.backend=cpu", "compute.engine=tile"},
     "--set compute.engine=tile: compute.engine: found tile, an engine of backend cuda, with "
     "compute.backend cpu (expected compute.backend cuda or auto, or another engine)"},
    {{"time.step=0.1"},
     "--set time.step=0.1: time.step: given besides equation.coefficient (give "
     "equation.coefficient alone, or equation.diffusivity and time.step)"},
    {{"equation.coefficient=null"},
     "--set equation.coefficient=null: equation.coefficient: missing (give it, or "
     "equation.diffusivity; or formulas, as in equation: {u: laplacian(u)})"},
    {{"equation.coefficient=null", "time.step=0.1"},
     "bad.yaml:2:1: equation.diffusivity: missing (time.step needs it: give both, or "
     "equation.coefficient)"},
    {{"equation.coefficient=null", "equation.diffusivity=2", "time.step=0.2"},
     "--set time.step=0.2: time.step: found 0.2, unstable, since D dt / h^2 is 0.4 (at most 0.125, "
     "for a coefficient of 0.25)"},
    {{"equation.coefficient=null", "equation.diffusivity=1", "time.step=1e-60"},
     "--set time.step=1e-60: time.step: makes the coefficient 1e-60, which is 0 in float32 "
     "(expected a coefficient of 1.5e-45 or more)"},
    {{"time.scheme=heun"},
     "--set time.scheme=heun: time.scheme: found heun (equation.kind diffusion takes euler or rkl2; "
     "formula takes any scheme)"},
    {{"time.scheme=rkl2", "time.stages=20", "equation.coefficient=26.2"},
     "--set equation.coefficient=26.2: equation.coefficient: found 26.2, out of range (expected a "
     "number above 0 and at most 26.125, the largest stable coefficient, with 20 stages; or "
     "time.stages: 21)"},
    {{"time.scheme=rkl2", "equation.coefficient=1032"},
     "--set equation.coefficient=1032: equation.coefficient: found 1032, out of range (expected a "
     "number above 0 and at most 1031.875, the largest stable coefficient, with 128 stages)"},
    {{"time.scheme=rkl2", "equation.coefficient=null", "equation.diffusivity=1", "time.step=30",
      "time.stages=20"},
     "--set time.step=30: time.step: found 30, unstable, since D dt / h^2 is 30 (at most 26.125, "
     "for a coefficient of 26.125, with 20 stages; or time.stages: 22)"},
    {{"boundary=insulated", "grid.shape=[1, 5]", "initial.kind=sine"},
     "bad.yaml:1:1: initial.mode: found 1 for the rows, out of range (expected 0 to 0 with "
     "boundary insulated and 1 rows)"},
    // clang-format on
};

TEST_CASE("each mistake in a setting has its message") {
  for (const SettingMistake& mistake : setting_table) {
    CAPTURE(mistake.settings.back());
    CHECK(mistakes_in(smallest_config, mistake.settings) == std::string(mistake.message));
  }
}

TEST_CASE("settings win over the file, later ones over earlier ones") {
  const LoadedConfig config =
      parse(smallest_config, {"time.steps=7", "time.steps=8", "grid.shape=[2, 3]", "filters=[]",
                              "checkpoint.every=2h", "initial.percentile=null"});
  CHECK(config.run.steps == 8);
  CHECK(config.run.shape == Shape{.rows = 2, .columns = 3});
  CHECK(config.run.checkpoint_every.seconds == 7200);
  CHECK_FALSE(config.run.initial.fractal.percentile);
}

TEST_CASE("boundary is set for both axes or for one") {
  const std::string text = config_with("boundary: {rows: insulated, columns: insulated}");
  CHECK(parse(text, {"boundary=periodic"}).run.boundaries ==
        Boundaries{Boundary::periodic, Boundary::periodic});
  CHECK(parse(text, {"boundary.rows=periodic"}).run.boundaries ==
        Boundaries{Boundary::periodic, Boundary::insulated});
  CHECK(parse(text, {"boundary=zero", "boundary.columns=periodic"}).run.boundaries ==
        Boundaries{Boundary::zero, Boundary::periodic});
  CHECK(parse(config_with("boundary: insulated")).run.boundaries ==
        Boundaries{Boundary::insulated, Boundary::insulated});
}

TEST_CASE("null removes a coefficient") {
  const RunConfig run = parse(smallest_config, {"equation.coefficient=null",
                                                "equation.diffusivity=0.5", "time.step=0.25"})
                            .run;
  CHECK_FALSE(run.equation.coefficient);
  CHECK(stored_coefficient(run) == 0.125);
}

TEST_CASE("a setting of another kind replaces the initial field of the file") {
  const std::string text = config_with("initial: {kind: fractal, seed: 3, percentile: 50}");
  const LoadedConfig config = parse(text, {"initial.kind=uniform", "initial.value=4"});
  CHECK(config.run.initial.value == 4);
  CHECK(config_value(config, "initial.percentile").empty());
  // A setting of initial.kind does not hide a mistake in the file.
  const std::string wrong = config_with("initial: {kind: fractal, seed: x}");
  CHECK(mistakes_in(wrong, {"initial.kind=uniform"}) ==
        "bad.yaml:4:32: initial.seed: found x (expected an integer from 0 to 9223372036854775807)");
}

TEST_CASE("a setting does not hide a mistake in the file") {
  CHECK(mistakes_in(config_with("time: {steps: x}"), {"time.steps=5"}) ==
        "bad.yaml:3:15: time.steps: found x (expected null, or an integer from 0 to "
        "9007199254740992)");
}

TEST_CASE("the largest stable time step that a message names is stable" *
          doctest::test_suite("moderate")) {
  for (const std::string spacing : {"0.1", "0.3", "1", "7.7", "1e-9", "123456.789"}) {
    std::vector<std::string> settings = {"equation.coefficient=null", "equation.diffusivity=3.3",
                                         "grid.spacing=" + spacing, "time.step=1e15"};
    const std::string message = mistakes_in(smallest_config, settings);
    const std::size_t start = message.find("(at most ") + 9;
    REQUIRE(start > 9);
    settings.back() = "time.step=" + message.substr(start, message.find(',', start) - start);
    CHECK(mistakes_in(smallest_config, settings) == "accepted");
  }
}

TEST_CASE("all mistakes are reported at once, by position, then those of settings") {
  CHECK(mistakes_in("time:\n  steps: x\n  step: 0\ngrid:\n  shape: [0, 1]\nfoo: 1\n",
                    {"output.every=0", "bar=1"}) ==
        "bad.yaml:1:1: equation.diffusivity: missing (time.step needs it: give both, or "
        "equation.coefficient)\n"
        "bad.yaml:2:10: time.steps: found x (expected null, or an integer from 0 to "
        "9007199254740992)\n"
        "bad.yaml:3:9: time.step: found 0, out of range (expected a number above 0)\n"
        "bad.yaml:5:11: grid.shape: found 0, out of range (expected an integer from 1 to "
        "1099511627776)\n"
        "bad.yaml:6:1: foo: unknown key\n"
        "--set output.every=0: output.every: found 0, out of range (expected an integer from 1 to "
        "9007199254740992)\n"
        "--set bar=1: bar: unknown key");
}

TEST_CASE("a setting can hold any text") {
  for (const std::string text :
       {"runs/plain", "2024", "yes", "a: b #c", "\"quoted\" \\ [", "null", "", "-", "é"}) {
    if (text.empty()) continue;
    CHECK(parse(smallest_config, {text_setting("output.directory", text)}).run.directory == text);
  }
}

TEST_CASE(
    "relative paths start from the config's folder, those of settings from the current one, and "
    "unreadable files are named") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "lapl config test";
  fs::create_directories(folder);
  const fs::path file = folder / "my run.yaml";
  std::ofstream(file) << config_with("initial: {kind: image, path: a.png}");
  const LoadedConfig config = load_config(file, {});
  CHECK(config.run.initial.path == (folder / "a.png").string());
  CHECK(config.run.directory == "runs/my run");
  CHECK(load_config(file, {"initial.path=b.png"}).run.initial.path ==
        (fs::current_path() / "b.png").string());
  CHECK_THROWS_WITH_AS(
      load_config(folder / "none.yaml", {}),
      ((folder / "none.yaml").string() + ": cannot open: No such file or directory").c_str(),
      IoError);
  CHECK_THROWS_AS(load_config(folder, {}), IoError);
  fs::remove_all(folder);
}

TEST_CASE("every engine can be chosen with its backend" * doctest::test_suite("slow")) {
  for (const EngineInfo& engine : engine_table) {
    const std::string name = std::string("compute.engine=").append(engine.name);
    const std::string backend = std::string("compute.backend=").append(engine.backend);
    CHECK(parse(smallest_config, {name, backend}).run.engine == engine.name);
  }
}

TEST_CASE("--set of a key below a map makes the map, or changes its entry") {
  const std::string config =
      "grid: {shape: [4, 5]}\nequation: {u: k * laplacian(u)}\ninitial: 0\n"
      "parameters: {k: {formula: x}}\ntime: {step: 0.1, steps: 4}\n"
      "output: {every: 2, probes: {every: 2, at: {a: [1, 1]}}}\n";
  const LoadedConfig set =
      parse(config, {"output.every.time=0.2", "output.probes.every=1", "output.probes.at.b=[2, 2]",
                     "fields.u.unit=K", "parameters.k.formula=1 + x"});
  CHECK(set.run.output_time == 0.2);
  CHECK(set.run.probes->every == 1);
  CHECK(set.run.probes->at.size() == 2);
  CHECK(set.run.parameters.at("k").formula.text() == "1 + x");
  CHECK(mistakes_in(config, {"output.probes.cadence=1"}).find("output.probes.cadence") !=
        std::string::npos);
}

}  // namespace
}  // namespace lapl
