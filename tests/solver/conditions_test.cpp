// Orders in space of boundary conditions, by manufactured solutions: every condition, with a
// coefficient that is constant or varies, and values of t, of the position, and of fields.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "io/readers/initial_source.hpp"
#include "tests/formula_run.hpp"
#include "tests/test_field.hpp"
#include "tests/text.hpp"

using namespace lapl;

namespace {

enum class Conductivity { constant, formula, of_nodes };

// The state after a run, in float64.
std::vector<double> state_after(const std::string& text, Conductivity k = Conductivity::constant,
                                const std::string& engine = "interpreted") {
  RunConfig run = parse_config(text, "c.yaml", ".", {}).run;
  const CoefficientFields coefficients = load_coefficients(run);
  // As if its values came from a file.
  if (k == Conductivity::of_nodes) run.parameters["k"].kind = ParameterConfig::Kind::image;
  const auto backend =
      make_backend<double>("cpu", engine, make_problem<double>(Model(run), coefficients), 1);
  backend->settle();
  set_initial_state(*backend, run, coefficients, {});
  backend->advance(run.steps);
  return copy_of_state(*backend);
}

// u = 1 + 0.3 sin(2 x + t) at a place, and its slope.
std::string exact(const std::string& x) { return fmt::format("(1 + 0.3 * sin(2 * {} + t))", x); }
std::string slope(const std::string& x) { return fmt::format("(0.6 * cos(2 * {} + t))", x); }

// A run of u' = divergence(k gradient(u)) + source with this solution, on n cells between 0 and 1,
// of which a mask keeps those up to `end`. Field v has the same equation and the exact flux.
std::string equation_with(const std::string& condition, Conductivity k, int n, bool masked) {
  const double h = 1.0 / n, end = masked ? 0.5 : 1, step = 0.2 * h * h;
  const std::string conductivity = k == Conductivity::constant ? "1.3" : "{formula: 1 + x^2 / 2}";
  const std::string source = k == Conductivity::constant
                                 ? "0.3 * cos(2 * x + t) + 1.3 * 1.2 * sin(2 * x + t)"
                                 : "0.3 * cos(2 * x + t) + (1 + x^2 / 2) * 1.2 * sin(2 * x + t) - "
                                   "x * 0.6 * cos(2 * x + t)";
  std::string last = fmt::format("{{u: {}, v: {{derivative: {}}}}}", condition, slope("x"));
  for (const auto& [name, of] : {std::pair("U", exact("x")), std::pair("Q", slope("x")),
                                 std::pair("V", exact(fmt::format("{}", end))),
                                 std::pair("R", slope(fmt::format("{}", end))),
                                 std::pair("G", exact(fmt::format("{:.17g}", end + h / 2)))})
    for (std::size_t at = 0; (at = last.find(name, at)) != std::string::npos; at += of.size())
      last.replace(at, 1, of);
  return fmt::format(
      "grid: {{shape: [{}], spacing: {:.17g}, origin: {:.17g}{}}}\nfields: [u, v]\nparameters: "
      "{{k: {}}}\nequation: {{kind: formula, let: {{s: {}}}, u: divergence(k * gradient(u)) + s, "
      "v: divergence(k * gradient(v)) + s}}\nboundary: {{columns: {{first: {{value: 1 + 0.3 * "
      "sin(t), at: face}}, last: {}}}{}}}\ninitial: {{u: {{kind: formula, formula: 1 + 0.3 * "
      "sin(2 * x)}}, v: {{kind: formula, formula: 1 + 0.3 * sin(2 * x)}}}}\ntime: {{step: "
      "{:.17g}, steps: {}, scheme: rk4}}\noutput: {{fields: [u]}}\ncompute: {{precision: "
      "float64}}\n",
      n, h, h / 2, masked ? fmt::format(", mask: {{formula: x < {}}}", end) : "", conductivity,
      source, masked ? "insulated" : last, masked ? ", mask: " + last : "", step,
      static_cast<int>(std::lround(0.4 / step)));
}

double error_with(const std::string& condition, Conductivity k, int n, bool masked) {
  const std::vector<double> u = state_after(equation_with(condition, k, n, masked), k);
  const double t = 0.4;
  double largest = 0;
  for (int i = 0; i < (masked ? n / 2 : n); ++i)
    largest = std::max(largest, std::abs(u[static_cast<std::size_t>(i)] - 1 -
                                         0.3 * std::sin(2 * (i + 0.5) / n + t)));
  return largest;
}

}  // namespace

TEST_CASE("every boundary condition has order 2, whatever its values and the coefficient") {
  // U and Q: the solution and its slope by the position; V, R: by t, at the face; G: V at the
  // ghost.
  const struct {
    std::string condition;
    bool of_mask = true;
  } rows[] = {
      {"{value: U}"},
      {"{value: G}"},
      {"{value: u - 0.3 * (u^2 - U^2)}"},
      {"{value: v + U - G}"},
      {"{value: U, at: face}"},
      {"{value: V, at: face}"},
      {"{value: u - 0.3 * (u^2 - U^2), at: face}"},
      {"{value: 0.5 * v + 0.5 * U, at: face}"},
      {"{value: U, at: node}", false},
      {"{derivative: Q}"},
      {"{derivative: R}"},
      {"{derivative: Q - (u - U)}"},
      {"{derivative: R - 0.3 * (u^4 - V^4)}"},
      {"{derivative: Q - (v^2 - U^2)}"},
      {"{derivative: Q * (1 + x^2 / 2) / (1 + x^2 / 2) + 0 * k}"},
      {"{mixed: {value: Q + 2 * U, factor: 2}}"},
      {"{mixed: {value: R + 2 * V, factor: 2}}"},
      {"{mixed: {value: Q + U^2, factor: u}}"},
      {"{mixed: {value: Q + 2 * U + 0.3 * (u^2 - U^2), factor: 2}}"},
      {"{mixed: {value: Q + U^2, factor: v}}"},
  };
  for (const auto& row : rows)
    for (const Conductivity k :
         {Conductivity::constant, Conductivity::formula, Conductivity::of_nodes})
      for (const bool masked : {false, true}) {
        if (masked && !row.of_mask) continue;
        CAPTURE(row.condition);
        CAPTURE(static_cast<int>(k));
        CAPTURE(masked);
        const double coarse = error_with(row.condition, k, 16, masked),
                     fine = error_with(row.condition, k, 32, masked);
        CHECK(fine < 2e-3);
        CHECK(std::log2(coarse / fine) > 1.8);
      }
}

TEST_CASE("a condition that is linear in its field is that of mixed") {
  for (const Conductivity k : {Conductivity::constant, Conductivity::formula}) {
    const auto found = state_after(equation_with("{derivative: 2 - 3 * u}", k, 16, false), k);
    const auto expected =
        state_after(equation_with("{mixed: {value: 2, factor: 3}}", k, 16, false), k);
    CHECK(test::largest_difference(found, expected) < 1e-13);
  }
}

TEST_CASE("conditions that read their field have the same bits on every engine" *
          doctest::test_suite("slow")) {
  for (const bool masked : {false, true})
    for (const Conductivity k : {Conductivity::formula, Conductivity::of_nodes}) {
      const std::string text =
          equation_with("{derivative: R - 0.3 * (u^4 - v * V^3)}", k, 11, masked);
      const auto expected = state_after(text, k, "reference");
      for (const std::string engine : {"interpreted", "threaded"}) {
        CAPTURE(engine);
        CAPTURE(masked);
        CAPTURE(static_cast<int>(k));
        CHECK(test::largest_difference(state_after(text, k, engine), expected) == 0);
      }
    }
}

TEST_CASE("a condition that says nothing of its field keeps the values of the node inside") {
  const auto with = [](const std::string& condition) {
    return state_after(equation_with(condition, Conductivity::constant, 16, false));
  };
  CHECK(with("{value: u}") == with("{derivative: 0}"));
  CHECK(with("{value: 'max(u, 0)'}") == with("{derivative: 0}"));
}

TEST_CASE("an absorbing side is of second order") {
  // u = sin(x - t) comes in through the first side and leaves through the last one.
  const auto error = [](int n, const std::string& other) {
    const double h = 1.0 / n;
    const std::vector<double> u = state_after(fmt::format(
        "grid: {{shape: [{}], spacing: {:.17g}, origin: {:.17g}}}\nfields: [u, v]\nequation: "
        "{{kind: formula, u: v, v: laplacian(u)}}\nboundary: {{columns: {{first: {{u: "
        "{{derivative: -cos(5 * t)}}, v: insulated}}, last: {{u: {{absorbing: 1}}, v: "
        "{}}}}}}}\ninitial: {{u: {{kind: formula, formula: sin(5 * x) / 5}}, v: {{kind: formula, "
        "formula: -cos(5 * x)}}}}\ntime: {{step: {:.17g}, steps: {}, scheme: rk4}}\noutput: "
        "{{fields: [u]}}\ncompute: {{precision: float64}}\n",
        n, h, h / 2, other, h / 2, 6 * n));
    double largest = 0;
    for (int i = 0; i < n; ++i)
      largest = std::max(largest, std::abs(u[static_cast<std::size_t>(i)] -
                                           std::sin(5 * ((i + 0.5) * h - 3)) / 5));
    return largest;
  };
  for (const std::string other : {"insulated", "zero"}) {
    MESSAGE("errors: ", error(20, other), " ", error(40, other), " ", error(80, other));
    CHECK(std::log2(error(40, other) / error(80, other)) > 1.8);
  }
}

namespace {

// The amount in a unit disc after some steps of a run on n x n cells.
double amount(int n, const std::string& condition, const std::string& initial, double step,
              int steps) {
  const double h = 2.4 / n;
  const std::vector<double> u = state_after(fmt::format(
      "grid: {{shape: [{0}, {0}], size: 2.4, center: true, mask: {{formula: 'x^2 + y^2 < 1'}}}}\n"
      "equation: {{kind: formula, field: laplacian(field)}}\nboundary: {{rows: insulated, columns: "
      "insulated, mask: {1}}}\ninitial: {{kind: uniform, value: {2}}}\ntime: {{step: {3:.17g}, "
      "steps: {4}}}\ncompute: {{precision: float64}}\n",
      n, condition, initial, step, steps));
  double sum = 0;
  for (const double value : u) sum += value * h * h;
  return sum;
}

}  // namespace

TEST_CASE("fluxes through the staircase of a disc are those through its circle") {
  const double circle = 2 * std::acos(-1.0);
  double before = 1;
  for (const int n : {50, 100, 200}) {
    const double found = amount(n, "{derivative: 1}", "0", 1e-5, 10) / 1e-4;
    const double error = std::abs(found / circle - 1);
    CAPTURE(n);
    CHECK(error < 0.55 / n + 0.002);
    CHECK(error < before);
    before = error;
  }
  // u' = laplacian(u) with du/dn = -u decays as exp(-a^2 t), a J1(a) = J0(a).
  for (const int n : {40, 80}) {
    const double h = 2.4 / n, step = 0.2 * h * h;
    const int first = static_cast<int>(std::lround(0.3 / step));
    const double rate = std::log(amount(n, "{derivative: -field}", "1", step, first) /
                                 amount(n, "{derivative: -field}", "1", step, 2 * first)) /
                        (first * step);
    CAPTURE(n);
    CHECK(std::abs(rate / (1.25578 * 1.25578) - 1) < 1.6 / n);
  }
}

TEST_CASE("faces of straight walls have the weight 1, and slanted walls their length") {
  const auto weights = [](const std::string& mask, int n) {
    RunConfig run = test::formula_run({n, n}, {{"u", "laplacian(u)"}});
    run.boundaries = {Boundary::insulated, Boundary::insulated};
    run.mask = test::formula_parameter(mask);
    run.mask_conditions = {{.kind = ConditionKind::derivative, .value = "1", .of_mask = true}};
    return test::coefficient_fields(run);
  };
  for (const std::string mask :
       {"x > 2.5 and x < 11.5 and y > 4.5 and y < 9.5", "x < 5.5", "x > 6.5 or y > 3.5",
        "(x - 7)^2 + (y - 7)^2 > 0.5", "x < 3.5 or x > 9.5", "y > 6.5 and y < 7.5 or x < 3"})
    for (const int axis : {1, 2}) {
      CAPTURE(mask);
      CHECK(std::ranges::count(weights(mask, 16).at(weight_name(axis)), 1) == 256);
    }
  const CoefficientFields slanted = weights("x + y < 60.5", 64);
  const auto& across = slanted.at(weight_name(1));
  CHECK(across[30 * 64 + 30] == doctest::Approx(std::sqrt(0.5)).epsilon(0.01));
}

TEST_CASE("leapfrog is of second order with t in every rate and condition") {
  // u = sin(2 x + 3 t), v = u', with v started half a step later and a force on both.
  const auto error = [](int steps) {
    RunConfig run = test::formula_run({1, 1}, {{"u", "v + sin(t)"}, {"v", "-u + t * cos(2 * t)"}});
    run.boundaries = {Boundary::insulated, Boundary::insulated};
    run.scheme = Scheme::rk4;
    const double dt = 2.0 / steps;
    run.time_step = dt / 2 / 64;
    const auto half = test::formula_stepped<double>(run, {0.4, 0.7}, 64);
    run.time_step = 2.0 / 4096;
    const auto exact_end = test::formula_stepped<double>(run, {0.4, 0.7}, 4096);
    run.scheme = Scheme::leapfrog;
    run.time_step = dt;
    return std::abs(test::formula_stepped<double>(run, {0.4, half[1]}, steps)[0] - exact_end[0]);
  };
  CHECK(std::log2(error(40) / error(80)) == doctest::Approx(2).epsilon(0.02));
  CHECK(std::log2(error(80) / error(160)) == doctest::Approx(2).epsilon(0.02));
}
