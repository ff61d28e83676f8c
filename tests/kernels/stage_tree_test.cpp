// Stage trees and the reference engine, which interprets them, against plain loops.
#include "kernels/stages/stage_tree.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <vector>

#include "kernels/fields/digest.hpp"
#include "kernels/stages/rare_parts.hpp"
#include "tests/test_field.hpp"

namespace lapl {
namespace {

// A value of a field at indices from -1 to size, by the conditions of columns, then rows, then
// planes.
template <class T>
T with_ghosts(const Problem<T>& problem, const T* field, std::int64_t plane, std::int64_t row,
              std::int64_t column) {
  const Shape shape = problem.shape;
  const auto condition = [](const AxisFaces<T>& faces, std::int64_t index, std::int64_t size,
                            const auto& value) {
    if (index >= 0 && index < size) return value(index);
    if (faces.wrap()) return value((index + size) % size);
    const Face<T>& face = index < 0 ? faces.first : faces.last;
    return std::fma(face.b, value(index < 0 ? 0 : size - 1), face.a);
  };
  return condition(problem.faces.front().planes, plane, shape.planes, [&](std::int64_t k) {
    return condition(problem.faces.front().rows, row, shape.rows, [&](std::int64_t j) {
      return condition(problem.faces.front().columns, column, shape.columns, [&](std::int64_t i) {
        return field[(k * shape.rows + j) * shape.columns + i];
      });
    });
  });
}

// Computes of(value) at every cell; value(plane, row, column) takes offsets from the cell.
template <class T, class Of>
std::vector<T> at_every_cell(const Problem<T>& problem, const T* field, Of of) {
  std::vector<T> result;
  for (std::int64_t index = 0; index < problem.shape.cells(); ++index) {
    const Cell cell = cell_at(problem.shape, index);
    result.push_back(of([&](int plane, int row, int column) {
      return with_ghosts(problem, field, cell.plane + plane, cell.row + row, cell.column + column);
    }));
  }
  return result;
}

template <class T>
std::vector<T> after_one_step(const Problem<T>& problem, const std::vector<T>& state) {
  std::vector<T> found;
  for (const char* const engine : {"reference", "interpreted", "threaded", "blocked"}) {
    const auto backend = make_backend<T>("cpu", engine, problem, 2);
    backend->settle();
    backend->set_state(state);
    backend->advance(1);
    const auto capture = backend->capture();
    const Captured<T> captured = capture.wait();
    CHECK(captured.digest == field_digest(captured.state));
    if (!found.empty()) CHECK(test::same_bits<T>(found, captured.state));
    found.assign(captured.state.begin(), captured.state.end());
  }
  return found;
}

template <class T>
std::vector<AxisFaces<T>> some_conditions() {
  return {Boundary::zero, Boundary::insulated, Boundary::periodic,
          AxisFaces<T>(Face<T>{T(0.5), T(-1)}, Face<T>{T(2), T(0.25)})};
}

constexpr Shape row_of_cells(std::int64_t columns) {
  return {.rows = 1, .columns = columns, .planes = 1, .axes = 1};
}
constexpr Shape box(std::int64_t planes, std::int64_t rows, std::int64_t columns) {
  return {.rows = rows, .columns = columns, .planes = planes, .axes = 3};
}

}  // namespace

TEST_CASE("a tree of sixteen times the operations takes far less than 256 times as long to write") {
  const auto seconds = [](int operations) {  // processor time in seconds, the least of three trials
    std::clock_t least = 0;
    for (int trial = 0; trial < 3; ++trial) {
      const std::clock_t start = std::clock();
      StageTree tree;
      for (int i = 0; i < operations; ++i) tree.number(i);
      const std::clock_t taken = std::clock() - start;
      least = trial == 0 ? taken : std::min(least, taken);
    }
    return static_cast<double>(least) / CLOCKS_PER_SEC;
  };
  // A processor's clock may advance in ticks of milliseconds, so that little work takes no time.
  CHECK(seconds(32'000) < 110 * std::max(seconds(2000), 0.001));
}

TEST_CASE_TEMPLATE("one axis: the reference engine steps a row as the canon says" *
                       doctest::test_suite("moderate"),
                   T, float, double) {
  for (const std::int64_t columns : {1, 2, 31, 512, 513, 1100})
    for (const AxisFaces<T>& faces : some_conditions<T>()) {
      const auto problem =
          test::diffusion<T>(row_of_cells(columns), {Boundary::zero, faces}, T(0.4));
      const auto field = test::random_field<T>(problem.shape);
      const auto expected = at_every_cell(problem, field.data(), [](const auto& value) {
        const T difference = std::fma(T(-2), value(0, 0, 0), value(0, 0, -1) + value(0, 0, 1));
        return std::fma(T(0.4), difference, value(0, 0, 0));
      });
      CHECK(after_one_step(problem, field) == expected);
    }
}

TEST_CASE_TEMPLATE("three axes: the reference engine steps a box as the canon says", T, float,
                   double) {
  for (const Shape shape : {box(1, 1, 1), box(2, 3, 5), box(7, 1, 9), box(3, 4, 515)})
    for (const AxisFaces<T>& planes : some_conditions<T>())
      for (const AxisFaces<T>& columns : some_conditions<T>()) {
        const auto problem =
            test::diffusion<T>(shape, {Boundary::insulated, columns, planes}, T(0.15));
        const auto field = test::random_field<T>(shape);
        const auto expected = at_every_cell(problem, field.data(), [](const auto& value) {
          const T centre = value(0, 0, 0);
          const T in_plane =
              (value(0, 0, -1) + value(0, 0, 1)) + (value(0, -1, 0) + value(0, 1, 0));
          const T difference = std::fma(T(-4), centre, in_plane) +
                               std::fma(T(-2), centre, value(-1, 0, 0) + value(1, 0, 0));
          return std::fma(T(0.15), difference, centre);
        });
        CHECK(after_one_step(problem, field) == expected);
      }
}

TEST_CASE(
    "two fields and corners: each field is made from both, and one is stored after the other" *
    doctest::test_suite("moderate")) {
  StageTree tree;
  const int u = tree.value(0, {}), corner = tree.value(1, {.row = -1, .column = 1});
  const int square = tree.operate(Operation::fused_multiply_add, u, u, tree.number(1.5));
  tree.results = {
      tree.operate(Operation::sum, square, corner),
      tree.operate(Operation::fused_multiply_add, tree.number(-2), u, tree.number(0.3))};
  for (const AxisFaces<double>& rows : some_conditions<double>())
    for (const AxisFaces<double>& columns : some_conditions<double>()) {
      const auto problem = problem_of_stage<double>({5, 7}, {rows, columns}, tree);
      REQUIRE(problem.step_fields == 2);
      const auto state = test::random_field<double>({2 * 5, 7});
      auto expected = at_every_cell(problem, state.data() + 35,
                                    [](const auto& value) { return value(0, -1, 1); });
      for (std::size_t i = 0; i < 35; ++i) expected[i] += std::fma(state[i], state[i], 1.5);
      for (std::size_t i = 0; i < 35; ++i) expected.push_back(std::fma(-2.0, state[i], 0.3));
      CHECK(after_one_step(problem, state) == expected);
    }
}

TEST_CASE(
    "a tree knows its radius, its arithmetic, and whether it is linear, homogeneous and "
    "symmetric") {
  for (const int axes : {1, 2, 3}) {
    const StageProperties diffusion = stage_properties(diffusion_tree(axes, 0.1));
    CHECK(diffusion.arithmetic == (axes == 3 ? 8 : 2 * axes + 1));
    CHECK(diffusion.radius == 1);
    CHECK(diffusion.linear);
    CHECK(diffusion.homogeneous);
    CHECK(diffusion.mirror_symmetric);
  }
  const auto of = [](auto make) {
    StageTree tree;
    tree.results = {make(tree)};
    return stage_properties(tree);
  };
  const auto decay = of([](StageTree& t) {
    return t.operate(Operation::fused_multiply_add, t.number(0.5), t.value(0, {}), t.value(0, {}));
  });
  CHECK(decay.radius == 0);
  CHECK(decay.homogeneous);
  const auto source =
      of([](StageTree& t) { return t.operate(Operation::sum, t.value(0, {}), t.number(1)); });
  CHECK(source.linear);
  CHECK_FALSE(source.homogeneous);
  CHECK(source.mirror_symmetric);
  const auto square = of([](StageTree& t) {
    return t.operate(Operation::fused_multiply_add, t.value(0, {}), t.value(0, {}), t.number(0));
  });
  CHECK_FALSE(square.linear);
  CHECK(square.mirror_symmetric);
  const auto upwind = of([](StageTree& t) {
    return t.operate(Operation::sum, t.value(0, {}), t.value(0, {.row = -1}));
  });
  CHECK(upwind.homogeneous);
  CHECK_FALSE(upwind.mirror_symmetric);
  // (left + centre) + right and (right + centre) + left round differently.
  const auto uneven = of([](StageTree& t) {
    const int left = t.operate(Operation::sum, t.value(0, {.column = -1}), t.value(0, {}));
    return t.operate(Operation::sum, left, t.value(0, {.column = 1}));
  });
  CHECK_FALSE(uneven.mirror_symmetric);
}

TEST_CASE("a tree keeps -0 and 0 apart") {
  const auto sum_with = [](double number) {
    StageTree tree;
    const int centre = tree.value(0, {});
    tree.results = {tree.operate(Operation::sum, centre, tree.number(number))};
    return tree;
  };
  CHECK(sum_with(0) == sum_with(0));
  CHECK(!(sum_with(0) == sum_with(-0.0)));
  CHECK(!same_results(sum_with(0), sum_with(-0.0)));
  StageTree both;
  for (const double number : {0.0, -0.0, 0.0}) both.number(number);
  CHECK(both.operations.size() == 2);
}

TEST_CASE("rows of diffusion on three axes are compiled ahead, also where a formula states it") {
  const auto problem = problem_of_stage<float>(box(4, 5, 70), {}, diffusion_tree(3, 0.1));
  CHECK(is_volume_diffusion(problem));
  CHECK_FALSE(is_plane_diffusion(problem));
  CHECK(make_backend<float>("cpu", "blocked", problem, 1)->description().reason ==
        "compute.engine asks for it");  // only compiled code will
  CHECK(make_backend<float>("cpu", "auto", problem, 1)->description().engine == "blocked");
  const auto field = test::random_field<float>(problem.shape);
  const auto after = [&](const Problem<float>& of) {
    return test::stepped<float>("cpu", "blocked", of, field, 15).field;
  };
  CHECK(after(problem) == after(test::diffusion<float>(problem.shape, {}, 0.1f)));
  auto other = problem;
  other.stages.front().tree.results = {0};
  CHECK_FALSE(is_volume_diffusion(other));
  CHECK_FALSE(is_volume_diffusion(test::diffusion<float>({8, 8}, {}, 0.2f)));
}

TEST_CASE("only diffusion on two axes is compiled ahead, also where a formula states it") {
  auto problem = test::diffusion<float>({8, 8}, {}, 0.2f);
  CHECK(plane_diffusion_coefficient(problem) == 0.2f);
  problem.stages.front().tree.results = {0};
  CHECK_FALSE(is_plane_diffusion(problem));
  CHECK_THROWS_AS(plane_diffusion_stage(problem), EngineUnsuitable);
}

TEST_CASE("diffusion whose faces extend no grid is compiled at run time, so that it streams") {
  for (const Boundary boundary : {Boundary::zero, Boundary::insulated, Boundary::periodic})
    for (const char* const engine : {"auto", "streaming", "resident"})
      CHECK_FALSE(is_compiled_at_run_time(
          test::diffusion<float>({8, 8}, {boundary, boundary}, 0.2f), engine));
  for (const Face<float> face : {Face<float>{2, 0}, Face<float>{0.5f, 1}, Face<float>{0, 0.3f}}) {
    auto problem = test::diffusion<float>({8, 8}, {}, 0.2f);
    problem.faces.front().columns.last = face;
    for (const char* const engine : {"auto", "streaming", "resident", "tile"})
      CHECK(is_compiled_at_run_time(problem, engine));
  }
}

TEST_CASE("what only cells at sides need is left out elsewhere") {
  // Both sides need the same part; a cell beside the side reads what a choice leaves.
  StageTree tree;
  const int here = tree.value(0, {});
  int part = here;
  for (int i = 0; i < 30; ++i)
    part = tree.operate(Operation::fused_multiply_add, part, here, tree.number(i));
  const int x = tree.position(2, {});
  const int at_first = tree.operate(Operation::is_less, x, tree.number(0.5)),
            at_last = tree.operate(Operation::is_less, tree.number(7.5), x);
  const int left = tree.value(0, {0, 0, -1}), right = tree.value(0, {0, 0, 1});
  tree.results = {tree.operate(Operation::sum,
                               tree.operate(Operation::choice, at_first, part, left),
                               tree.operate(Operation::choice, at_last, part, right))};
  const RareParts parts = rare_parts(tree);
  CHECK(parts.where_true.size() == 2);
  CHECK(parts.where_false.empty());
  CHECK(without_unused(parts.common).operations.size() == 3);
  CHECK(parts.deciding[at_first]);
  CHECK_FALSE(parts.deciding[part]);
  CHECK_FALSE(parts.needed[part]);
  // Every cell needs the part.
  tree.results.push_back(part);
  CHECK_FALSE(rare_parts(tree).any());
}

TEST_CASE("shapes and cells have a text for each number of axes") {
  CHECK(shape_text(row_of_cells(7)) == "7");
  CHECK(shape_text(Shape{3, 7}) == "3 x 7");
  CHECK(shape_text(box(2, 3, 7)) == "2 x 3 x 7");
  for (const Shape shape : {row_of_cells(7), Shape{3, 7}, box(2, 3, 7)})
    CHECK(Shape::of(shape.extents()) == shape);
  CHECK(place_text(cell_at(row_of_cells(7), 4), 1) == "column 4");
  CHECK(place_text(cell_at({3, 7}, 11), 2) == "row 1, column 4");
  CHECK(place_text(cell_at(box(2, 3, 7), 32), 3) == "plane 1, row 1, column 4");
}

}  // namespace lapl
