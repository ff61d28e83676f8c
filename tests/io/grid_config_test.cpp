// Grids of one and three axes in configs.
#include <doctest/doctest.h>

#include "io/config/config.hpp"
#include "kernels/error.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"

namespace lapl {
namespace {

LoadedConfig on_grid(const std::string& grid, const std::string& rest) {
  return parse_config("grid: {" + grid + "}\n" + rest, "c.yaml", "/configs", {});
}

std::string grid_mistakes(const std::string& grid, const std::string& rest) {
  try {
    on_grid(grid, rest);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

const std::string steps = "equation: {coefficient: 0.1}\ntime: {steps: 1}\n";
const std::string start = "initial: {kind: uniform}\n";

}  // namespace

TEST_CASE("a grid has one to three axes, and a spacing for each") {
  const RunConfig line = on_grid("shape: [7]", steps + start).run;
  CHECK(line.shape == Shape{.rows = 1, .columns = 7, .planes = 1, .axes = 1});
  const RunConfig box = on_grid("shape: [5, 6, 7], spacing: [1, 0.5, 0.25]", steps + start).run;
  CHECK(box.shape == Shape{.rows = 6, .columns = 7, .planes = 5, .axes = 3});
  CHECK(box.spacing.by_axis == std::array{1.0, 0.5, 0.25});
  CHECK(box.spacing.given(3).size() == 3);
  const RunConfig flat = on_grid("shape: [6, 7], spacing: [0.5, 0.5]", steps + start).run;
  CHECK(flat.spacing == Spacing(0.5));
}

TEST_CASE("boundaries, centres and modes must match the axes of the grid") {
  const RunConfig box =
      on_grid("shape: [5, 6, 7]", steps +
                                      "boundary: {planes: periodic, rows: insulated, columns: "
                                      "{first: zero, last: {value: 1}}}\n" +
                                      start)
          .run;
  CHECK(box.boundaries.planes == Boundary::periodic);
  CHECK(box.boundaries.rows == Boundary::insulated);
  REQUIRE(box.conditions.size() == 2);
  CHECK(box.conditions.front().axis == 2);
  const RunConfig all =
      on_grid("shape: [5, 6, 7]",
              steps + "boundary: insulated\ninitial: {kind: sine, mode: [1, 2, 3]}\n")
          .run;
  CHECK(all.boundaries ==
        Boundaries{Boundary::insulated, Boundary::insulated, Boundary::insulated});
  CHECK(all.initial.mode == std::array<std::int64_t, 3>{1, 2, 3});
  const LoadedConfig line =
      on_grid("shape: [7]", steps + "initial: {kind: gaussian, center: [0.25]}\n");
  CHECK(line.run.initial.center.back() == 0.25);
  CHECK(resolved_yaml(line).find("rows") == std::string::npos);
}

TEST_CASE("each mistake about the axes of a grid has its message") {
  struct Row {
    std::string grid, rest, message;
  };
  const std::string formula = "equation: {kind: formula, field: ";
  const std::string time = "}\ntime: {step: 0.01, steps: 1}\n" + start;
  const std::vector<Row> rows = {
      {"shape: [5, 6]", steps + start + "boundary: {planes: zero}",
       "c.yaml:5:12: boundary.planes: does not apply: grid.shape has no such axis (expected three "
       "for planes, two for rows)"},
      {"shape: [5]", steps + start + "boundary: {rows: zero}",
       "c.yaml:5:12: boundary.rows: does not apply: grid.shape has no such axis (expected three "
       "for "
       "planes, two for rows)"},
      {"shape: [5, 6, 7]", "equation: {coefficient: 0.2}\ntime: {steps: 1}\n" + start,
       "c.yaml:2:25: equation.coefficient: found 0.2, out of range (expected a number above 0 and "
       "at most 0.16666666666666666, the largest stable coefficient)"},
      {"shape: [5, 6, 7]", steps + "initial: {kind: sine, mode: [1, 1]}",
       "c.yaml:4:29: initial.mode: found 2 values (expected a list of 3, each an integer from 0 to "
       "1099511627776)"},
      {"shape: [5, 6, 7]", steps + "initial: {kind: sine, mode: [6, 1, 1]}",
       "c.yaml:4:29: initial.mode: found 6 for the planes, out of range (expected 1 to 5 with "
       "boundary zero and 5 planes)"},
      {"shape: [5]", steps + start + "output: {probes: {at: {m: [1, 1]}}}",
       "c.yaml:5:18: output.probes: at.m: found [1, 1] (expected one number for each axis: columns "
       "from 0 to 4)"},
      {"shape: [5, 6, 7]", steps + start + "filters: [{name: a, kernel: gaussian}]",
       "c.yaml:5:10: filters: found a filter on a grid of three axes (filters are for two axes: "
       "expected grid.shape: [rows, columns], or no filters)"},
      {"shape: [5, 6]", formula + "z * d_dx(field)" + time,
       "c.yaml:2:34: equation.field: z on a grid of 2 axes (there is no axis z)\n"
       "    z * d_dx(field)\n    ^"},
      {"shape: [5]", formula + "d2_dxdy(field)" + time,
       "c.yaml:2:34: equation.field: d2_dxdy on a grid of 1 axis (there is no axis y)\n"
       "    d2_dxdy(field)\n    ^"},
      {"shape: [1048576, 1048576, 2]", steps + start,
       "c.yaml:1:15: grid.shape: found 1048576 x 1048576 x 2, too many cells (at most "
       "1099511627776 "
       "together)"},
      {"shape: [2, 1099511627776, 1099511627776]", steps + start,
       "c.yaml:1:15: grid.shape: found 2 x 1099511627776 x 1099511627776, too many cells (at most "
       "1099511627776 together)"},
  };
  for (const Row& row : rows) CHECK(grid_mistakes(row.grid, row.rest) == row.message);
}

TEST_CASE("diffusion's largest step is right on one to three axes, also where spacings differ") {
  const std::string rest = "equation: {diffusivity: 0.5}\ntime: {step: 1e-3, steps: 1}\n" + start;
  const auto largest = [&](const std::string& grid) {
    const RunConfig run = on_grid(grid, rest).run;
    return *stable_limit(run, make_system(run));
  };
  CHECK(largest("shape: [5]") == doctest::Approx(1).epsilon(1e-14));
  CHECK(largest("shape: [5, 5]") == doctest::Approx(0.5).epsilon(1e-14));
  CHECK(largest("shape: [5, 5, 5], spacing: 0.5") == doctest::Approx(0.25 / 3).epsilon(1e-14));
  CHECK(largest("shape: [5, 5, 5], spacing: [1, 0.5, 0.25]") ==
        doctest::Approx(1.0 / (1 + 4 + 16)).epsilon(1e-14));
}

}  // namespace lapl
