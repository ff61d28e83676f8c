// grid.size, grid.origin, grid.center, and the constants of the grid that formulas may read.
#include <doctest/doctest.h>

#include "io/config/config.hpp"
#include "kernels/error.hpp"
#include "solver/equation/formula_mistakes.hpp"
#include "tests/io/config_helpers.hpp"

namespace lapl::test {
namespace {

const std::string after_axes =
    "equation: {coefficient: 0.1}\ntime: {steps: 1}\ninitial: {kind: uniform}\n";

LoadedConfig with_axes(const std::string& grid, const std::vector<std::string>& settings = {},
                       const std::string& rest = after_axes) {
  return parse_config("grid: {" + grid + "}\n" + rest, "c.yaml", "/configs", settings);
}
std::string axes_mistake(const std::string& grid, const std::string& rest = after_axes,
                         const std::vector<std::string>& settings = {}) {
  try {
    with_axes(grid, settings, rest);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}
std::string resolved_value(const LoadedConfig& config, const std::string& key) {
  for (const ResolvedKey& resolved : resolved_keys(resolved_yaml(config)))
    if (resolved.key == key) return resolved.value;
  return "none";
}

}  // namespace

TEST_CASE("grid.size gives the spacing and grid.center the origin: configs hold the numbers") {
  const LoadedConfig box = with_axes("shape: [5, 10, 4], size: [1, 3, 2], center: true");
  CHECK(box.run.spacing.by_axis == std::array{0.2, 0.3, 0.5});
  CHECK(box.run.spacing.origin == std::array{-0.4, -1.3499999999999999, -0.75});
  CHECK(resolved_value(box, "grid.spacing") == "[0.2, 0.3, 0.5]");
  CHECK(resolved_value(box, "grid.size") == "null");
  CHECK(box.run.spacing.middle == std::array{2.0, 4.5, 0.0});
  CHECK(box.run.spacing.position(1, 3) == -box.run.spacing.position(1, 6));
  CHECK(resolved_value(box, "grid.center") == "true");
  const LoadedConfig again = parse_config(resolved_yaml(box), "r.yaml", "/", {});
  CHECK(again.run.spacing == box.run.spacing);
  // Where rounding leaves positions symmetric anyway, the config has the origin.
  const LoadedConfig exact = with_axes("shape: [6, 7], spacing: [1, 0.75], center: true");
  CHECK(exact.run.spacing.middle == std::array{0.0, 0.0, 0.0});
  CHECK(resolved_value(exact, "grid.origin") == "[-2.5, -2.25]");
  CHECK(resolved_value(exact, "grid.center") == "false");

  CHECK(resolved_value(with_axes("shape: [4, 8], size: 2"), "grid.spacing") == "[0.5, 0.25]");
  CHECK(resolved_value(with_axes("shape: [8, 8], size: 2"), "grid.spacing") == "0.25");
  CHECK(with_axes("shape: [8], size: 2, origin: 0.125").run.spacing.origin[2] == 0.125);
  CHECK(with_axes("shape: [6, 7]").run.spacing == Spacing(1));
}

TEST_CASE("a setting of size or center replaces what the file gives, and the other way round") {
  const auto spacing = [](const std::string& grid, const std::string& setting) {
    return with_axes("shape: [4, 4], " + grid, {setting}).run.spacing;
  };
  CHECK(spacing("spacing: 3", "grid.size=2") == Spacing(0.5));
  CHECK(spacing("size: 3", "grid.spacing=2") == Spacing(2));
  CHECK(spacing("origin: 3", "grid.center=true").origin == std::array{0.0, -1.5, -1.5});
  CHECK(spacing("center: true", "grid.origin=0").origin == std::array{0.0, 0.0, 0.0});
  CHECK(spacing("origin: 3", "grid.center=false").origin[2] == 3);
  CHECK(spacing("size: 8", "grid.shape=[2, 2]") == Spacing(4));
}

TEST_CASE("each mistake about size, origin and center has its message") {
  const std::pair<std::string, std::string> rows[] = {
      {"shape: [5, 6], size: 0",
       "c.yaml:1:29: grid.size: found 0, out of range (expected a "
       "number above 0)"},
      {"shape: [5, 6], size: [1, null]",
       "c.yaml:1:33: grid.size: found null (expected a number above 0)"},
      {"shape: [5, 6], size: [1, 2, 3]",
       "c.yaml:1:29: grid.size: found 3 numbers (expected one number, or a list of one for each "
       "of the 2 axes of grid.shape)"},
      {"shape: [5, 6], size: 1, spacing: 1",
       "c.yaml:1:29: grid.size: given besides grid.spacing (give one of them)"},
      {"shape: [5, 6], size: 1e-30",
       "c.yaml:1:29: grid.size: found a spacing of 2e-31, of which the square or its inverse is "
       "infinite in float32 (expected about 5.4e-20 to 1.8e+19)\n"
       "c.yaml:1:29: grid.size: found a spacing of 1.6666666666666669e-31, of which the square or "
       "its inverse is infinite in float32 (expected about 5.4e-20 to 1.8e+19)"},
      {"shape: [5, 6], origin: left",
       "c.yaml:1:31: grid.origin: found left (expected a finite number)"},
      {"shape: [5, 6], origin: [1]",
       "c.yaml:1:31: grid.origin: found 1 number (expected one number, or a list of one for each "
       "of the 2 axes of grid.shape)"},
      {"shape: [5, 6], origin: 1e9",
       "c.yaml:1:31: grid.origin: found 1000000000, beside which a spacing of 1 is lost in float32 "
       "(expected an origin nearer to 0, or compute.precision: float64)"},
      {"shape: [5, 6], origin: 1e39",
       "c.yaml:1:31: grid.origin: found 1e+39, beside which a spacing of 1 is lost in float32 "
       "(expected an origin nearer to 0, or compute.precision: float64)"},
      {"shape: [5, 6], center: yes",
       "c.yaml:1:31: grid.center: found yes (expected true or false)"},
      {"shape: [5, 6], center: true, origin: 0.5",
       "c.yaml:1:31: grid.center: given besides grid.origin (give one of them)"}};
  for (const auto& [grid, message] : rows) CHECK(axes_mistake(grid) == message);
  CHECK(axes_mistake("shape: [5, 6], origin: 1e9", after_axes, {"compute.precision=float64"}) ==
        "accepted");
}

TEST_CASE("formulas read constants of the grid, unless a parameter or a field has the name") {
  const auto rest = [](const std::string& rate, const std::string& time = "step: 0.1",
                       const std::string& more = "") {
    return "equation: {kind: formula, field: " + rate + "}\ntime: {" + time + ", steps: 1}\n" +
           "initial: {kind: uniform}\n" + more;
  };
  const std::string grid = "shape: [5, 6]";
  CHECK(axes_mistake(grid, rest("Lx + Ly + hx + hy + nx + ny + dt")) == "accepted");
  CHECK(axes_mistake(grid, rest("Lx * laplacian(field)", "step: 0.1", "parameters: {Lx: 0.5}")) ==
        "accepted");
  CHECK(axes_mistake(grid, rest("-dt * field", "step: auto", "parameters: {dt: 0.5}")) ==
        "accepted");
  CHECK(axes_mistake(grid,
                     "fields: [dt, hx]\nequation: {kind: formula, dt: hx, hx: dt}\ntime: "
                     "{step: 0.1, steps: 1}\ninitial: {dt: {kind: uniform}, hx: {kind: "
                     "uniform}}") == "accepted");
  CHECK(axes_mistake(grid, rest("Lz")) ==
        "c.yaml:2:34: equation.field: Lz on a grid of 2 axes (there is no axis z)\n    Lz\n    ^");
  const std::string varies =
      "c.yaml:2:34: equation.field: dt where steps vary (expected time.step: a number, without "
      "auto and without time.tolerance)\n    dt\n    ^";
  CHECK(axes_mistake(grid, rest("dt", "step: auto")) == varies);
  CHECK(axes_mistake(grid, rest("dt", "step: 0.1, scheme: bs23, tolerance: 1e-4")) == varies);
}

}  // namespace lapl::test
