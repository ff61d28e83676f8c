// The engine "tile" against the CPU's reference engine, to the bit.
#include <doctest/doctest.h>

#include <limits>

#include "tests/cuda/need_cuda.hpp"
#include "tests/test_field.hpp"

using namespace lapl;

namespace {

template <class T>
void check_same_state(Backend<T>& found, Backend<T>& expected) {
  const auto a = test::state_of(found), b = test::state_of(expected);
  REQUIRE(test::same_bits<T>(a.field, b.field));
  REQUIRE(test::same_bits<T>(a.laplacian, b.laplacian));
  REQUIRE(a.digest == b.digest);
}

// Sizes about the tile (64 x 128 or 32 x 64), the warp's rows (8 or 4) and the lane's columns (4
// or 2); single rows, columns and cells; primes.
constexpr Shape awkward_shapes[] = {
    {1, 1},   {1, 2},    {2, 1},    {2, 2},    {3, 5},     {7, 4},     {8, 3},
    {9, 9},   {1, 127},  {1, 128},  {1, 1009}, {127, 1},   {1009, 1},  {31, 33},
    {33, 31}, {32, 64},  {64, 128}, {63, 127}, {65, 129},  {129, 126}, {127, 130},
    {8, 521}, {97, 255}, {130, 65}, {72, 257}, {128, 256},
};

}  // namespace

TEST_CASE_TEMPLATE("tile equals the reference after each of 40 steps, at any size and boundary", T,
                   float, double) {
  test::need_cuda();
  for (const Shape shape : awkward_shapes)
    for (const Boundary rows : test::all_boundaries)
      for (const Boundary columns : test::all_boundaries) {
        CAPTURE(shape.rows);
        CAPTURE(shape.columns);
        CAPTURE(static_cast<int>(rows));
        CAPTURE(static_cast<int>(columns));
        const Problem<T> problem{shape, {rows, columns}, T(0.23), T(0.7)};
        const auto field = test::random_field<T>(shape);
        const auto tile = make_backend<T>("cuda", "tile", problem, 1);
        const auto reference = make_backend<T>("cpu", "reference", problem, 1);
        tile->set_state(field);
        reference->set_state(field);
        check_same_state(*tile, *reference);
        for (int step = 1; step <= 40; ++step) {
          tile->advance(1);
          reference->advance(1);
          tile->capture(false);
          reference->capture(false);
          CAPTURE(step);
          REQUIRE(tile->captured().digest == reference->captured().digest);
        }
        check_same_state(*tile, *reference);
      }
}

TEST_CASE_TEMPLATE("tile gives the same bits however steps are shared out among calls", T, float,
                   double) {
  test::need_cuda();
  const Shape shape{70, 131};
  const auto field = test::random_field<T>(shape);
  const std::vector<std::vector<std::int64_t>> splits = {
      {1000}, {64}, {63, 64}, {1, 64}, {1, 65, 130}, {128, 1, 1}, {0, 3, 0, 200}, {1, 1, 1, 127}};
  for (const auto& split : splits) {
    const Problem<T> problem{shape, {Boundary::periodic, Boundary::insulated}, T(0.25), T(1)};
    const auto tile = make_backend<T>("cuda", "tile", problem, 1);
    const auto reference = make_backend<T>("cpu", "reference", problem, 1);
    tile->set_state(field);
    reference->set_state(field);
    for (const std::int64_t steps : split) {
      tile->advance(steps);
      reference->advance(steps);
    }
    CAPTURE(split.size());
    CAPTURE(split.front());
    check_same_state(*tile, *reference);
  }
}

TEST_CASE_TEMPLATE("what was in memory before does not matter", T, float, double) {
  test::need_cuda();
  const Shape shape{61, 67};
  for (const Boundary boundary : test::all_boundaries) {
    const Problem<T> problem{shape, {boundary, boundary}, T(0.25), T(1)};
    const auto field = test::random_field<T>(shape);
    const auto tile = make_backend<T>("cuda", "tile", problem, 1);
    const std::vector<T> poison(field.size(), std::numeric_limits<T>::quiet_NaN());
    tile->set_state(poison);
    tile->advance(3);
    tile->set_state(field);
    tile->advance(12);
    const auto expected = test::stepped<T>("cpu", "reference", problem, field, 12);
    CHECK(test::same_bits<T>(test::state_of(*tile).field, expected.field));
  }
}

TEST_CASE("tile equals the reference on 8 x 1000003 cells") {
  test::need_cuda();
  const Shape shape{8, 1000003};
  const auto field = test::random_field<float>(shape);
  for (const Boundary boundary : {Boundary::zero, Boundary::periodic}) {
    const Problem<float> problem{shape, {boundary, boundary}, 0.25f, 1.f};
    CHECK(test::stepped<float>("cuda", "tile", problem, field, 3).digest ==
          test::stepped<float>("cpu", "reference", problem, field, 3).digest);
  }
}
