// Axes that are periodic for some fields and end at sides for others. Each field has the values
// that it has where the axis is as its own for all fields.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <string>

#include "io/config/config.hpp"
#include "io/readers/initial_source.hpp"
#include "kernels/evaluation.hpp"
#include "solver/initial_field.hpp"
#include "tests/formula_run.hpp"
#include "tests/text.hpp"

using namespace lapl;

namespace {

enum class AxisOf { both, u, v };

// The fields after one step of euler. u is periodic along the columns, v has conditions there; with
// `of` u or v, both fields are as this one.
std::vector<double> mixed_step(const std::string& grid, const std::string& rates,
                               const std::string& conditions, const std::string& others,
                               AxisOf of) {
  std::string sides;
  for (const auto& [side, condition] :
       {std::pair(std::string("left"), conditions.substr(0, conditions.find('|'))),
        std::pair(std::string("right"), conditions.substr(conditions.find('|') + 1))})
    sides += of == AxisOf::u ? std::string()
                             : fmt::format("  {}: {{u: {}, v: {}}}\n", side,
                                           of == AxisOf::v ? "insulated" : "periodic", condition);
  if (of == AxisOf::u) sides = "  x: periodic\n";
  const Model model(
      parse_config(fmt::format("grid: {{{}}}\nparameters: {{k: {{formula: 1 + 0.3 * "
                               "sin(2 * x)}}, j: {{formula: 1 + 0.3 * cos(x)}}}}\n"
                               "equation: {{{}}}\nboundary:\n{}{}\ninitial: {{u: "
                               "random, v: random}}\ntime: {{step: 0.01, steps: 1, scheme: "
                               "euler}}\ncompute: {{precision: float64}}\n",
                               grid, rates, sides, others),
                   "m.yaml", ".", {})
          .run);
  const CoefficientFields coefficients = load_coefficients(model.run);
  const auto backend =
      make_backend<double>("cpu", "interpreted", make_problem<double>(model, coefficients), 2);
  set_initial_state(*backend, model.run, coefficients, {});
  backend->advance(1);
  return copy_of_state(*backend);
}

std::string mixed_mistake(const std::string& rates, const std::string& boundary,
                          const std::string& more = "", const std::string& scheme = "euler") {
  try {
    parse_config("grid: {shape: [8, 9]}\nparameters: {k: {formula: x}}\nequation: {" + rates +
                     "}\nboundary: {y: insulated, " + boundary +
                     "}\ninitial: 0\ntime: {step: 0.1, steps: 4, scheme: " + scheme + "}\n" + more,
                 "m.yaml", ".", {});
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

const std::string walled = "left: {u: periodic, v: insulated}, right: {u: periodic, v: 0}";

}  // namespace

TEST_CASE("on a mixed axis each field has the values of an axis like its own") {
  const std::pair<std::string, std::string> grids[] = {
      {"shape: [13], spacing: 0.5", ""},
      {"shape: [7, 9], spacing: 0.5", "  y: insulated"},
      {"shape: [6, 8], spacing: 0.5, mask: {formula: '(x - 1)^2 + (y - 2)^2 > 0.4'}",
       "  y: {value: 0.3, at: face}"},
      {"shape: [6, 8], spacing: 0.5, mask: {formula: x < 3.2}",
       "  y: periodic\n  mask: {value: 1}"},
      {"shape: [4, 5, 6], spacing: 0.5", "  y: {derivative: 0.1 * x}\n  z: periodic"}};
  const std::string conditions[] = {"insulated|insulated",
                                    "{value: 0.3 + x}|{derivative: 0.2 * t - 1}",
                                    "{value: 0.7, at: face}|{mixed: {value: 0.4, factor: 1.5}}",
                                    "{value: 0.2, at: node}|{derivative: -0.4 * v^2}"};
  for (const auto& row : grids)
    for (const std::string& condition : conditions)
      for (const std::string rate :
           {"laplacian({0}) + 0.1 * {0}^2 + 0 * {1}",
            "divergence({1} * gradient({0})) + d_dx({0}^2)",
            "divergence(harmonic({1}) * gradient({0})) - biharmonic({0})",
            "-advect({1}{2}, {0}) - upwind(0.3{2}, {0})", "laplacian({1} * d_dx({0} * {0}))",
            "laplacian({1} * {0}) * value_at({0}, -0.2{2})"}) {
        const std::string grid = row.first, others = row.second;
        if (test::has(grid, "mask") && test::has(rate, "value_at")) continue;
        const std::string rest = others.empty()            ? ""
                                 : test::has(others, "z:") ? ", 0.2, 0.1"
                                                           : ", 0.2";
        const std::string rates =
            fmt::format("u: '{}', v: '{}'", fmt::format(fmt::runtime(rate), "u", "k", rest),
                        fmt::format(fmt::runtime(rate), "v", "j", rest));
        CAPTURE(grid);
        CAPTURE(rates);
        CAPTURE(condition);
        const auto of = [&](AxisOf axis) {
          return mixed_step(grid, rates, condition, others, axis);
        };
        const std::vector<double> both = of(AxisOf::both), u = of(AxisOf::u), v = of(AxisOf::v);
        const std::size_t cells = both.size() / 2;
        double largest = 0;
        for (std::size_t i = 0; i < cells; ++i)
          largest = std::max(
              {largest, std::abs(both[i] - u[i]), std::abs(both[cells + i] - v[cells + i])});
        CHECK(largest < 1e-13);
      }
}

TEST_CASE("on a mixed axis the sums of a periodic and of an insulated field stay") {
  const std::vector<double> after =
      mixed_step("shape: [9, 11]", "u: laplacian(u), v: divergence(k * gradient(v)) + 0 * j",
                 "insulated|insulated", "  y: insulated", AxisOf::both);
  const std::vector<double> before =
      mixed_step("shape: [9, 11]", "u: 0 * j, v: 0 * k", "insulated|insulated", "  y: insulated",
                 AxisOf::both);
  for (const std::size_t first : {std::size_t{0}, std::size_t{99}}) {
    const auto sum = [&](const std::vector<double>& of) {
      return std::accumulate(of.begin() + first, of.begin() + first + 99, 0.0);
    };
    CHECK(sum(after) == doctest::Approx(sum(before)).epsilon(1e-14));
  }
  CHECK(after != before);
}

TEST_CASE("a field that is solved for may end where another is periodic") {
  for (const std::string scheme : {"euler", "backward-euler"}) {
    CAPTURE(scheme);
    std::vector<std::vector<double>> found;
    for (const std::string of_u : {"periodic", "insulated"}) {
      const Model model(
          parse_config(
              fmt::format(
                  "grid: {{shape: [9, 12]}}\nequation: {{let: {{p: {{solve: laplacian(p) - 0.1 * "
                  "p, equals: -v, tolerance: 1e-12}}}}, u: laplacian(u), v: laplacian(v) - p}}\n"
                  "boundary:\n  left: {{u: {0}, v: {{derivative: 0.1}}, p: {{value: 1, at: "
                  "face}}}}\n  right: {{u: {0}, v: 0.3, p: insulated}}\n  y: insulated\n"
                  "initial: {{u: random, v: random}}\ntime: {{step: 0.1, steps: 3, scheme: "
                  "{1}}}\ncompute: {{precision: float64}}\n",
                  of_u, scheme),
              "m.yaml", ".", {})
              .run);
      const auto backend = make_backend<double>("cpu", "auto", make_problem<double>(model, {}), 2);
      set_initial_state(*backend, model.run, {}, {});
      backend->advance(3);
      found.push_back(copy_of_state(*backend));
    }
    double largest = 0;
    const std::size_t cells = found[0].size() / 3;
    for (std::size_t i = cells; i < found[0].size(); ++i)
      largest = std::max(largest, std::abs(found[0][i] - found[1][i]));
    CHECK(largest < 1e-8);
    CHECK(std::abs(found[0][0] - found[1][0]) > 1e-4);
  }
}

TEST_CASE("mistakes of axes that are periodic for some fields") {
  CHECK(mixed_mistake("u: laplacian(u), v: divergence(k * gradient(v)) + u", walled) == "");
  CHECK(mixed_mistake("u: 'd_dy(u * v) + v * d_dx(u) - k * upwind(v, k, u)', v: laplacian(v)",
                      walled) == "");
  const struct {
    std::string rates, boundary, message;
  } rows[] = {
      {"u: laplacian(u) + k, v: u", "left: {u: periodic, v: 0}, right: 0",
       "boundary.columns: first: u is periodic here alone (expected periodic for u at both sides)"},
      {"u: laplacian(u) + k, v: u", "left: {u: periodic, v: 0}, right: {u: periodic}",
       "boundary.columns: last: no condition for v"},
      {"u: laplacian(u) + k, v: u", "left: periodic, right: {u: periodic, v: 0}",
       "first: found periodic, which is of both sides (write it for the axis, or for a field at "
       "both "
       "sides: {u: periodic, v: insulated})"},
      {"u: laplacian(u * v) + k, v: u", walled,
       "equation.u: u: laplacian reads u and v beyond the sides of columns, where the former is "
       "periodic and the latter is not (expected an operator of fields that are alike there)"},
      {"let: {q: u * v}, u: d_dx(k * q), v: u", walled, "equation.u: u: d_dx reads u and v beyond"},
      {"u: divergence(v * gradient(u)) + k, v: u", walled, "divergence reads u and v beyond"},
      {"u: 'advect(v, k, u)', v: u", walled, "advect reads u and v beyond"},
      {"u: k, v: d_dx(x * v) + u", walled,
       "equation.v: v: d_dx of v reads x beyond the sides of columns, which repeats there "
       "(expected a "
       "parameter with this formula)"},
      {"u: divergence(k * gradient(u)), v: divergence(k * gradient(v))", walled,
       "equation.v: v: divergence reads k beyond the sides of columns beside v, which ends there, "
       "and "
       "another operator reads it beside u, which is periodic (expected a parameter for each)"}};
  for (const auto& row : rows) {
    CAPTURE(row.message);
    const std::string found = mixed_mistake(row.rates, row.boundary);
    CAPTURE(found);
    CHECK(test::has(found, row.message));
  }
  CHECK(test::has(mixed_mistake("u: laplacian(u) + k, v: u", walled,
                                "output: {derived: {w: laplacian(u + v)}}"),
                  "output: output.w: laplacian reads u and v beyond"));
  CHECK(
      test::has(mixed_mistake("u: laplacian(u), v: laplacian(v) + k", walled, "", "etdrk2"),
                "boundary.columns is periodic for some fields only (other engines and schemes take "
                "it)"));
}
