// Masks: a rectangle of cells inside is the grid of that size to the bit, other masks equal plain
// loops, insulated mask boundaries keep the sum, and what looks at states leaves cells outside out.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "io/config/config.hpp"
#include "io/readers/initial_source.hpp"
#include "kernels/fields/fill_value.hpp"
#include "solver/diagnostics.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/equation_digest.hpp"
#include "solver/precision_watch.hpp"
#include "solver/stable_step.hpp"
#include "tests/formula_run.hpp"
#include "tests/test_field.hpp"
#include "tests/text.hpp"

using namespace lapl;

namespace {

RunConfig masked_run(const std::string& text) { return parse_config(text, "m.yaml", ".", {}).run; }

std::vector<double> mask_noise(std::size_t count, unsigned seed = 1) {
  std::mt19937_64 generator(seed);
  std::vector<double> values(count);
  for (double& value : values) value = static_cast<double>(generator() >> 11) * 0x1p-53 - 0.3;
  return values;
}

// Calls use(index in the small grid, index in the grid around it).
void for_cells(Shape small, Shape around, Cell first,
               const std::function<void(std::int64_t, std::int64_t)>& use) {
  for (std::int64_t i = 0; i < small.cells(); ++i) {
    Cell cell = cell_at(small, i);
    cell = {cell.row + first.row, cell.column + first.column, cell.plane + first.plane};
    use(i, cell_index(around, cell));
  }
}

struct Rectangle {
  std::string grid, mask;  // the small grid, and the grid around it with its mask
  Cell first;
};

std::vector<Rectangle> rectangles() {
  return {{"[12, 17], spacing: [0.5, 0.7]",
           "[19, 26], spacing: [0.5, 0.7], mask: {formula: "
           "'where(y > 1.2, where(y < 7.2, where(x > 2, where(x < 13.7, 3, 0), 0), 0), 0)'}",
           {.row = 3, .column = 3}},
          {"[23]",
           "[40], mask: {formula: 'where(x > 8.5, where(x < 31.5, -1, 0), 0)'}",
           {.row = 0, .column = 9}},
          {"[5, 6, 9], spacing: [1, 0.5, 0.25]",
           "[8, 9, 12], spacing: [1, 0.5, 0.25], mask: {formula: 'where(abs(z - 4) < 2.5, "
           "where(abs(y - 1.75) < 1.3, where(abs(x - 1.5) < 1.1, 1, 0), 0), 0)'}",
           {.row = 1, .column = 2, .plane = 2}}};
}

std::string axes_with(const std::string& side, std::int64_t axes) {
  std::string text = "boundary: {";
  for (const char* const axis : {"columns", "rows", "planes"})
    if (axes-- > 0) text += fmt::format("{}: {{first: {}, last: {}}}, ", axis, side, side);
  return text;
}

std::vector<double> mask_stepped(const RunConfig& run, const std::vector<double>& state,
                                 const std::string& engine = "interpreted") {
  const auto backend = make_backend<double>(
      "cpu", engine, make_problem<double>(Model(run), load_coefficients(run)), 2);
  backend->settle();
  backend->set_state(state);
  backend->set_clock({.step = *run.time_step});
  backend->advance(run.steps);
  return copy_of_state(*backend);
}

}  // namespace

TEST_CASE("a rectangle inside a mask is the grid of its size, to the bit") {
  const std::string conditions[] = {"insulated", "{value: 0.3 + 0.1 * sin(t)}",
                                    "{derivative: -0.2}", "{mixed: {value: 0.4, factor: 1.5}}",
                                    "{u: {value: 1 + t}, v: {derivative: 0.1}, w: {value: 0.2}}"};
  const std::string end =
      "parameters: {k: {formula: 1}}\ninitial: {u: {kind: uniform}, v: {kind: uniform}}\n"
      "output: {fields: [u]}\ncompute: {precision: float64}\n";
  for (const Rectangle& of : rectangles())
    for (const std::string& condition : conditions)
      for (const std::string scheme : {"euler", "rk4", "leapfrog", "bs23, tolerance: 0.1"}) {
        CAPTURE(of.grid);
        CAPTURE(condition);
        CAPTURE(scheme);
        const std::int64_t axes = of.first.plane > 0 ? 3 : of.first.row > 0 ? 2 : 1;
        const std::string rate =
            "divergence(k * gradient(u)) + laplacian(w)" +
            std::string(axes > 1 ? " + 0.3 * d2_dxdy(u * v) + 0.1 * gradient_squared(v)" : "") +
            std::string(axes > 2 ? " + 0.2 * d2_dydz(v) + d2_dxdz(u)" : "");
        const std::string rest = fmt::format(
            "fields: [u, v]\nequation: {{kind: formula, let: {{w: u - 0.1 * laplacian(v)}}, u: "
            "'0.01 * ({0})', v: '0.02 * laplacian(v) + 0.1 * u - upwind({1}, v) - "
            "advect({1}, v)'}}\ntime: {{step: 0.01, steps: 5, scheme: {2}}}\n{3}",
            rate,
            axes == 1   ? "0.1"
            : axes == 2 ? "0.1, -u"
                        : "0.1, -u, k",
            scheme, end);
        const RunConfig small = masked_run("grid: {shape: " + of.grid + "}\n" +
                                           axes_with(condition, axes) + "}\n" + rest);
        const RunConfig masked =
            masked_run("grid: {shape: " + of.mask + "}\n" + axes_with("{value: 7}", axes) +
                       "mask: " + condition + "}\n" + rest);
        REQUIRE(masked.mask);
        const std::int64_t cells = small.shape.cells(), around = masked.shape.cells();
        const std::vector<double> state = mask_noise(2 * cells);
        std::vector<double> state_around(2 * around);
        for_cells(small.shape, masked.shape, of.first, [&](std::int64_t i, std::int64_t j) {
          for (const int field : {0, 1})
            state_around[field * around + j] = state[field * cells + i];
        });
        const std::vector<double> expected = mask_stepped(small, state);
        for (const std::string engine : {"reference", "interpreted"}) {
          std::vector<double> found = mask_stepped(masked, state_around, engine), inside(2 * cells);
          for_cells(small.shape, masked.shape, of.first, [&](std::int64_t i, std::int64_t j) {
            for (const int field : {0, 1})
              inside[field * cells + i] = std::exchange(found[field * around + j], 0);
          });
          CHECK(inside == expected);
          CHECK(std::ranges::count(found, 0) == std::ssize(found));
        }
      }
}

namespace {

// An explicit Euler step of 0.1 laplacian(u) + divergence(k gradient(u)) + 0.2 d2_dxdy(u), with
// k = 1 + 0.1 x on a grid with insulated sides, of cells where `inside`; the mask boundary holds
// 0.5 + 0.1 x + t, or nothing flows through.
struct PlainLoops {
  Shape shape;
  std::vector<double> inside;
  bool insulated = false;

  std::vector<double> step(const std::vector<double>& u, double t, double dt) const {
    std::vector<double> next(u.size());
    for (std::int64_t j = 0; j < shape.rows; ++j)
      for (std::int64_t i = 0; i < shape.columns; ++i) {
        if (!is_inside(j, i)) continue;
        const double c = at(u, j, i), k = 1 + 0.1 * static_cast<double>(i);
        const auto k_at = [&](std::int64_t row, std::int64_t column) {
          if (row < 0 || row >= shape.rows || column < 0 || column >= shape.columns) return k;
          return is_inside(row, column) ? 1 + 0.1 * static_cast<double>(column) : k;
        };
        double rate = 0;
        for (const auto& [row, column] : {std::pair(0, 1), {0, -1}, {1, 0}, {-1, 0}}) {
          const double there = read(u, j, i, row, column, t);
          rate += (0.1 + (k + k_at(j + row, i + column)) / 2) * (there - c);
        }
        rate += 0.2 / 4 *
                (read(u, j, i, 1, 1, t) - read(u, j, i, 1, -1, t) - read(u, j, i, -1, 1, t) +
                 read(u, j, i, -1, -1, t));
        next[j * shape.columns + i] = c + dt * rate;
      }
    return next;
  }

 private:
  std::int64_t within(std::int64_t index, std::int64_t size) const {
    return std::clamp<std::int64_t>(index, 0, size - 1);
  }
  double at(const std::vector<double>& u, std::int64_t j, std::int64_t i) const {
    return u[within(j, shape.rows) * shape.columns + within(i, shape.columns)];
  }
  bool is_inside(std::int64_t j, std::int64_t i) const { return at(inside, j, i) != 0; }
  double condition(double value, std::int64_t column, double t) const {
    return insulated ? value : 0.5 + 0.1 * static_cast<double>(column) + t;
  }
  double read(const std::vector<double>& u, std::int64_t j, std::int64_t i, int row, int column,
              double t) const {
    if (is_inside(j + row, i + column)) return at(u, j + row, i + column);
    if (row != 0 && column != 0) {
      if (is_inside(j, i + column)) return condition(at(u, j, i + column), i + column, t);
      if (is_inside(j + row, i)) return condition(at(u, j + row, i), i + column, t);
    }
    return condition(at(u, j, i), i + column, t);
  }
};

}  // namespace

TEST_CASE("a ragged mask equals plain loops") {
  for (const bool insulated : {false, true}) {
    const RunConfig run = masked_run(fmt::format(
        "grid: {{shape: [21, 34], mask: {{formula: 'sin(7 * x * y + y) + sin(5 * x) < 0.9'}}}}\n"
        "boundary: {{rows: insulated, columns: insulated, mask: {}}}\n"
        "parameters: {{k: {{formula: 1 + 0.1 * x}}}}\n"
        "equation: {{kind: formula, field: '0.1 * laplacian(field) + divergence(k * "
        "gradient(field)) + 0.2 * d2_dxdy(field)'}}\ninitial: {{kind: uniform}}\n"
        "time: {{step: 0.02, steps: 40}}\ncompute: {{precision: float64}}\n",
        insulated ? "insulated" : "{value: 0.5 + 0.1 * x + t}"));
    const PlainLoops loops{run.shape, load_coefficients(run).at(mask_name), insulated};
    CHECK(std::ranges::count(loops.inside, 0) > 100);
    std::vector<double> state = mask_noise(run.shape.cells());
    for (std::size_t i = 0; i < state.size(); ++i) state[i] *= loops.inside[i];
    const std::vector<double> found = mask_stepped(run, state);
    for (int n = 0; n < run.steps; ++n) state = loops.step(state, 0.02 * n, 0.02);
    CHECK(test::largest_difference(std::span<const double>(found), state) <=
          1e-12 * test::largest_magnitude(state));
  }
}

TEST_CASE("between insulated mask boundaries the sum is kept to rounding") {
  for (const std::string rate :
       {"laplacian(u)", "divergence(k * gradient(u))", "divergence((k + u^2) * gradient(u))",
        "laplacian(u^3 - 0.1 * laplacian(u))", "divergence(k * gradient(u - 0.1 * laplacian(u)))"})
    for (const std::string grid : {"[60]", "[23, 31], spacing: [1, 0.8]", "[9, 10, 11]"})
      for (const std::string sides : {"insulated", "periodic"}) {
        CAPTURE(rate);
        CAPTURE(grid);
        const RunConfig run = masked_run(
            "grid: {shape: " + grid +
            ", mask: {formula: 'sin(3 * x) + cos(2 * x) < 0.7'}}\nfields: [u]\nparameters: {k: "
            "{formula: 'where(sin(x) > 0, 1, 0.01)'}, a: 1}\nboundary: " +
            sides + "\nequation: {kind: formula, u: 'a * " + rate +
            " + 0 * k'}\ninitial: {kind: uniform}\ntime: {step: 0.005, steps: 200}\ncompute: "
            "{precision: float64}\nlimits: {unstable_step: warn}\n");
        std::vector<double> state = mask_noise(run.shape.cells());
        const std::vector<double> inside = load_coefficients(run).at(mask_name);
        for (std::size_t i = 0; i < state.size(); ++i) state[i] *= inside[i];
        const std::vector<double> after = mask_stepped(run, state);
        const double before_sum = std::accumulate(state.begin(), state.end(), 0.0);
        const double after_sum = std::accumulate(after.begin(), after.end(), 0.0);
        CHECK(std::abs(after_sum - before_sum) <= 1e-12 * static_cast<double>(state.size()));
        CHECK(test::largest_difference(std::span<const double>(after), state) > 0.01);
      }
}

namespace {

const std::string plate =
    "grid: {shape: [8, 9], mask: {formula: MASK}}\nboundary: {rows: insulated, columns: "
    "insulated}\n"
    "initial: {kind: uniform, value: 3}\nequation: {kind: diffusion, coefficient: 0.2}\n"
    "time: {steps: 5}\noutput: {fields: [field, laplacian], integrals: {area: 0 * field + 1}}\n";

std::string plate_with(const std::string& mask, const std::string& more = "") {
  std::string text = plate;
  return text.replace(text.find("MASK"), 4, "'" + mask + "'") + more;
}

std::string mask_mistake(const std::string& text) {
  try {
    RunConfig run = masked_run(text);
    resolve_mask(run);
    load_coefficients(run);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a mask that every cell is inside costs nothing") {
  RunConfig all = masked_run(plate_with("1 + x"));
  CHECK(resolve_mask(all).empty());
  CHECK(!all.mask);
  const Model made(all);
  CHECK(is_plane_diffusion(make_problem<float>(made, {})));
  CHECK(made.step.stages.front().tree == diffusion_tree(2, 0.2));
  RunConfig some = masked_run(plate_with("x"));
  CHECK(resolve_mask(some).empty());
  CHECK(some.mask);
  CHECK(!is_plane_diffusion(make_problem<float>(Model(some), load_coefficients(some))));
}

TEST_CASE("wrong masks are said by name") {
  CHECK(mask_mistake(plate_with("0 * x")) ==
        "grid.mask: is 0 in every cell (expected another number in the cells inside)");
  CHECK(mask_mistake(plate_with("1 / x")) ==
        "grid.mask: the value at row 0, column 0 is inf (expected 0 outside and other finite "
        "numbers inside)");
  CHECK(test::has(mask_mistake(plate_with("u")), "grid.mask: unknown name u"));
  CHECK(test::has(mask_mistake(plate_with("laplacian(x)")),
                  "grid.mask: laplacian has no meaning here"));
  CHECK(test::has(mask_mistake(plate_with("x", "filters: [{name: smooth, kernel: box}]\n")),
                  "filters: found a filter on a grid with grid.mask"));
  CHECK(test::has(mask_mistake(plate_with("x", "compute: {engine: spectral}\n")),
                  "found spectral, which cannot step this: the grid has a mask (grid.mask)"));
  std::string text = plate_with("x");
  text.replace(text.find("columns: insulated"), 18, "columns: insulated, mask: {v: {value: 1}}");
  CHECK(test::has(mask_mistake(text), "boundary.mask: found a condition for v, which is no field"));
  text = plate_with("x");
  text.replace(text.find("columns: insulated"), 18, "columns: insulated, mask: {value: random}");
  CHECK(test::has(mask_mistake(text), "boundary.mask: random has no meaning at a face"));
  text.replace(text.find("{value: random}"), 15, "{value: }");
  CHECK(test::has(mask_mistake(text), "boundary.mask"));
  text = plate_with("x");
  text.replace(text.find(", mask: {formula: 'x'}"), 22, "");
  text.replace(text.find("columns: insulated"), 18, "columns: insulated, mask: zero");
  CHECK(test::has(mask_mistake(text), "boundary.mask: given without grid.mask"));
  text = plate_with("x");
  text.replace(text.find("integrals"), 9, "probes: {at: {here: [0, 0]}}, integrals");
  CHECK(mask_mistake(text) ==
        "output.probes: at.here: found [0, 0], outside of grid.mask (expected a cell inside)");
}

TEST_CASE("cells inside that no cell inside is beside are counted") {
  RunConfig run = masked_run(plate_with("where(abs(x - 2) + abs(y - 3) < 0.5, 1, x > 6)"));
  CHECK(resolve_mask(run) ==
        "grid.mask: 1 cell inside has no cell inside beside it, the first at row 3, column 2");
  RunConfig two = masked_run(plate_with("where((x - 2) * (x - 5) == 0, y == 1, x > 6)"));
  CHECK(resolve_mask(two) ==
        "grid.mask: 2 cells inside have no cell inside beside them, the first at row 1, column 2");
}

TEST_CASE("diagnostics and outputs leave cells outside out") {
  const RunConfig run = masked_run(plate_with("x > 2.5"));
  const Model model(run);
  const CoefficientFields coefficients = load_coefficients(run);
  const auto problem = make_problem<float>(model, coefficients);
  const auto backend = make_backend<float>("cpu", "interpreted", problem, 1);
  backend->set_derived(planned_outputs(model, problem));
  set_initial_state(*backend, run, coefficients, {});
  backend->advance(5);
  const auto capture = backend->capture(true);
  const Captured<float> captured = capture.wait();
  const Diagnostics found = compute_diagnostics(captured, run);
  CHECK(found.fields.front().min == 3);
  CHECK(found.fields.front().max == 3);
  CHECK(found.fields.front().mean == 3);
  CHECK(found.fields.front().mass == 3 * 48);
  CHECK(found.fields.front().l2 == std::sqrt(9.0 * 48));
  CHECK(found.integrals.front() == 48);
  for (const OutputDataset& dataset : model.outputs)
    for (std::int64_t i = 0; i < run.shape.cells(); ++i)
      CHECK(dataset_values(dataset, captured)[i] == (i % 9 < 3 ? static_cast<float>(fill_value)
                                                     : dataset.name == "field" ? 3
                                                                               : 0));
  CHECK(captured.field(0)[0] == 0);
}

TEST_CASE("the digest of an equation knows the mask and its condition") {
  const auto digest = [](const std::string& text) {
    const RunConfig run = masked_run(text);
    return equation_digest(Model(run), load_coefficients(run));
  };
  const std::uint64_t one = digest(plate_with("x > 2.5"));
  CHECK(one == digest(plate_with("where(x > 2.1, 5, 0)")));
  CHECK(one != digest(plate_with("x > 3.5")));
  std::string held = plate_with("x > 2.5");
  held.replace(held.find("columns: insulated"), 18, "columns: insulated, mask: {value: 1}");
  CHECK(one != digest(held));
}

TEST_CASE("stable steps are those of the cells inside") {
  const auto stable = [](const std::string& mask) {
    const RunConfig run = masked_run(
        "grid: {shape: [24, 25], mask: {formula: " + mask +
        "}}\nparameters: {k: {formula: 'where(x < 6, 100, 1)'}}\nequation: {kind: formula, field: "
        "divergence(k * gradient(field))}\nboundary: insulated\ninitial: {kind: formula, formula: "
        "random}\ntime: {step: 0.001, steps: 1}\ncompute: {precision: float64}\n");
    return *find_stable_step(run, make_system(run), [&] { return load_state_fields(run); }).largest;
  };
  CHECK(stable("x > 8") == doctest::Approx(0.25).epsilon(0.05));
  CHECK(stable("x < 20") < 0.003);
  const RunConfig constant = masked_run(plate_with("x > 3"));
  CHECK(*stable_limit(constant, make_system(constant)) == doctest::Approx(0.25));
}

TEST_CASE("a step's error is that of the cells inside") {
  const std::string rest =
      "fields: [u]\nequation: {kind: formula, u: 'where(x < 4, exp(20 * t), laplacian(u))'}\n"
      "boundary: insulated\ninitial: {kind: formula, formula: sin(x)}\ntime: {scheme: bs23, step: "
      "0.1, steps: 1, tolerance: 1e-6}\ncompute: {precision: float64}\n";
  const auto mask_error = [&](const std::string& mask) {
    const RunConfig run = masked_run("grid: {shape: [9, 20]" + mask + "}\n" + rest);
    const CoefficientFields coefficients = load_coefficients(run);
    const auto backend = make_backend<double>("cpu", "interpreted",
                                              make_problem<double>(Model(run), coefficients), 1);
    set_initial_state(*backend, run, coefficients, {});
    backend->set_clock({.step = 0.1, .start = 0, .start_step = 0});
    backend->advance(1);
    return largest_error(*backend, 1);
  };
  const double all = mask_error(""), inside = mask_error(", mask: {formula: x > 5}");
  CHECK(inside > 0);
  CHECK(inside < all / 100);
}

TEST_CASE("a mean is kept between insulated mask boundaries, and not where they hold a value") {
  RunConfig run = masked_run(plate_with("x > 2.5"));
  CHECK(keeps_means(run) == std::vector{true});
  run.mask_conditions = {{.kind = ConditionKind::value, .value = "2", .of_mask = true}};
  CHECK(keeps_means(run) == std::vector{false});
}
