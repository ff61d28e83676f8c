// Diffusion, as equation.kind, on one and three axes with equal and different spacings: eigenmodes,
// order, mirror symmetry, and indices beyond 32 bits.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "kernels/backend.hpp"
#include "solver/equation/equation.hpp"
#include "solver/initial_field.hpp"
#include "solver/make_problem.hpp"
#include "solver/outputs.hpp"
#include "solver/statistics.hpp"
#include "tests/solver/computed_field.hpp"
#include "tests/test_field.hpp"

using namespace lapl;

namespace {

RunConfig diffusion_on(Shape shape, const Spacing& spacing) {
  RunConfig config;
  config.shape = shape;
  config.spacing = spacing;
  config.equation.coefficient = 0.9 * largest_stable_coefficient(shape.axes);
  return config;
}

template <class T>
std::vector<T> after(const RunConfig& config, const std::vector<T>& start, std::int64_t steps,
                     const std::string& engine) {
  const auto backend = make_backend<T>("cpu", engine, make_problem<T>(Model(config), {}), 2);
  backend->set_state(start);
  backend->advance(steps);
  return copy_of_state(*backend);
}

template <class T>
std::vector<T> mirrored(const std::vector<T>& field, Shape shape, std::size_t axis) {
  std::vector<T> turned(field.size());
  for (std::int64_t i = 0; i < shape.cells(); ++i) {
    Cell cell = cell_at(shape, i);
    if (axis == 0) cell.plane = shape.planes - 1 - cell.plane;
    if (axis == 1) cell.row = shape.rows - 1 - cell.row;
    if (axis == 2) cell.column = shape.columns - 1 - cell.column;
    turned[static_cast<std::size_t>(cell_index(shape, cell))] = field[static_cast<std::size_t>(i)];
  }
  return turned;
}

const std::vector<std::pair<Shape, Spacing>>& grids() {
  static const std::vector<std::pair<Shape, Spacing>> all = {
      {{.rows = 1, .columns = 13, .planes = 1, .axes = 1}, 0.5},
      {{.rows = 9, .columns = 8, .planes = 1, .axes = 2},
       Spacing::of(std::vector<double>{0.5, 0.3})},
      {{.rows = 7, .columns = 8, .planes = 6, .axes = 3}, 0.3},
      {{.rows = 7, .columns = 8, .planes = 6, .axes = 3},
       Spacing::of(std::vector<double>{0.5, 1, 0.25})}};
  return all;
}

}  // namespace

TEST_CASE_TEMPLATE("eigenmodes decay as they must on one to three axes", T, float, double) {
  for (const auto& grid : grids())
    for (const Boundary planes : test::all_boundaries)
      for (const Boundary rows : test::all_boundaries)
        for (const Boundary columns : test::all_boundaries) {
          const Shape shape = grid.first;
          if ((shape.axes < 3 && planes != Boundary::zero) ||
              (shape.axes < 2 && rows != Boundary::zero))
            continue;
          RunConfig config = diffusion_on(shape, grid.second);
          config.initial.kind = InitialKind::sine;
          config.initial.mode = {3, 2, 4};
          config.boundaries = {rows, columns, planes};
          const auto initial = test::computed_field(config);
          const double dt = step_seconds(config);  // with a diffusivity of 1
          const std::array boundaries = {planes, rows, columns};
          double rate = 0;
          for (std::size_t axis = 3 - static_cast<std::size_t>(shape.axes); axis < 3; ++axis)
            rate += test::eigenvalue(boundaries[axis], config.initial.mode[axis],
                                     by_axis(shape)[axis]) /
                    (config.spacing.by_axis[axis] * config.spacing.by_axis[axis]);
          constexpr std::int64_t steps = 40;
          std::vector<double> exact = initial;
          for (double& value : exact) value *= std::pow(1 - dt * rate, steps);
          const std::vector<T> start(initial.begin(), initial.end());
          const auto found = after<T>(config, start, steps, "interpreted");
          CHECK(test::largest_difference(found, exact) <= 2 * test::rounding_gate<T>(steps, 1));
        }
}

TEST_CASE("the Laplacian is of second order on three axes with spacings that differ") {
  const auto error = [](std::int64_t n) {
    const double turn = 2 * std::numbers::pi;
    RunConfig config = diffusion_on({.rows = 2 * n, .columns = n, .planes = 3 * n, .axes = 3}, 1);
    config.spacing =
        Spacing::of(std::vector{turn / static_cast<double>(3 * n),
                                turn / static_cast<double>(2 * n), turn / static_cast<double>(n)});
    config.boundaries = {Boundary::periodic, Boundary::periodic, Boundary::periodic};
    const Model model(config);
    const auto problem = make_problem<double>(model, {});
    const auto backend = make_backend<double>("cpu", "interpreted", problem, 2);
    backend->set_derived(planned_outputs(model, problem));
    std::vector<double> field, exact;
    for (std::int64_t i = 0; i < config.shape.cells(); ++i) {
      const auto place = by_axis(cell_at(config.shape, i));
      const auto at = [&](std::size_t axis) {
        return static_cast<double>(place[axis]) * config.spacing.by_axis[axis];
      };
      field.push_back(std::sin(at(0)) * std::cos(2 * at(1)) * std::sin(at(2) + 1));
      exact.push_back(-6 * field.back());
    }
    backend->set_state(field);
    return test::largest_difference(test::stepped_state(*backend).laplacian, exact);
  };
  const double coarse = error(8), fine = error(16);
  CHECK(coarse / fine == doctest::Approx(4).epsilon(0.05));
}

TEST_CASE_TEMPLATE("a mirrored field stays mirrored to the bit, along each axis", T, float,
                   double) {
  for (const auto& grid : grids())
    for (const Boundary boundary : test::all_boundaries) {
      RunConfig config = diffusion_on(grid.first, grid.second);
      config.boundaries = {boundary, boundary, boundary};
      const auto start = test::random_field<T>(config.shape);
      const auto stepped = after<T>(config, start, 20, "reference");
      CHECK(test::same_bits<T>(stepped, after<T>(config, start, 20, "interpreted")));
      for (std::size_t axis = 3 - static_cast<std::size_t>(grid.first.axes); axis < 3; ++axis)
        CHECK(test::same_bits<T>(
            mirrored(stepped, config.shape, axis),
            after<T>(config, mirrored(start, config.shape, axis), 20, "reference")));
    }
}

TEST_CASE("indices of a grid of more than 2^31 cells are right") {
  const Shape shape{.rows = 2048, .columns = 2048, .planes = 2048, .axes = 3};
  CHECK(shape.cells() == std::int64_t{1} << 33);
  const Cell last = cell_at(shape, shape.cells() - 1);
  CHECK(by_axis(last) == std::array<std::int64_t, 3>{2047, 2047, 2047});
  CHECK(cell_index(shape, last) == shape.cells() - 1);
  CHECK(cell_index(shape, Cell::of(std::vector<std::int64_t>{1024, 0, 1})) ==
        (std::int64_t{1} << 32) + 1);
  CHECK(cell_volume(shape, Spacing::of(std::vector<double>{2, 3, 5})) == 30);
}
