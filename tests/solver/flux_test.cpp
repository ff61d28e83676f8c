// Integrals over the faces of a side or of a mask's boundary: with those of sources they are the
// change of the grid's integral in a step of euler, to rounding.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <map>
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
      for (const std::string mask : {"", "(x - 1.3)^2 > 0.8"}) {
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
            "x)}}}}\nequation: {{kind: formula, T: divergence(k * gradient(T)) + 0.3 * x - T}}\n"
            "boundary: {{{}{}}}\ninitial: {{T: {{kind: formula, formula: random}}}}\n"
            "time: {{step: 0.005, steps: 40}}\ncompute: {{precision: float64}}\noutput: {{fields: "
            "[T], integrals: {{{}heat: T, again: {{formula: T}}, source: 0.3 * x - T}}}}\n",
            grid.grid, mask.empty() ? "" : ", mask: {formula: '" + mask + "'}", boundary,
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

TEST_CASE("integrals on sides have the same bits on every engine" * doctest::test_suite("slow")) {
  const std::string text =
      "grid: {shape: [13, 17], spacing: [0.5, 0.7], mask: {formula: '(x - 5)^2 + (y - 3)^2 > 2'}}\n"
      "fields: [T]\nequation: {kind: formula, T: laplacian(T)}\nboundary: {rows: insulated, "
      "columns: "
      "{first: {value: 2}, last: {derivative: -T^2}}, mask: {derivative: -T}}\ninitial: {kind: "
      "formula, formula: random}\ntime: {step: 0.01, steps: 9}\ncompute: {precision: float64}\n"
      "output: {fields: [T], integrals: {in: {formula: normal_derivative(T), on: columns.first}, "
      "out: {formula: -normal_derivative(T + T^2), on: columns.last}, rim: {formula: "
      "x * normal_derivative(T), on: mask}, length: {formula: 1, on: mask}, side: {formula: 1, on: "
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
