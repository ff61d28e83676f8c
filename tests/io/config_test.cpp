// Valid configs: values, defaults, the resolved config and the documents.
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "config_helpers.hpp"
#include "io/config/config_keys.hpp"
#include "kernels/engines.hpp"
#include "solver/equation/equation.hpp"

namespace lapl {
namespace {

const std::string full_config = R"(grid:
  shape: [2000, 1000]            # rows, columns
  spacing: 2.5e-1
boundary: {rows: periodic, columns: insulated}
initial:
  kind: fractal
  seed: 9223372036854775807
  spectral_exponent: 2
  crop_radius: null
  percentile: 12.5
equation:
  kind: diffusion
  diffusivity: 0.5
time:
  steps: 9007199254740992
  step: 0.01
compute: {backend: cpu, precision: float64, engine: reference, threads: 16}
output:
  directory: "runs/a b: c"
  every: 7
  fields: [laplacian]
checkpoint: {every: 30m, keep: 1}
filters: []
limits: {wall_time: 1.5h, check_finite_every: 1, verify_every: 250}
)";

/// One config for each kind of initial field, with the keys of that kind.
const std::vector<std::string> initial_fields = {
    "initial: {seed: 1}",
    "initial: {kind: uniform, value: -2.5}",
    "initial: {kind: gaussian, amplitude: 3, center: [0, 1], width: 0.25}",
    "initial: {kind: checkerboard, amplitude: 2, tile: 3}",
    "initial: {kind: sine, amplitude: 2, mode: [4, 5]}",
    "initial: {kind: image, path: ../pictures/a.png}",
    "initial: {kind: hdf5, path: \"/data/ä.h5\", dataset: /group/u}"};

std::string listed_values(const LoadedConfig& config) {
  std::string values;
  for (const ResolvedKey& key : config.keys) values += key.key + ": " + key.value + "\n";
  return values;
}

TEST_CASE("rates that are too long together are a mistake at the line of one of them") {
  std::string fields, rates, initial;
  for (int field = 0; field < 6; ++field) {
    const std::string name = fmt::format("u{}", field);
    fields += (field == 0 ? "" : ", ") + name;
    rates += fmt::format("  {}: 0", name);
    for (int term = 0; term < 400; ++term) rates += fmt::format(" + sin({} * {})", term + 2, name);
    rates += '\n';
    initial += fmt::format("  {}: {{kind: uniform, value: 0}}\n", name);
  }
  const std::string found = mistakes_in(
      fmt::format("grid: {{shape: [8, 8]}}\nfields: [{}]\nequation:\n  kind: formula\n{}"
                  "initial:\n{}time: {{step: 1, steps: 1}}\n",
                  fields, rates, initial));
  CHECK_MESSAGE(found.starts_with("bad.yaml:8:"), found);
  CHECK_MESSAGE(found.find(": equation.u3: all rates in one stage: more than 4096 operations") !=
                    std::string::npos,
                found);
}

TEST_CASE("every value of a config reaches RunConfig") {
  const RunConfig run = parse(full_config).run;
  CHECK(run.shape == Shape{.rows = 2000, .columns = 1000});
  CHECK(run.spacing == 0.25);
  CHECK(run.boundaries == Boundaries{Boundary::periodic, Boundary::insulated});
  CHECK(run.initial.kind == InitialKind::fractal);
  CHECK(run.initial.fractal.seed == 9223372036854775807U);
  CHECK(run.initial.fractal.spectral_exponent == 2);
  CHECK_FALSE(run.initial.fractal.crop_radius);
  CHECK(run.initial.fractal.percentile == 12.5);
  CHECK_FALSE(run.equation.coefficient);
  CHECK(stored_coefficient(run) == 0.5 * 0.01 / (0.25 * 0.25));
  CHECK(run.steps == 9007199254740992);
  CHECK(run.backend == "cpu");
  CHECK(run.precision == Precision::float64);
  CHECK(run.engine == "reference");
  CHECK(run.threads == 16);
  CHECK(run.directory == "runs/a b: c");
  CHECK(run.output_every == 7);
  CHECK(run.output_fields == std::vector<std::string>{"laplacian"});
  CHECK_FALSE(run.checkpoint_every.steps);
  CHECK(run.checkpoint_every.seconds == 1800);
  CHECK(run.checkpoints_kept == 1);
  CHECK(run.wall_time == 5400);
  CHECK(run.check_finite_every == 1);
  CHECK(run.verify_every == 250);
}

TEST_CASE("values of each kind of initial field reach RunConfig") {
  const auto initial = [](std::size_t index) {
    return parse(config_with(initial_fields[index])).run.initial;
  };
  CHECK(initial(1).value == -2.5);
  CHECK(initial(2).amplitude == 3);
  CHECK(initial(2).center == std::array{0.5, 0.0, 1.0});
  CHECK(initial(2).width == 0.25);
  CHECK(initial(3).tile == 3);
  CHECK(initial(4).mode == std::array<std::int64_t, 3>{1, 4, 5});
  CHECK(initial(5).path == "/pictures/a.png");  // relative to /configs, the config's folder
  CHECK(initial(6).path == "/data/ä.h5");
  CHECK(initial(6).dataset == "/group/u");
}

TEST_CASE("defaults of the key table are those of RunConfig") {
  const RunConfig run = parse(smallest_config).run;
  const RunConfig plain;
  CHECK(run.spacing == plain.spacing);
  CHECK(run.boundaries == plain.boundaries);
  CHECK(run.initial.fractal.seed == plain.initial.fractal.seed);
  CHECK(run.initial.fractal.spectral_exponent == plain.initial.fractal.spectral_exponent);
  CHECK(run.initial.fractal.crop_radius == plain.initial.fractal.crop_radius);
  CHECK(run.initial.fractal.percentile == plain.initial.fractal.percentile);
  CHECK(run.backend == plain.backend);
  CHECK(run.engine == plain.engine);
  CHECK(run.precision == plain.precision);
  CHECK(run.threads == plain.threads);
  CHECK(run.directory == "runs/bad");  // the config is called bad.yaml
  CHECK(run.output_every == plain.output_every);
  CHECK(run.output_fields == plain.output_fields);
  CHECK(run.checkpoint_every.steps == plain.checkpoint_every.steps);
  CHECK(run.checkpoints_kept == plain.checkpoints_kept);
  CHECK(run.wall_time == plain.wall_time);
  CHECK(run.check_finite_every == plain.check_finite_every);
  CHECK(run.verify_every == plain.verify_every);
  for (const InitialKind kind : {InitialKind::gaussian, InitialKind::checkerboard,
                                 InitialKind::sine, InitialKind::uniform}) {
    const std::string line = std::string("initial: {kind: ") + enum_name(kind) + "}";
    const InitialConfig initial = parse(config_with(line)).run.initial;
    CHECK(initial.value == plain.initial.value);
    CHECK(initial.amplitude == plain.initial.amplitude);
    CHECK(initial.center == plain.initial.center);
    CHECK(initial.width == plain.initial.width);
    CHECK(initial.tile == plain.initial.tile);
    CHECK(initial.mode == plain.initial.mode);
    CHECK(initial.dataset == plain.initial.dataset);
  }
}

TEST_CASE("a resolved config loads again with the same values") {
  std::vector<std::string> texts = {full_config};
  for (const std::string& line : initial_fields) texts.push_back(config_with(line));
  for (const std::string& text : texts) {
    CAPTURE(text);
    const LoadedConfig config = parse(text);
    const std::string resolved = resolved_yaml(config);
    const LoadedConfig again = parse_config(resolved, "config.yaml", "/elsewhere", {});
    CHECK(listed_values(again) == listed_values(config));
    CHECK(again.run.spacing == config.run.spacing);
    CHECK(again.run.initial.path == config.run.initial.path);
    CHECK(again.run.directory == config.run.directory);
    CHECK(again.run.checkpoint_every.seconds == config.run.checkpoint_every.seconds);
  }
}

TEST_CASE("a resolved config says where each value came from") {
  const std::string resolved = resolved_yaml(
      parse(config_with("boundary: {rows: periodic}"), {"time.steps=9", "output.fields=[field]"}));
  const auto source_line = [&](const std::string& entry) {
    const std::size_t start = resolved.find("  " + entry + ": ");
    return resolved.substr(start, resolved.find('\n', start) - start);
  };
  CHECK(source_line("shape") == "  shape: [4, 5]                           # bad.yaml:1");
  CHECK(source_line("rows") == "  rows: periodic                          # bad.yaml:4");
  CHECK(source_line("columns") == "  columns: zero                           # default");
  CHECK(source_line("fields") == "  fields: [field]                         # --set");
}

TEST_CASE("every key that applies is resolved once, and no other is") {
  for (const std::string& line : initial_fields) {
    const LoadedConfig config = parse(config_with(line));
    std::size_t next = 0;
    for (const ConfigKey& key : config_keys_for({})) {
      if (key.section() == "initial" && !key.belongs_to(enum_name(config.run.initial.kind)))
        continue;
      if (key.section() != "initial" && !key.belongs_to("diffusion")) continue;
      REQUIRE(next < config.keys.size());
      CHECK(config.keys[next++].key == key.name);
    }
    CHECK(next == config.keys.size());
  }
}

TEST_CASE("eigenmodes have the range of their boundary") {
  const auto accepted = [](const std::string& boundary, const std::string& mode) {
    return mistakes_in(smallest_config + "boundary: " + boundary +
                       "\ninitial: {kind: sine, mode: " + mode + "}\n") == "accepted";
  };
  CHECK(accepted("zero", "[4, 5]"));
  CHECK_FALSE(accepted("zero", "[5, 5]"));
  CHECK_FALSE(accepted("zero", "[4, 0]"));
  CHECK(accepted("insulated", "[0, 4]"));
  CHECK_FALSE(accepted("insulated", "[4, 4]"));
  CHECK(accepted("periodic", "[2, 2]"));
  CHECK_FALSE(accepted("periodic", "[2, 3]"));
  CHECK(accepted("{rows: periodic, columns: zero}", "[0, 5]"));
}

TEST_CASE("the schema is JSON and has every key and engine") {
  const nlohmann::json schema = nlohmann::json::parse(config_schema());
  CHECK(schema.at("$schema") == "https://json-schema.org/draft/2020-12/schema");
  CHECK(schema.at("required") == nlohmann::json::array({"grid"}));
  for (const ConfigKey& key : config_keys()) {
    CAPTURE(key.name);
    const nlohmann::json& section = schema.at("properties").at(std::string(key.section()));
    if (key.section() == key.name) {
      CHECK(section.contains("description"));
      continue;
    }
    const nlohmann::json& map =
        section.contains("anyOf") ? section.at("anyOf").at(key.section() == "boundary") : section;
    if (key.entry() == "FIELD" || key.entry() == "NAME") continue;
    if (key.section() != "equation" && key.section() != "boundary")
      CHECK(map.at("additionalProperties") == false);
    const nlohmann::json& entry = map.at("properties").at(std::string(key.entry()));
    CHECK(entry.contains("description"));
    CHECK(entry.contains("default") != key.is_required());
  }
  const nlohmann::json& engines =
      schema.at("properties").at("compute").at("properties").at("engine").at("enum");
  CHECK(engines.size() == engine_table.size() + 2);  // and also auto and spectral
}

}  // namespace

TEST_CASE("engine spectral makes a checkpoint with each output, unless the config says otherwise" *
          doctest::test_suite("moderate")) {
  const std::string spectral = "compute: {engine: spectral}\n";
  const auto every = [](const std::string& text) {
    const LoadedConfig config = parse(text);
    const LoadedConfig again = parse(resolved_yaml(config));
    CHECK(again.run.checkpoint_every.steps == config.run.checkpoint_every.steps);
    return config.run.checkpoint_every.steps;
  };
  CHECK(every(config_with("output: {every: 700}")) == 2500);
  CHECK(every(config_with(spectral + "output: {every: 700}")) == 700);
  CHECK(every(config_with(spectral + "output: {every: {time: 70}}")) == 280);  // a step is 0.25 s
  CHECK(every(config_with(spectral + "output: {every: 700}\ncheckpoint: {every: 50}")) == 50);
  CHECK(every(config_with(spectral + "checkpoint: {every: 2500}\noutput: {every: 700}")) == 2500);
  CHECK(!every(config_with(spectral + "checkpoint: {every: 1h}")));
}

TEST_CASE("the model of a config is that of its values, also of those that were found") {
  const std::string equation =
      "fields: [u]\ninitial: {kind: formula, formula: 1 + x}\nequation: {u: laplacian(u) - k * "
      "u^3}\n"
      "parameters: {k: 2}\noutput: {derived: {twice: {formula: 2 * u}}, integrals: {all: u}, "
      "fields: [u, twice]}\n";
  for (const std::string time :
       {"{step: 0.1, steps: 3}", "{end: 1}", "{step: auto, end: 1}",
        "{scheme: dopri5, end: 1, tolerance: 1e-3}", "{scheme: rkl2, stages: 5, end: 1}",
        "{scheme: rkl2, step: 0.5, end: 1}", "{scheme: rkl2, tolerance: 1e-3, end: 1}",
        "{scheme: bs23, tolerance: 1e-3, end: 1}"}) {
    CAPTURE(time);
    const LoadedConfig config =
        parse("grid: {shape: [6, 5]}\n" + equation + "time: " + time + "\n");
    CHECK_FALSE(config.run.lacks_step());
    CHECK_FALSE(config.run.lacks_stages());
    const Model model(config.run);
    const auto same = [](const StepStages& a, const StepStages& b) {
      REQUIRE(a.stages.size() == b.stages.size());
      CHECK(a.like == b.like);
      for (std::size_t i = 0; i < a.stages.size(); ++i) {
        CHECK(a.stages[i].tree == b.stages[i].tree);
        CHECK(a.stages[i].targets == b.stages[i].targets);
        CHECK(a.stages[i].time == b.stages[i].time);
      }
    };
    same(config.step, model.step);
    REQUIRE(config.derived.size() == model.derived.size());
    for (std::size_t i = 0; i < model.derived.size(); ++i)
      same(config.derived[i], model.derived[i]);
    REQUIRE(config.integrals.size() == 1);
    same(config.integrals[0], model.integrals[0]);
  }
}

}  // namespace lapl
