// The blocked engine at the ends of its tiles, slabs and passes, and its tile loops for every
// instruction set, against the reference engine.
#include <doctest/doctest.h>

#include <limits>

#include "tests/kernels/tile_loops.hpp"
#include "tests/kernels/usable_loops.hpp"
#include "tests/test_field.hpp"

using namespace lapl;

namespace {

template <class T>
std::vector<T> expected(const Problem<T>& problem, const std::vector<T>& field,
                        std::int64_t steps) {
  return test::stepped<T>("cpu", "reference", problem, std::span(field), steps).field;
}

}  // namespace

TEST_CASE_TEMPLATE("tiles equal the reference for every instruction set, cut, depth and boundary",
                   T, float, double) {
  struct Case {
    Shape shape;
    std::int64_t bands, pieces, levels, slab;
  };
  const Case cases[] = {
      {{1, 1}, 1, 1, 9, 4},    {{1, 97}, 1, 3, 5, 4},   {{83, 1}, 4, 1, 11, 8},
      {{2, 2}, 2, 2, 64, 4},   {{5, 7}, 1, 1, 33, 128}, {{37, 61}, 1, 1, 1, 4},
      {{40, 300}, 3, 2, 7, 4}, {{64, 64}, 2, 1, 16, 8}, {{29, 523}, 2, 5, 12, 12},
      {{9, 33}, 9, 3, 3, 2},   {{50, 66}, 1, 2, 40, 6}, {{131, 48}, 2, 1, 20, 64},
  };
  const auto all_loops = test::usable_loops<TileLoops<T>>();
  for (const Case& cut : cases)
    for (const Boundary along_rows : test::all_boundaries)
      for (const Boundary along_columns : test::all_boundaries) {
        const Problem<T> problem =
            test::diffusion<T>(cut.shape, {along_rows, along_columns}, T(0.2));
        const auto field = test::random_field<T>(cut.shape);
        const auto after = expected(problem, field, cut.levels);
        for (const TileLoops<T>* loops : all_loops) {
          CAPTURE(loops->lanes);
          CAPTURE(cut.shape.rows);
          CAPTURE(cut.shape.columns);
          CAPTURE(cut.levels);
          const auto found =
              test::one_pass(*loops, problem, field, cut.bands, cut.pieces, cut.levels, cut.slab);
          REQUIRE(test::same_bits<T>(found, after));
        }
      }
}

TEST_CASE_TEMPLATE("tiles of every width equal the reference" * doctest::test_suite("moderate"), T,
                   float, double) {
  for (const TileLoops<T>* loops : test::usable_loops<TileLoops<T>>())
    for (std::int64_t columns = 1; columns <= 2 * loops->lanes * loops->lanes + 3; ++columns)
      for (const Boundary boundary : {Boundary::zero, Boundary::periodic}) {
        const Problem<T> problem =
            test::diffusion<T>({7, columns}, {Boundary::insulated, boundary}, T(0.25));
        const auto field = test::random_field<T>(problem.shape);
        CAPTURE(loops->lanes);
        CAPTURE(columns);
        REQUIRE(test::same_bits<T>(test::one_pass(*loops, problem, field, 1, 1, 3, 4),
                                   expected(problem, field, 3)));
      }
}

TEST_CASE_TEMPLATE("the blocked engine equals the reference after any number of steps" *
                       doctest::test_suite("moderate"),
                   T, float, double) {
  for (const Shape shape : {Shape{1, 1}, Shape{67, 61}, Shape{16, 700}})
    for (const Boundary along_rows : test::all_boundaries)
      for (const Boundary along_columns : test::all_boundaries) {
        const Problem<T> problem = test::diffusion<T>(shape, {along_rows, along_columns}, T(0.25));
        const auto field = test::random_field<T>(shape);
        const auto backend = make_backend<T>("cpu", "blocked", problem, 3);
        auto after = field;
        for (std::int64_t steps = 0; steps <= 40; ++steps) {
          CAPTURE(shape.columns);
          CAPTURE(steps);
          backend->set_state(field);
          backend->advance(steps);
          REQUIRE(test::same_bits<T>(test::stepped_state(*backend).field, after));
          after = expected(problem, after, 1);
        }
      }
}

TEST_CASE_TEMPLATE("the blocked engine equals the reference for any number of threads" *
                       doctest::test_suite("moderate"),
                   T, float, double) {
  for (const Shape shape : {Shape{301, 257}, Shape{3, 20011}, Shape{5003, 9}, Shape{150, 4500}}) {
    const Problem<T> problem =
        test::diffusion<T>(shape, {Boundary::insulated, Boundary::periodic}, T(0.2));
    const auto field = test::random_field<T>(shape);
    const auto after = expected(problem, field, 75);
    for (const int threads : {1, 2, 5, 16}) {
      CAPTURE(shape.rows);
      CAPTURE(threads);
      CHECK(test::same_bits<T>(
          test::stepped<T>("cpu", "blocked", problem, field, 75, threads).field, after));
    }
  }
}

TEST_CASE_TEMPLATE("a value that is not finite spreads as in the reference engine", T, float,
                   double) {
  const Shape shape{30, 90};
  for (const Boundary boundary : test::all_boundaries) {
    const Problem<T> problem = test::diffusion<T>(shape, {boundary, boundary}, T(0.2));
    auto field = test::random_field<T>(shape);
    field[0] = std::numeric_limits<T>::quiet_NaN();
    const auto found = test::stepped<T>("cpu", "blocked", problem, field, 6).field;
    const auto after = expected(problem, field, 6);
    for (std::size_t i = 0; i < after.size(); ++i)
      REQUIRE(std::isfinite(found[i]) == std::isfinite(after[i]));
  }
}
