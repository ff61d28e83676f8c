// The tile engine is bit-identical to the CPU's reference engine.
#include <doctest/doctest.h>

#include "tests/cuda/engine_properties.hpp"

using namespace lapl;

namespace {

// Sizes around the tile (64 x 128 or 32 x 64), the rows of a warp (8 or 4) and the columns of a
// lane (4 or 2); single rows, columns and cells; primes.
constexpr Shape tile_shapes[] = {
    {1, 1},   {1, 2},    {2, 1},    {2, 2},    {3, 5},     {7, 4},     {8, 3},
    {9, 9},   {1, 127},  {1, 128},  {1, 1009}, {127, 1},   {1009, 1},  {31, 33},
    {33, 31}, {32, 64},  {64, 128}, {63, 127}, {65, 129},  {129, 126}, {127, 130},
    {8, 521}, {97, 255}, {130, 65}, {72, 257}, {128, 256},
};

}  // namespace

TEST_CASE_TEMPLATE("tile equals the reference after each of 40 steps, at any size and boundary", T,
                   float, double) {
  test::need_cuda();
  test::check_equals_reference<T>("tile", tile_shapes, std::vector<std::int64_t>(40, 1));
}

TEST_CASE_TEMPLATE("tile gives the same bits however steps are shared out among calls", T, float,
                   double) {
  test::need_cuda();
  const Shape shape{70, 131};
  const auto field = test::random_field<T>(shape);
  const std::vector<std::vector<std::int64_t>> splits = {
      {1000}, {64}, {63, 64}, {1, 64}, {1, 65, 130}, {128, 1, 1}, {0, 3, 0, 200}, {1, 1, 1, 127}};
  for (const auto& split : splits) {
    const Problem<T> problem =
        test::diffusion<T>(shape, {Boundary::periodic, Boundary::insulated}, T(0.25));
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
    test::check_same_state(*tile, *reference);
  }
}

TEST_CASE_TEMPLATE("tile does not depend on what was in memory before" *
                       doctest::test_suite("sanitizer"),
                   T, float, double) {
  test::need_cuda();
  test::check_forgets_memory<T>("tile", {61, 67}, 3, 12);
}

TEST_CASE("tile equals the reference on 8 x 1000003 cells") {
  test::need_cuda();
  const Shape shape{8, 1000003};
  const auto field = test::random_field<float>(shape);
  for (const Boundary boundary : {Boundary::zero, Boundary::periodic}) {
    const Problem<float> problem = test::diffusion<float>(shape, {boundary, boundary}, 0.25f);
    CHECK(test::stepped<float>("cuda", "tile", problem, field, 3).digest ==
          test::stepped<float>("cpu", "reference", problem, field, 3).digest);
  }
}
