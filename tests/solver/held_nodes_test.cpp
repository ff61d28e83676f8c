// Values at: node. numpy_test.cpp compares them with NumPy, random_problems_test.cpp engines with
// one another.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "io/readers/initial_source.hpp"
#include "kernels/evaluation.hpp"
#include "solver/diagnostics.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/make_problem.hpp"
#include "solver/outputs.hpp"
#include "solver/stable_step.hpp"
#include "tests/formula_run.hpp"
#include "tests/test_field.hpp"
#include "tests/text.hpp"

using namespace lapl;

namespace {

RunConfig node_run(const std::string& text) {
  return parse_config(text + "\ncompute: {precision: float64}\n", "h.yaml", ".", {}).run;
}

// A run step by step, with its outputs.
class HeldRun {
 public:
  explicit HeldRun(const std::string& text, const std::string& engine = "interpreted")
      : model_(node_run(text)) {
    const CoefficientFields coefficients = load_coefficients(model_.run);
    const auto problem = make_problem<double>(model_, coefficients);
    backend_ = make_backend<double>("cpu", engine, problem, 2);
    backend_->set_derived(planned_outputs(model_, problem));
    set_initial_state(*backend_, model_.run, coefficients, {});
    backend_->set_clock({.step = dt(), .start = 0, .start_step = 0});
  }

  const RunConfig& config() const { return model_.run; }
  double dt() const { return step_seconds(model_.run); }
  std::vector<double> after(std::int64_t steps) {
    backend_->advance(steps);
    return copy_of_state(*backend_);
  }
  double error() const {
    return largest_error(*backend_, static_cast<int>(config().fields.size()));
  }
  std::vector<double> derived(std::size_t which) {
    const auto capture = backend_->capture(true);
    const auto values = capture.wait().derived[which];
    return {values.begin(), values.end()};
  }
  std::vector<double> integrals() {
    const auto capture = backend_->capture(true);
    return compute_diagnostics(capture.wait(), model_.run).integrals;
  }

 private:
  Model model_;
  std::unique_ptr<Backend<double>> backend_;
};

std::string held_mistake(const std::string& boundary, const std::string& more = "",
                         const std::string& shape = "[8, 9]") {
  try {
    node_run(fmt::format(
        "grid: {{shape: {}}}\nfields: [u, v]\nequation: {{kind: formula, let: {{q: 2 * "
        "v}}, u: laplacian(u), v: laplacian(v) + 0 * q}}\nboundary: {{rows: insulated, {}}}\n"
        "initial: {{u: {{kind: uniform}}, v: {{kind: uniform}}}}\noutput: {{fields: "
        "[u]}}\n{}",
        shape, boundary, more.empty() ? "time: {step: 0.1, steps: 4}" : more));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

const std::vector<std::string> schemes_of_held = {"euler",
                                                  "heun",
                                                  "midpoint",
                                                  "ssprk3",
                                                  "rk4",
                                                  "imex",
                                                  "rkl2, stages: 4",
                                                  "bs23",
                                                  "dopri5",
                                                  "bs23, tolerance: 0.1",
                                                  "dopri5, tolerance: 0.1",
                                                  "rkl2, stages: 4, tolerance: 0.1",
                                                  "imex, tolerance: 0.1"};

}  // namespace

TEST_CASE("the rate is 0 where a condition holds the value, and as elsewhere beside it") {
  const RunConfig run = node_run(
      "grid: {shape: [3, 6]}\nequation: {kind: formula, u: laplacian(u) + 1}\nboundary: {rows: "
      "insulated, columns: {first: {value: 2, at: node}, last: insulated}}\ninitial: {kind: "
      "uniform}\ntime: "
      "{step: 0.1, steps: 4}");
  std::vector<double> state;
  for (int i = 0; i < 18; ++i) state.push_back(i % 6 * (i % 6));
  const auto rates = Evaluation<double>(rates_problem(run, make_system(run), {}), 1, 1)(state);
  for (std::size_t row = 0; row < 3; ++row) {
    CHECK(rates[6 * row] == 0);
    for (std::size_t column = 1; column < 5; ++column) CHECK(rates[6 * row + column] == 3);
  }
}

TEST_CASE("held nodes are those just outside a grid that lacks them") {
  const struct {
    std::vector<std::int64_t> shape;
    std::string spacing, mixed, axes;
  } grids[] = {{{21}, "0.7", "0", "columns"},
               {{13, 17}, "[0.5, 0.7]", "d2_dxdy(v)", "rows columns"},
               {{7, 6, 9}, "[1, 0.5, 0.25]", "(d2_dxdy(v) + d2_dydz(v))", "planes rows columns"}};
  for (const auto& grid : grids)
    for (const std::string& scheme : schemes_of_held) {
      CAPTURE(grid.axes);
      CAPTURE(scheme);
      const auto config = [&](bool held) {
        std::string boundary, shape;
        for (const std::int64_t size : grid.shape)
          shape += fmt::format("{}{}", shape.empty() ? "" : ", ", size - (held ? 0 : 2));
        const auto value = [&](const std::string& of) {
          return fmt::format("{{value: '{}'{}}}", of, held ? ", at: node" : "");
        };
        for (const std::string axis : {"planes", "rows", "columns"})
          if (test::has(grid.axes, axis))
            boundary += fmt::format("{}: {{first: {{u: {}, v: {}}}, last: {}}}, ", axis,
                                    value("0.3 + sin(9 * t) + 0.1 * x"),
                                    value(fmt::format("0.{} * cos(5 * t + x)", axis.size())),
                                    value("0.4 - x * t"));
        return fmt::format(
            "grid: {{shape: [{}], spacing: {}{}}}\nfields: [u, v]\nequation: {{kind: formula, u: "
            "0.03 * laplacian(u) + 0.01 * {} - u * v, v: 0.02 * laplacian(v) + 0.1 * u - 0.3 * "
            "v}}\nboundary: {{{}}}\ninitial: {{u: {{kind: formula, formula: sin(3 * x)}}, v: "
            "{{kind: formula, formula: cos(x)}}}}\ntime: {{step: 0.05, steps: 4, scheme: {}}}\n",
            shape, grid.spacing, held ? "" : ", origin: " + grid.spacing, grid.mixed, boundary,
            scheme);
      };
      HeldRun held(config(true)), without(config(false));
      const std::vector<double> all = held.after(4), expected = without.after(4);
      const Shape shape = held.config().shape, inner = without.config().shape;
      std::vector<double> inside;
      for (std::int64_t i = 0; i < std::ssize(all); ++i) {
        const std::array at = by_axis(cell_at(shape, i % shape.cells()));
        bool is_inside = true;
        for (int axis = 3 - shape.axes; axis < 3; ++axis)
          is_inside = is_inside && at[axis] > 0 && at[axis] + 1 < by_axis(shape)[axis];
        if (is_inside) inside.push_back(all[i]);
      }
      REQUIRE(std::ssize(inside) == 2 * inner.cells());
      CHECK(test::largest_difference(inside, expected) < 1e-14);
      if (test::has(scheme, "tolerance"))
        CHECK(held.error() == doctest::Approx(without.error()).epsilon(1e-9));
    }
}

TEST_CASE("a held node has the condition's value at the start and after each step") {
  for (const std::string& scheme : schemes_of_held)
    for (const std::string mask : {"", "1", "x + y > 4"}) {
      CAPTURE(scheme);
      CAPTURE(mask);
      const std::string text = fmt::format(
          "grid: {{shape: [6, 7], spacing: 0.5{}}}\nfields: [u, v]\nparameters: {{k: {{formula: 2 "
          "+ y}}}}\nequation: {{kind: formula, let: {{slow: 3 * t}}, u: laplacian(u) + 1 / x, v: "
          "laplacian(u * v) - v}}\nboundary: {{rows: {{first: {{u: {{value: k * cos(slow) + x, at: "
          "node}}, v: insulated}}, last: insulated}}, columns: {{first: {{u: {{value: 5 + k, at: "
          "node}}, v: zero}}, last: {{u: insulated, v: {{value: t, at: node}}}}}}}}\ninitial: {{u: "
          "{{kind: formula, formula: random}}, v: {{kind: formula, formula: random}}}}\ntime: "
          "{{step: 0.01, steps: 4, scheme: {}}}\n",
          mask.empty() ? "" : ", mask: {formula: '" + mask + "'}", scheme);
      HeldRun run(text);
      for (int step = 0; step < 4; ++step) {
        const double t = step * 0.01;
        const std::vector<double> state = run.after(step > 0 ? 1 : 0);
        CHECK(std::ranges::all_of(state, [](double value) { return std::isfinite(value); }));
        for (int row = 0; row < 6; ++row)
          for (int column = 0; column < 7; ++column) {
            const double x = 0.5 * column, y = 0.5 * row;
            const bool inside = mask != "x + y > 4" || x + y > 4;
            const double u = state[7 * row + column], v = state[42 + 7 * row + column];
            if (!inside) CHECK((u == 0 && v == 0));
            if (!inside) continue;
            if (row == 0) CHECK(u == doctest::Approx(2 * std::cos(3 * t) + x).epsilon(1e-14));
            if (row > 0 && column == 0) CHECK(u == 7 + y);
            if (column == 6) CHECK(v == doctest::Approx(t).epsilon(1e-14));
            if (row > 0 && column > 0) CHECK(u != doctest::Approx(0));
          }
      }
    }
}

TEST_CASE("between two held nodes a line stays and its slope is exact at the walls") {
  const std::string text =
      "grid: {shape: [9], spacing: 0.25}\nfields: [u]\nequation: {kind: formula, u: laplacian(u)}\n"
      "boundary: {columns: {first: {value: 1, at: node}, last: {value: 5, at: node}}}\ninitial: "
      "{kind: formula, formula: INITIAL}\ntime: {step: 0.02, steps: 5}\noutput: {fields: [u, "
      "laplacian, slope], derived: {slope: d_dx(u)}, integrals: {first: {formula: "
      "normal_derivative(u), on: columns.first}, last: {formula: normal_derivative(u), on: "
      "columns.last}, whole: u}}\n";
  HeldRun line(test::replaced(text, "INITIAL", "1 + 2 * x"));
  CHECK(line.after(50) ==
        test::at_nodes(line.config(), [](double x, double) { return 1 + 2 * x; }));
  for (const double curved : line.derived(0)) CHECK(curved == 0);
  for (const double slope : line.derived(1)) CHECK(slope == 2);
  CHECK(line.integrals()[0] == -2);
  CHECK(line.integrals()[1] == 2);
  HeldRun random(test::replaced(text, "INITIAL", "random"));
  const double before = random.integrals()[2];
  const double flux = random.integrals()[0] + random.integrals()[1];
  random.after(1);
  CHECK(random.integrals()[2] - before == doctest::Approx(0.02 * flux).epsilon(1e-12));
  const std::vector<double> steady = random.after(5000);
  for (std::size_t i = 0; i < steady.size(); ++i)
    CHECK(steady[i] == doctest::Approx(1 + 0.5 * double(i)).epsilon(1e-14));
}

TEST_CASE("a quantity that is held at a node is read so") {
  const auto config = [](const std::string& boundary, const std::string& quantity) {
    return fmt::format(
        "grid: {{shape: [6, 9]}}\nfields: [u]\nequation: {{kind: formula, let: {{w: "
        "laplacian(u)}}, u: 'laplacian({0}) - 0.01 * w'}}\nboundary: {{rows: insulated, columns: "
        "{{first: {{u: {{value: 1, at: node}}{1}}}, last: {{u: insulated}}}}}}\ninitial: {{kind: "
        "formula, formula: random}}\ntime: {{step: 0.001, steps: 9, scheme: heun}}\noutput: "
        "{{fields: [u, held], derived: {{held: '{0}'}}}}\n",
        quantity, boundary);
  };
  HeldRun held(config(", w: {value: 3 + y + 9 * t, at: node}", "w")),
      written(config("", "where(x < 0.5, 3 + y + 9 * t, laplacian(u))"));
  CHECK(held.after(5) == written.after(5));
  const std::vector<double> values = held.derived(0), expected = written.derived(0);
  CHECK(test::largest_difference(values, expected) < 1e-15);
  CHECK(values[9] == doctest::Approx(4.045));
}

TEST_CASE("a sine mode between held nodes has the second order of the grid") {
  const auto error = [](int nodes, const std::string& equation, double step) {
    HeldRun run(fmt::format(
        "grid: {{shape: [{}], spacing: {}}}\nequation: {{{}}}\nboundary: {{columns: {{first: "
        "{{value: 0, at: node}}, last: {{value: 0, at: node}}}}}}\ninitial: {{kind: formula, "
        "formula: sin(pi * x)}}\ntime: {{step: {}, steps: {}}}\n",
        nodes, 1.0 / (nodes - 1), equation, step, 0.1 / step));
    const std::vector<double> found = run.after(std::llround(0.1 / step));
    const double decay = std::exp(-0.1 * std::numbers::pi * std::numbers::pi);
    return test::largest_difference(found, test::at_nodes(run.config(), [&](double x, double) {
                                      return decay * std::sin(std::numbers::pi * x);
                                    }));
  };
  for (const std::string equation : {"kind: formula, field: laplacian(field)", "diffusivity: 1"}) {
    const double coarse = error(17, equation, 0.001), fine = error(33, equation, 0.00025);
    CHECK(fine < 2e-4);
    CHECK(std::log2(coarse / fine) == doctest::Approx(2).epsilon(0.05));
  }
}

TEST_CASE("held nodes do not limit the stable step") {
  const std::string text =
      "grid: {shape: [4, 30]}\nfields: [T]\nparameters: {k: {formula: 1 + 0 * x}}\nequation: "
      "{kind: formula, T: k * laplacian(T) - T^3}\nboundary: {rows: insulated, columns: {first: "
      "{value: WALL, at: node}, last: {value: k, at: node}}}\ninitial: {T: {kind: uniform, value: "
      "0.1}}\ntime: {step: 0.01, steps: 5}\n";
  const auto stable = [](const std::string& config) {
    const RunConfig run = node_run(config);
    return *find_stable_step(run, make_system(run), [&] { return load_state_fields(run); }).largest;
  };
  for (const std::string wall : {"0.1", "exp(t)", "30 * sin(t)"})
    CHECK(stable(test::replaced(text, "WALL", wall)) == doctest::Approx(0.25).epsilon(0.05));
  const std::string linear = test::replaced(
      test::replaced(text, "k * laplacian(T) - T^3", "laplacian(T)"), "WALL", "k + t");
  const RunConfig run = node_run(linear);
  CHECK(*stable_limit(run, make_system(run)) == doctest::Approx(0.25));
}

TEST_CASE("values at: node that cannot hold are refused") {
  const std::string held = "columns: {first: {value: GIVEN, at: node}, last: zero}";
  const auto with = [&](const std::string& value, const std::string& more = "") {
    return held_mistake(test::replaced(held, "GIVEN", value), more);
  };
  CHECK(with("3 * t + y") == "");
  CHECK(test::has(with("1 + q"),
                  "boundary.columns: first: at: node: the value reads v (expected a formula of t, "
                  "the position, parameters and parameter fields, or at: face, where it "
                  "may read fields)"));
  CHECK(test::has(with("1 +"), "boundary.columns: ends where a number"));
  CHECK(test::has(
      held_mistake("columns: {first: {value: 1, at: node}, last: insulated}", "", "[8, 1]"),
      "boundary.columns: first: at: node: found an axis of one node (expected at least "
      "2)"));
  CHECK(test::has(held_mistake("columns: insulated, mask: {value: 1, at: node}",
                               "time: {step: 0.1, steps: 4}", "[8, 9], mask: {formula: x > 3}"),
                  "boundary.mask: at: found node (expected face or ghost: a mask boundary is made "
                  "of faces)"));
  CHECK(test::has(
      with("1", "time: {step: 0.1, steps: 4, scheme: etdrk2}"),
      "the condition boundary.columns.first holds a value at: node (values one cell outside "
      "and derivatives have modes)"));
  const std::string text =
      "grid: {shape: SHAPE}\nequation: {kind: formula, field: laplacian(field)}\nboundary: "
      "{columns: {first: {value: 1, at: node}, last: zero}}\ninitial: {kind: uniform}\ntime: "
      "{step: 0.1, steps: 4}\noutput: {fields: [field]}\ncompute: ";
  const auto mistake = [](const std::string& config) -> std::string {
    try {
      parse_config(config, "h.yaml", ".", {});
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(test::has(
      mistake(test::replaced(text, "SHAPE", "[9]") + "{precision: float64, engine: spectral}\n"),
      "the condition boundary.columns.first holds a value at: node"));
  CHECK(test::has(mistake(test::replaced(text, "SHAPE", "[40000000]") + "{precision: float32}\n"),
                  "boundary.columns: at: node: float32 does not tell the positions of 40000000 "
                  "columns apart (expected compute.precision float64)"));
}
