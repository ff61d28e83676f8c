// Conditions that read fields: one that reads but gives the same numbers gives the same bits as one
// that does not; the reflections of absorbing sides; refusals. numpy_test.cpp compares them with
// NumPy.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "io/readers/initial_source.hpp"
#include "kernels/fields/digest.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/equation_digest.hpp"
#include "solver/estimated_step.hpp"
#include "tests/solver/config_run.hpp"
#include "tests/test_field.hpp"
#include "tests/text.hpp"

using namespace lapl;

namespace {

std::string condition_mistake(const std::string& text) {
  try {
    parse_config(text, "l.yaml", ".", {});
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

struct ConditionsOfAxes {
  std::string grid, operators, boundary;
};

// Each N stands for 0 times t, or 0 times what a condition reads.
const std::vector<ConditionsOfAxes>& conditions_of_axes() {
  static const std::vector<ConditionsOfAxes> rows = {
      {"[23], spacing: 0.7", "0",
       "columns: {first: {u: {derivative: 0.3 + N}, v: zero}, last: {mixed: {value: 0.4 + N, "
       "factor: 1.5 + N}}}"},
      {"[13, 17], spacing: [0.5, 0.7]", "0.3 * d2_dxdy(u * v) + 0.1 * d2_dxdy(u)",
       "rows: {first: {value: 0.7}, last: {u: {value: 0.1 * x + 0.4}, v: {derivative: 0.2 + N}}}, "
       "columns: {first: {u: {value: 0.3 + 0.1 * y + N}, v: insulated}, last: {value: sin(0.3 + "
       "N), "
       "at: face}}"},
      {"[12, 15]", "0.3 * d2_dxdy(u) + 0.1 * gradient_squared(v)",
       "rows: periodic, columns: {first: {u: {value: 0.3 + N}, v: {value: 0.2}, w: {derivative: "
       "0.1 "
       "+ N}}, last: {u: {derivative: -0.2 + N}, v: zero}}"},
      {"[5, 6, 9], spacing: [1, 0.5, 0.25]", "0.2 * d2_dydz(v) + d2_dxdz(u) + 0.1 * d2_dxdy(v)",
       "planes: {first: {value: 0.3 + N}, last: {u: insulated, v: {value: 0.1 * x + N}}}, rows: "
       "zero, columns: {first: {derivative: 0.1 * z + N}, last: {mixed: {value: 1, factor: 2}}}"}};
  return rows;
}

std::string condition_config(const ConditionsOfAxes& of, const std::string& scheme,
                             const std::string& mask, const std::string& precision) {
  return fmt::format(
      "grid: {{shape: {}{}}}\nfields: [u, v]\nparameters: {{k: {{formula: 1 + 0.1 * x}}}}\n"
      "equation: {{kind: formula, let: {{w: u - 0.01 * laplacian(v)}}, u: '0.01 * (divergence(k * "
      "gradient(u)) + laplacian(w) + {})', v: '0.02 * laplacian(v) + 0.1 * u - 0.3 * v'}}\n"
      "boundary: {{{}{}}}\ninitial: {{u: {{kind: formula, formula: random}}, v: {{kind: formula, "
      "formula: random + 0.2}}}}\ntime: {{step: 0.01, steps: 4, scheme: {}}}\noutput: {{fields: "
      "[u]}}\ncompute: {{precision: {}}}\n",
      of.grid, mask.empty() ? "" : ", mask: {formula: '" + mask + "'}", of.operators, of.boundary,
      mask.empty() ? "" : ", mask: {derivative: 0.3 + N}", scheme, precision);
}

}  // namespace

TEST_CASE("a condition that reads but gives the same numbers gives the same bits") {
  const std::vector<std::string> engines = {"reference", "interpreted"};
  for (const ConditionsOfAxes& of : conditions_of_axes())
    for (const std::string scheme :
         {"euler", "heun", "rk4", "leapfrog", "imex", "rkl2, stages: 4", "bs23, tolerance: 0.1",
          "rkl2, stages: 4, tolerance: 0.1", "imex, tolerance: 0.1", "dopri5"})
      for (const std::string mask : {"", "(x - 2)^2 > 1.7"}) {
        CAPTURE(of.grid);
        CAPTURE(scheme);
        CAPTURE(mask);
        const std::string text = condition_config(of, scheme, mask, "float64");
        const RunConfig plain = test::config_run(test::replaced(text, "N", "0 * t"));
        const RunConfig reads = test::config_run(test::replaced(text, "N", "0 * (v + k)"));
        REQUIRE(make_system(reads).sides);
        const std::vector<double> expected = test::stepped<double>(plain, "reference");
        CHECK(std::ranges::all_of(expected, [](double value) { return std::isfinite(value); }));
        for (const std::string& engine : engines)
          CHECK(test::stepped<double>(reads, engine) == expected);
      }
}

TEST_CASE("a condition that reads gives the same bits in compiled code and in float32") {
  for (const ConditionsOfAxes& of : conditions_of_axes()) {
    CAPTURE(of.grid);
    const std::string text = condition_config(of, "heun", "", "float32");
    const std::vector<float> expected =
        test::stepped<float>(test::config_run(test::replaced(text, "N", "0 * t")), "reference");
    const RunConfig reads = test::config_run(test::replaced(text, "N", "0 * (v + k)"));
    for (const EngineInfo& engine : engine_table)
      if (engine.backend == "cpu")
        CHECK(test::stepped<float>(reads, std::string(engine.name)) == expected);
  }
}

TEST_CASE("a condition with a number that reads has the bits of the number") {
  const std::string text =
      "grid: {shape: [9, 11]}\nequation: {coefficient: 0.2}\nboundary: {rows: insulated, columns: "
      "{first: {value: LAW}, last: insulated}}\ninitial: {kind: formula, formula: random}\ntime: "
      "{steps: 5}\noutput: {fields: [field, laplacian]}\ncompute: {precision: float64}\n";
  const RunConfig number = test::config_run(test::replaced(text, "LAW", "20"));
  const RunConfig reads = test::config_run(test::replaced(text, "LAW", "20 + 0 * field"));
  CHECK(test::stepped<double>(reads, "interpreted") ==
        test::stepped<double>(number, "interpreted"));
  CHECK(equation_digest(Model(number), {}) != equation_digest(Model(reads), {}));
}

TEST_CASE("a rectangle inside a mask with a condition that reads is the grid of its size") {
  const std::string rest =
      "fields: [T]\nparameters: {k: {formula: 0.5}}\nequation: {kind: formula, T: 0.1 * "
      "divergence(k * gradient(T)) + 0.05 * d2_dxdy(T) - 0.3 * T}\ninitial: {T: {kind: formula, "
      "formula: 1 + 0.01 * x}}\ntime: {step: 0.1, steps: 6, scheme: heun}\ncompute: {precision: "
      "float64}\noutput: {fields: [T]}\n";
  const std::string condition = "{derivative: -0.2 * (T^4 - k)}";
  const RunConfig small =
      test::config_run("grid: {shape: [8, 9]}\nboundary: {rows: {first: " + condition +
                       ", last: " + condition + "}, columns: {first: " + condition +
                       ", last: " + condition + "}}\n" + test::replaced(rest, "0.01 * x", "0"));
  const RunConfig around = test::config_run(
      "grid: {shape: [12, 14], mask: {formula: 'y > 1.5 and y < 9.5 and x > 2.5 and x < 11.5'}}\n"
      "boundary: {mask: " +
      condition + "}\n" + test::replaced(rest, "0.01 * x", "0"));
  const std::vector<double> expected = test::stepped<double>(small, "reference");
  const std::vector<double> found = test::stepped<double>(around, "interpreted");
  for (std::int64_t row = 0; row < 8; ++row)
    for (std::int64_t column = 0; column < 9; ++column)
      CHECK(found[(row + 2) * 14 + column + 3] == expected[row * 9 + column]);
}

TEST_CASE("estimates of the largest stable step see a condition that reads") {
  const std::string text =
      "grid: {shape: [4, 30]}\nfields: [T]\nequation: {kind: formula, T: laplacian(T)}\n"
      "boundary: {rows: insulated, columns: {first: {derivative: -LAW * T}, last: insulated}}\n"
      "initial: {T: {kind: uniform, value: 1}}\ntime: {step: 0.01, steps: 5}\noutput: {fields: "
      "[T]}\n";
  const auto step_with = [&](const std::string& condition) {
    const RunConfig run = test::config_run(test::replaced(text, "LAW", condition));
    const CoefficientFields coefficients = load_coefficients(run);
    return largest_step_of_modes(
        run.scheme,
        modes_at(run, explicit_part(make_system(run), run.scheme.kind), coefficients, {}).fastest);
  };
  const auto exact_step = [](const RunConfig& run) { return stable_limit(run, make_system(run)); };
  CHECK_FALSE(exact_step(test::config_run(test::replaced(text, "LAW", "2"))));
  CHECK(exact_step(test::config_run(test::replaced(text, "-LAW * T", "2"))).value() ==
        doctest::Approx(0.25));
  CHECK(step_with("0.001") == doctest::Approx(0.25).epsilon(0.05));
  // The condition is that of {mixed: {value: 0, factor: 50}}, which no step needs to follow.
  const RunConfig mixed = test::config_run(
      test::replaced(text, "derivative: -LAW * T", "mixed: {value: 0, factor: 50}"));
  CHECK(step_with("50") ==
        doctest::Approx(
            largest_step_of_modes(
                mixed.scheme,
                modes_at(mixed, explicit_part(make_system(mixed), mixed.scheme.kind), {}, {})
                    .fastest))
            .epsilon(1e-6));
}

TEST_CASE("conditions that cannot be read are refused") {
  const auto with = [](const std::string& condition, const std::string& rest = "") {
    return condition_mistake(
        "grid: {shape: [8, 9]}\nfields: [u, v]\nparameters: {c: 2, k: {formula: 1}}\nequation: "
        "{kind: "
        "formula, let: {w: laplacian(u), q: c * u}, u: v + 0 * q, v: w * k}\nboundary: {rows: "
        "insulated, columns: {first: insulated, last: " +
        condition +
        "}}\ninitial: {u: {kind: uniform}, v: {kind: uniform}}\noutput: {fields: [u]}\n" +
        (rest.empty() ? "time: {step: 0.01, steps: 5}\n" : rest));
  };
  CHECK(with("{value: q + k * v}") == "");
  CHECK(with("{u: {absorbing: c}, v: insulated}") == "");
  CHECK(with("{u: {absorbing: k + 1}, v: insulated}") == "");
  CHECK(test::has(with("{value: laplacian(u)}"),
                  "boundary.columns: laplacian has no meaning at a face (a condition is of t, the "
                  "position, parameters and fields)"));
  CHECK(test::has(with("{value: w}"), "laplacian has no meaning at a face"));
  CHECK(
      test::has(with("{absorbing: c}"),
                "boundary.columns: absorbing: v has laplacian in its rate (expected a field whose "
                "rate has no operators and no noise"));
  CHECK(test::has(with("{u: {absorbing: -c}, v: zero}"),
                  "absorbing: found the speed -2 (expected one above 0)"));
  CHECK(test::has(with("{u: {absorbing: cc}, v: zero}"), "unknown name cc"));
  CHECK(test::has(with("{u: zero, v: zero, q: {absorbing: c}}"), "absorbing: q is no field"));
  CHECK(test::has(
      with("{u: {derivative: -u}, v: zero}", "time: {step: 0.01, steps: 5, scheme: etdrk2}\n"),
      "the condition boundary.columns.last reads fields or parameter fields"));
  CHECK(test::has(
      condition_mistake("grid: {shape: [40000000]}\nfields: [u]\nequation: {kind: formula, u: "
                        "laplacian(u)}\nboundary: {columns: {first: {derivative: -u}, last: "
                        "zero}}\ninitial: {u: {kind: uniform}}\ntime: {step: 0.1, steps: 1}\n"
                        "output: {fields: [u]}\n"),
      "float32 does not tell the positions"));
}

namespace {

// The largest |u| that comes back into a box from its last side, beside a box that is so long that
// nothing comes back from there. A pulse 2 wide starts in its middle; `waves` lie along the side.
double reflected(const std::string& condition, double h, int waves = 0) {
  const auto run = [&](double length, const std::string& last) {
    return test::config_run(fmt::format(
        "grid: {{shape: [{}, {}], spacing: {}}}\nfields: [u, v]\nequation: {{kind: formula, u: v, "
        "v: laplacian(u)}}\nboundary: {{rows: periodic, columns: {{first: insulated, last: {{u: "
        "{}, "
        "v: insulated}}}}}}\ninitial:\n  u: {{kind: formula, formula: 'exp(-((x - 15) / 2)^2) * "
        "cos({} * pi * y / 6)'}}\n  v: {{kind: uniform, value: 0}}\ntime: {{step: {}, end: 42, "
        "scheme: rk4}}\noutput: {{every: {{time: 42}}, fields: [u]}}\ncompute: {{precision: "
        "float64}}\n",
        waves > 0 ? 12 / h : 1, length / h, h, last, waves, 0.4 * h));
  };
  const RunConfig box = run(30, condition), large = run(120, "insulated");
  const std::vector<double> found = test::stepped<double>(box, "interpreted"),
                            expected = test::stepped<double>(large, "interpreted");
  double largest = 0;
  for (std::int64_t row = 0; row < box.shape.rows; ++row)
    for (std::int64_t column = 0; column < box.shape.columns; ++column)
      largest = std::max(largest, std::abs(found[row * box.shape.columns + column] -
                                           expected[row * large.shape.columns + column]));
  return largest;
}

}  // namespace

TEST_CASE("an absorbing side reflects little of what arrives head on") {
  const double wall = reflected("insulated", 0.25);
  const double coarse = reflected("{absorbing: 1}", 0.25),
               fine = reflected("{absorbing: 1}", 0.125);
  const double oblique = reflected("{absorbing: 1}", 0.25, 1);
  const double oblique_wall = reflected("insulated", 0.25, 1);
  MESSAGE("of the pulse comes back: ", coarse / wall, " with h = 1/4, ", fine / wall,
          " with h = 1/8, ", oblique / oblique_wall, " with a wave along the side");
  CHECK(wall == doctest::Approx(0.5).epsilon(0.02));
  CHECK(coarse < 0.015 * wall);
  CHECK(coarse / fine > 3);  // of order h^2
  CHECK(oblique < 0.4 * oblique_wall);
}
