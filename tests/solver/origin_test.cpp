// An origin moves the positions x, y and z, and nothing else; formulas read constants of the grid.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "io/readers/initial_source.hpp"
#include "tests/formula_run.hpp"
#include "tests/text.hpp"

using namespace lapl;

namespace {

// Every place of a config where a position is read, on a grid with an origin of 2.5 along planes,
// -1.25 along rows and 0.375 along columns. All numbers are short in binary, so that the order of
// sums does not matter.
const std::string moved_config = R"(
grid: {shape: [4, 7, 9], spacing: [0.5, 0.25, 0.125], origin: [2.5, -1.25, 0.375],
       mask: {formula: "(X - 0.8)^2 + (Y + 0.5)^2 + (Z - 3)^2 < 2"}}
parameters: {D: {formula: 1 + 0.125 * X * Y + Z}, c: {formula: X - Z}}
fields: [u, v]
equation:
  kind: formula
  let: {w: laplacian(u) + X * Z}
  u: divergence(D * gradient(u)) + Y * d_dx(X^2 * u) + c * w
  v: laplacian(Z * v) - d2_dxdy(Y * u) + 0.01 * laplacian(w)
boundary:
  planes: {first: {value: X * Y + Z}, last: {derivative: Z - X - 0.25 * u}}
  rows: {first: {mixed: {value: Y + X, factor: Z}}, last: {value: Y, at: face}}
  columns: periodic
  mask: {u: {mixed: {value: X + Y * v, factor: Z}}, v: {value: X * Y - Z, at: face}}
initial:
  u: {kind: formula, formula: sin(X) + Y * Z + 0.1 * random}
  v: {kind: formula, formula: X - Y}
time: {step: 0.001, steps: 3, scheme: heun}
)";

std::vector<double> last_state(const std::string& config, const std::string& engine,
                               const std::string& precision = "float64") {
  const RunConfig run = parse_config(config, "c.yaml", ".", {"compute.precision=" + precision}).run;
  const CoefficientFields coefficients = load_coefficients(run);
  return with_precision(run.precision, [&]<class T>() {
    const auto backend =
        make_backend<T>("cpu", engine, make_problem<T>(Model(run), coefficients), 2);
    backend->settle();
    set_initial_state(*backend, run, coefficients, {});
    backend->advance(run.steps);
    const std::vector<T> state = copy_of_state(*backend);
    return std::vector<double>(state.begin(), state.end());
  });
}

}  // namespace

TEST_CASE("an origin is the sum in each formula that reads a position") {
  const std::string with_origin =
      test::replaced(test::replaced(test::replaced(moved_config, "X", "x"), "Y", "y"), "Z", "z");
  const std::string without = test::replaced(
      test::replaced(
          test::replaced(test::replaced(moved_config, ", origin: [2.5, -1.25, 0.375]", ""), "X",
                         "(x + 0.375)"),
          "Y", "(y - 1.25)"),
      "Z", "(z + 2.5)");
  const std::vector<double> expected = last_state(without, "reference");
  CHECK(last_state(with_origin, "reference") == expected);
  CHECK(last_state(test::replaced(with_origin, "2.5, -1.25", "2.5, -1"), "reference") != expected);
  for (const char* const engine : {"interpreted", "blocked"})
    for (const char* const precision : {"float32", "float64"}) {
      CAPTURE(engine);
      CAPTURE(precision);
      CHECK(last_state(with_origin, engine, precision) ==
            last_state(with_origin, "reference", precision));
    }
}

TEST_CASE("constants of the grid are the numbers that the config gives") {
  const std::string names = R"(
grid: {shape: [3, 5, 7], size: [6, 2.5, 14]}
equation: {kind: formula, u: Lx * u + Ly * d_dx(u) - hz / dt + Lz * nx}
fields: [u]
boundary: {planes: insulated, rows: {first: {value: hy}, last: {derivative: nz}}, columns: zero}
initial: {kind: formula, formula: sin(2 * pi * x / Lx) + ny * z}
time: {step: 0.01, steps: 3}
)";
  std::string numbers = names;
  const std::pair<const char*, const char*> constants[] = {
      {"Lx", "14"}, {"Ly", "2.5"}, {"Lz", "6"}, {"hz", "2"},   {"hy", "0.5"},
      {"nx", "7"},  {"ny", "5"},   {"nz", "3"}, {"dt", "0.01"}};
  for (const auto& [name, number] : constants) numbers = test::replaced(numbers, name, number);
  CHECK(last_state(names, "reference") == last_state(numbers, "reference"));
  CHECK(last_state(names, "blocked", "float32") == last_state(names, "reference", "float32"));
}

TEST_CASE("positions about the middle of the grid are symmetric to the bit") {
  const std::string text = R"yaml(
grid: {shape: [7, 100], size: [0.7, 5], center: true}
fields: [u, v, w]
equation: {kind: formula, u: x, v: "where(abs(x) < 0.025, 1, 0)", w: y * laplacian(u)}
boundary: {left: {u: {value: x}, v: 0, w: 0}, right: {u: {value: x}, v: 0, w: 0}, y: insulated}
initial: {u: 0, v: 0, w: 0}
time: {step: 1, steps: 1}
)yaml";
  for (const char* const precision : {"float32", "float64"}) {
    const std::vector<double> expected = last_state(text, "reference", precision);
    const std::size_t cells = 700;
    for (std::size_t row = 0; row < 7; ++row)
      for (std::size_t column = 0; column < 100; ++column) {
        const std::size_t at = 100 * row + column, mirrored = 100 * row + 99 - column;
        CHECK(expected[at] == -expected[mirrored]);
        CHECK(expected[cells + at] == expected[cells + mirrored]);
        CHECK(expected[2 * cells + at] == expected[2 * cells + 100 * (6 - row) + column] * -1);
      }
    for (const char* const engine : {"interpreted", "blocked", "threaded"}) {
      CAPTURE(engine);
      try {
        CHECK(last_state(text, engine, precision) == expected);
      } catch (const ConfigError&) {  // of an engine that refuses this grid
      }
    }
  }
}
