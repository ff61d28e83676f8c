// Words for numbers: units of the axes, units and labels of fields and outputs.
#include <doctest/doctest.h>

#include "solver/model.hpp"
#include "tests/io/config_helpers.hpp"

namespace lapl {
namespace {

const std::string two_kinds =
    "grid: {shape: [4, 5], unit: µm}\n"
    "fields: {psi: {kind: complex, unit: m-1, label: wave}, T: {unit: K, standard_name: "
    "air_temperature}, w: real}\n"
    "equation: {psi: i * laplacian(psi), T: laplacian(T), w: T}\n"
    "initial: {psi: 1, T: 2, w: 3}\n"
    "time: {step: 0.1, steps: 1, unit: h}\n"
    "output: {fields: [psi, T, w, q, p], derived: {q: {formula: T^2, unit: K2}, p: T}}\n"
    "filters: [{name: f, field: T, kernel: box}]\n";

const OutputDataset& output_named(const Model& model, const std::string& name) {
  for (const OutputDataset& output : model.outputs)
    if (output.name == name) return output;
  throw ConfigError("no output {}", name);
}

TEST_CASE("units and labels reach the outputs of a run, also those of complex fields") {
  CHECK(come_back(two_kinds) == "accepted");
  const LoadedConfig config = parse(two_kinds);
  CHECK(config.run.units == Units{"µm", "h"});
  CHECK(config.run.complex_fields == std::vector<std::string>{"psi"});
  const auto is = [&](const char* name, const char* unit, const char* description) {
    const OutputDataset& output = output_named(config, name);
    CHECK(output.unit == unit);
    CHECK(output.description == description);
  };
  is("psi_re", "m-1", "real part of wave");
  is("psi_im", "m-1", "imaginary part of wave");
  is("T", "K", "T");
  CHECK(output_named(config, "T").standard_name == "air_temperature");
  is("w", "", "w");
  is("q", "K2", "T^2");
  is("p", "", "T");
  CHECK(output_named(config, "f").unit == "K");
}

TEST_CASE("the Laplacian has a unit where the field and the grid have one") {
  const auto unit = [](const std::string& grid, const std::string& field) {
    const LoadedConfig config = parse("grid: {shape: [4, 5]" + grid + "}\nfields: {T: {" + field +
                                      "}}\nequation: {coefficient: 0.2}\ntime: {steps: 1}\n");
    return output_named(config, "laplacian").unit;
  };
  CHECK(unit(", unit: m", "unit: K") == "K m-2");
  CHECK(unit(", unit: 0.5 m", "unit: K") == "K (0.5 m)-2");
  CHECK(unit("", "unit: K").empty());
  CHECK(unit(", unit: m", "label: heat").empty());
}

TEST_CASE("without keys for them there are no units") {
  const LoadedConfig config = parse(config_with("output: {derived: {q: field^2}}"));
  CHECK(config.run.units == Units{});
  for (const OutputDataset& output : config.outputs) CHECK(output.unit.empty());
}

TEST_CASE("a wrong unit is named") {
  const std::string line = "grid: {shape: [4, 5], unit: ";
  CHECK(mistakes_in(config_with(line + "\"a\\nb\"}")) ==
        "bad.yaml:1:29: grid.unit: found \"a?b\" (expected one line without control characters)");
  CHECK(mistakes_in(config_with(line + "1}")) ==
        "bad.yaml:1:29: grid.unit: found 1, which YAML reads as a number (quote it: \"1\")");
  CHECK(mistakes_in(config_with(line + std::string(101, 'm') + "}"))
            .ends_with("... (expected at most 100 bytes)"));
  CHECK(mistakes_in(config_with(line + "'m;% µ°\"<>&'}")) == "accepted");
  CHECK(mistakes_in(config_with("fields: {T: {units: K}}")) ==
        "bad.yaml:4:14: fields: T.units: unknown key (did you mean unit?)");
  CHECK(mistakes_in(config_with("fields: {T: {unit: [K]}}")) ==
        "bad.yaml:4:20: fields: T.unit: found a list (expected null, or a text of at most 100 "
        "bytes)");
}

}  // namespace
}  // namespace lapl
