// The resident engine is bit-identical to the CPU's reference engine.
#include <doctest/doctest.h>

#include "kernels/error.hpp"
#include "tests/cuda/engine_properties.hpp"

using namespace lapl;

namespace {

// Grids of one and of several tiles. A tile has up to 112 columns, and on a small grid 32, 80, 128
// (double) or 144 (float) rows; a lane has 4 columns; the halo is 8 cells deep.
constexpr Shape shapes[] = {
    {1, 1},    {1, 2},    {2, 1},     {3, 5},     {7, 9},     {8, 8},    {17, 15},
    {1, 1009}, {1009, 1}, {32, 112},  {33, 113},  {31, 111},  {64, 224}, {65, 225},
    {40, 114}, {97, 115}, {129, 226}, {250, 341}, {401, 337},
};

}  // namespace

TEST_CASE_TEMPLATE("resident equals the reference at any size, boundary and number of steps", T,
                   float, double) {
  test::need_cuda();
  test::check_equals_reference<T>("resident", shapes, {1, 2, 7, 8, 9, 16, 17, 40});
}

TEST_CASE_TEMPLATE("resident equals tile on grids of every number of rows a warp", T, float,
                   double) {
  test::need_cuda();
  for (const Shape shape : {Shape{512, 509}, Shape{1023, 1026}, Shape{1200, 1250},
                            Shape{1499, 1501}, Shape{2000, 2000}, Shape{2400, 1998}}) {
    if (sizeof(T) == 8 && shape.rows > 2000) continue;
    const auto field = test::random_field<T>(shape);
    for (const Boundary boundary : test::all_boundaries) {
      CAPTURE(shape.rows);
      CAPTURE(static_cast<int>(boundary));
      const Problem<T> problem = test::diffusion<T>(shape, {boundary, boundary}, T(0.25));
      CHECK(test::stepped<T>("cuda", "resident", problem, field, 333).digest ==
            test::stepped<T>("cuda", "tile", problem, field, 333).digest);
    }
  }
}

TEST_CASE_TEMPLATE("resident agrees after many steps, and run by run", T, float, double) {
  test::need_cuda();
  const Problem<T> problem =
      test::diffusion<T>({300, 401}, {Boundary::periodic, Boundary::zero}, T(0.25));
  const auto field = test::random_field<T>(problem.shape);
  const auto expected = test::stepped<T>("cuda", "tile", problem, field, 20003).digest;
  for (int run = 0; run < 5; ++run)
    CHECK(test::stepped<T>("cuda", "resident", problem, field, 20003).digest == expected);
}

TEST_CASE_TEMPLATE("resident does not depend on what was in memory before" *
                       doctest::test_suite("sanitizer"),
                   T, float, double) {
  test::need_cuda();
  test::check_forgets_memory<T>("resident", {161, 237}, 30, 29);
}

TEST_CASE("resident refuses a grid that does not fit, and names the largest that does") {
  test::need_cuda();
  const Problem<float> large = test::diffusion<float>({8192, 8192}, {}, 0.2f);
  CHECK_THROWS_WITH_AS(make_backend<float>("cuda", "resident", large, 1),
                       doctest::Contains("the grid of 8192 x 8192 cells does not fit on the "),
                       DeviceError);
  const Problem<float> wide = test::diffusion<float>({1, 1 << 20}, {}, 0.2f);
  CHECK_THROWS_WITH_AS(make_backend<float>("cuda", "resident", wide, 1),
                       doctest::Contains(" columns"), DeviceError);
}
