// Integrals over the faces of a side or of a mask's boundary: with those of sources they are the
// change of the grid's integral in a step of euler, to rounding.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <numbers>
#include <string>

#include "io/config/config.hpp"
#include "io/readers/initial_source.hpp"
#include "solver/diagnostics.hpp"
#include "solver/outputs.hpp"
#include "tests/formula_run.hpp"
#include "tests/text.hpp"

using namespace lapl;

namespace {

// The integrals after each of some steps.
class Integrals {
 public:
  explicit Integrals(const std::string& text, const std::string& engine = "interpreted")
      : model_(parse_config(text, "f.yaml", ".", {}).run) {
    const CoefficientFields coefficients = load_coefficients(model_.run);
    const auto problem = make_problem<double>(model_, coefficients);
    backend_ = make_backend<double>("cpu", engine, problem, 2);
    backend_->set_derived(planned_outputs(model_, problem));
    set_initial_state(*backend_, model_.run, coefficients, {});
  }

  double dt() const { return *model_.run.time_step; }
  std::map<std::string, double> after(std::int64_t steps) {
    backend_->advance(steps);
    const auto capture = backend_->capture(true);
    const Diagnostics found = compute_diagnostics(capture.wait(), model_.run);
    std::map<std::string, double> named;
    for (std::size_t i = 0; i < found.integrals.size(); ++i)
      named[model_.run.integrals[i].name] = found.integrals[i];
    return named;
  }

 private:
  Model model_;
  std::unique_ptr<Backend<double>> backend_;
};

const std::vector<std::string> conditions_of_fluxes = {"insulated",
                                                       "{value: 0.3 + 0.1 * t}",
                                                       "{value: 0.7, at: face}",
                                                       "{derivative: -0.4}",
                                                       "{mixed: {value: 0.4, factor: 1.5}}",
                                                       "{derivative: -0.2 * (T^4 - k)}"};

// A mask, and the conductivity at faces.
const std::vector<std::pair<std::string, std::string>> cases_of_faces = {
    {"", "k"},
    {"(x - 1.3)^2 > 0.8", "k"},
    {"", "harmonic(k)"},
    {"(x - 1.3)^2 > 0.8", "harmonic(k)"},
    {"(x - 1.3)^2 > 0.8", "2 * harmonic(k) * harmonic(0.5)"}};

std::string flux_mistake(const std::string& integrals, const std::string& more = "") {
  try {
    parse_config(
        "grid: {shape: [8, 9]}\nfields: [T]\nequation: {kind: formula, T: laplacian(T)}\n"
        "boundary: {rows: periodic, columns: insulated}\ninitial: {kind: uniform}\n"
        "time: {step: 0.1, steps: 4}\noutput: {fields: [T], integrals: " +
            integrals + "}\n" + more,
        "f.yaml", ".", {});
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a grid's integral changes by the fluxes through its sides and the sources") {
  const struct {
    std::string grid, sides;
  } grids[] = {{"[23], spacing: 0.7", "columns"},
               {"[9, 14], spacing: [0.5, 0.7]", "rows columns"},
               {"[5, 6, 9], spacing: [1, 0.5, 0.25]", "planes rows columns"}};
  for (const auto& grid : grids)
    for (const std::string& condition : conditions_of_fluxes)
      for (const auto& row : cases_of_faces) {
        const std::string mask = row.first, at_faces = row.second;
        CAPTURE(at_faces);
        CAPTURE(grid.grid);
        CAPTURE(condition);
        CAPTURE(mask);
        std::string boundary, integrals;
        for (const std::string axis : {"planes", "rows", "columns"}) {
          if (!test::has(grid.sides, axis)) continue;
          boundary += fmt::format("{}: {{first: {}, last: insulated}}, ", axis, condition);
          for (const std::string side : {"first", "last"})
            integrals += fmt::format(
                "{0}_{1}: {{formula: k * normal_derivative(T), on: {0}.{1}}}, ", axis, side);
        }
        if (!mask.empty()) integrals += "rim: {formula: k * normal_derivative(T), on: mask}, ";
        Integrals run(fmt::format(
            "grid: {{shape: {}{}}}\nfields: [T]\nparameters: {{k: {{formula: 1 + 0.3 * sin(2 * "
            "x)}}}}\nequation: {{kind: formula, T: divergence({} * gradient(T)) + 0.3 * x - T}}\n"
            "boundary: {{{}{}}}\ninitial: {{T: {{kind: formula, formula: random}}}}\n"
            "time: {{step: 0.005, steps: 40}}\ncompute: {{precision: float64}}\noutput: {{fields: "
            "[T], integrals: {{{}heat: T, again: {{formula: T}}, source: 0.3 * x - T}}}}\n",
            grid.grid, mask.empty() ? "" : ", mask: {formula: '" + mask + "'}", at_faces, boundary,
            mask.empty() ? "" : "mask: " + condition, integrals));
        for (int step = 0; step < 5; ++step) {
          std::map<std::string, double> now = run.after(3);
          const double heat = now["heat"], size = std::abs(heat) + std::abs(now["source"]);
          CHECK(now["again"] == heat);
          double rate = 0;
          for (const auto& [name, value] : now)
            if (name != "heat" && name != "again") rate += value;
          if (condition != "insulated") CHECK(std::abs(now["columns_first"]) > 1e-3);
          CHECK(now["columns_last"] == 0);
          if (!mask.empty() && condition != "insulated") CHECK(std::abs(now["rim"]) > 1e-3);
          const double change = (run.after(1)["heat"] - heat) / run.dt();
          CHECK(std::abs(change - rate) <= 1e-13 * size / run.dt());
        }
      }
}

namespace {

// The flux into the first side, divided by that of two layers of 5 cells with k = 1 and 0.001.
// Nothing varies along the other axes.
double flux_ratio(const std::string& grid, const std::string& other_sides,
                  const std::string& at_faces) {
  Integrals run(fmt::format(
      "grid: {{{}}}\nparameters: {{k: {{formula: 'where(x < 4.5, 1, 0.001)'}}}}\nequation: {{let: "
      "{{p: {{solve: divergence({} * gradient(p)), equals: 0, tolerance: 1e-14, method: "
      "multigrid}}}}, u: p - u}}\nboundary:\n  left: {{u: insulated, p: {{value: 1, at: face}}}}\n"
      "  right: {{u: insulated, p: {{value: 0, at: face}}}}\n{}\ninitial: 0\ntime: {{step: 0.1, "
      "steps: 1}}\ncompute: {{precision: float64}}\noutput: {{integrals: {{in: {{formula: k * "
      "normal_derivative(p), on: columns.first}}, side: {{formula: 1, on: columns.first}}}}}}\n",
      grid, at_faces, other_sides));
  std::map<std::string, double> found = run.after(1);
  return found["in"] / found["side"] * (5 / 1.0 + 5 / 0.001);
}

}  // namespace

TEST_CASE("with harmonic means the flux through layers is exact to rounding") {
  CHECK(flux_ratio("shape: [10]", "", "k") ==
        doctest::Approx(5005 / (4.5 + 1 / 0.5005 + 4500)).epsilon(1e-10));
  CHECK(std::abs(flux_ratio("shape: [10]", "", "harmonic(k)") - 1) < 1e-11);
  const std::string y = "  y: insulated", z = "\n  z: insulated";
  CHECK(std::abs(flux_ratio("shape: [4, 10]", y, "harmonic(k)") - 1) < 1e-11);
  CHECK(std::abs(flux_ratio("shape: [3, 5, 10]", y + z, "harmonic(k)") - 1) < 1e-11);
  CHECK(std::abs(flux_ratio("shape: [6, 10], mask: {formula: y < 2.5}", y, "harmonic(k)") - 1) <
        1e-11);
}

TEST_CASE("harmonic means: signs, several factors, and mistakes") {
  RunConfig run = test::formula_run({1, 4, 1, 1}, {});
  run.precision = Precision::float64;
  run.parameters["k"] =
      test::formula_parameter("where(x == 0, -1, where(x == 1, -3, where(x == 2, 2, 0)))");
  const std::vector<double> v = {1, 3, 7, 4};
  // between the cells: -1 and -3, then signs that differ, then 2 and 0, then 0 and -1
  const std::vector<double> flux = {-1.5 * 2, 0, 0, 0};
  const std::vector<double> found =
      test::value_of_formula(run, "divergence(harmonic(k) * gradient(v))", v);
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(found[i] == doctest::Approx(flux[i] - flux[(i + 3) % 4]));
  const std::vector<double> twice = test::value_of_formula(
      run, "divergence(2 * harmonic(-k) * gradient(v) * harmonic(3) * (1 + k)^2)", v);
  const double of_plain = (0 + 4) / 2.0;
  CHECK(twice[0] == doctest::Approx(2 * 1.5 * 2 * 3 * of_plain));
  CHECK(twice[2] == 0);
  const auto mistake = [&](const std::string& formula) { return test::rate_mistake(run, formula); };
  for (const std::string formula :
       {"harmonic(k)", "harmonic(k) * laplacian(v)", "d_dx(harmonic(v))",
        "divergence((1 + harmonic(k)) * gradient(v))"})
    CHECK(mistake(formula) ==
          "harmonic has no meaning here (expected it as a factor within divergence: "
          "divergence(harmonic(D) * gradient(e)))");
  CHECK(test::has(mistake("divergence(harmonic(k, v) * gradient(v))"), "harmonic of 2 arguments"));
  CHECK(test::has(mistake("divergence(harmonic(k))"), "divergence of what is no gradient"));
}

TEST_CASE("integrals on sides have the same bits on every engine" * doctest::test_suite("slow")) {
  const std::string text =
      "grid: {shape: [13, 17], spacing: [0.5, 0.7], mask: {formula: '(x - 5)^2 + (y - 3)^2 > "
      "2'}}\n"
      "fields: [T]\nequation: {kind: formula, T: laplacian(T)}\nboundary: {rows: insulated, "
      "columns: "
      "{first: {value: 2}, last: {derivative: -T^2}}, mask: {derivative: -T}}\ninitial: {kind: "
      "formula, formula: random}\ntime: {step: 0.01, steps: 9}\ncompute: {precision: float64}\n"
      "output: {fields: [T], integrals: {in: {formula: normal_derivative(T), on: "
      "columns.first}, "
      "out: {formula: -normal_derivative(T + T^2), on: columns.last}, rim: {formula: "
      "x * normal_derivative(T), on: mask}, length: {formula: 1, on: mask}, side: {formula: 1, "
      "on: "
      "columns.last}}}\n";
  const std::map<std::string, double> expected = Integrals(text, "reference").after(7);
  CHECK(expected.at("side") == doctest::Approx(13 * 0.5));
  CHECK(expected.at("length") > 4);
  for (const std::string engine : {"interpreted", "threaded"})
    CHECK(Integrals(text, engine).after(7) == expected);
}

TEST_CASE("wrong integrals on sides are said by name") {
  CHECK(flux_mistake("{a: {formula: T * normal_derivative(T), on: columns.first}}") == "");
  CHECK(test::has(flux_mistake("{a: normal_derivative(T)}"),
                  "output.integrals: a: normal_derivative has no meaning here (expected it in "
                  "output.integrals, on a side"));
  CHECK(
      test::has(flux_mistake("{a: {formula: laplacian(normal_derivative(T)), on: columns.first}}"),
                "normal_derivative has no meaning here"));
  CHECK(test::has(flux_mistake("{a: {formula: T, on: rows.first}}"),
                  "output.integrals: a: on: found rows.first, which is no side here (expected "
                  "columns.first, columns.last, or cells)"));
  CHECK(test::has(flux_mistake("{a: {formula: T, on: planes.first}}"), "found planes.first"));
  CHECK(test::has(flux_mistake("{a: {formula: T, on: mask}}"), "found mask, which is no side"));
  CHECK(test::has(flux_mistake("{a: {formula: T, on: left}}"),
                  "found left (expected cells, planes.first"));
  CHECK(test::has(flux_mistake("{a: {formula: normal_derivative(2), on: columns.last}}"),
                  "normal_derivative of what is the same in every cell"));
  CHECK(test::has(flux_mistake("{}", "parameters: {q: {formula: normal_derivative(x)}}\n"),
                  "normal_derivative has no meaning here"));
}

TEST_CASE("in cylinders and spheres the integral changes by what flows through sides and masks") {
  for (const std::string coordinates : {"cylindrical", "spherical"})
    for (const std::string mask : {"", "x > 0.35", "x < 0.85"})
      for (const std::string& condition : conditions_of_fluxes)
        for (const std::string k : {"k", "harmonic(k)"}) {
          CAPTURE(coordinates);
          CAPTURE(mask);
          CAPTURE(condition);
          const bool is_pipe = coordinates == "cylindrical";
          Integrals run(
              "grid: {shape: " + std::string(is_pipe ? "[3, 10]" : "[10]") +
              ", spacing: 0.1, coordinates: " + coordinates +
              (mask.empty() ? "" : ", mask: {formula: " + mask + "}") +
              "}\nparameters: {k: {formula: 1 + 0.3 * x}}\nequation: {T: divergence(" + k +
              " * gradient(T))}\nboundary: {" + (mask.empty() ? "" : "mask: " + condition + ", ") +
              "right: " + condition +
              (is_pipe ? ", top: insulated, bottom: {value: 0.2, at: face}" : "") +
              "}\ninitial: cos(x)\ntime: {step: 1e-4, steps: 1}\noutput:\n  integrals:\n" +
              "    heat: T\n    size: 1 + 0 * T\n"
              "    last: {formula: k * normal_derivative(T), on: columns.last}\n"
              "    first: {formula: k * normal_derivative(T), on: columns.first}\n" +
              (is_pipe ? "    base: {formula: k * normal_derivative(T), on: rows.first}\n" : "") +
              (mask.empty() ? "" : "    mask: {formula: k * normal_derivative(T), on: mask}\n") +
              "compute: {precision: float64}\n");
          auto before = run.after(0);
          const auto after = run.after(1);
          const double through = before["last"] + before["first"] + before["base"] + before["mask"];
          CHECK(after.at("heat") - before["heat"] ==
                doctest::Approx(run.dt() * through).epsilon(1e-9).scale(1e-3));
          CHECK(std::abs(before["first"]) == 0);
          const double pi = std::numbers::pi;
          if (mask.empty())
            CHECK(before["size"] == doctest::Approx(is_pipe ? 0.3 * pi : 4 * pi / 3));
        }
}
