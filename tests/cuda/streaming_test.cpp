// The streaming engine is bit-identical to the CPU's reference engine.
#include <doctest/doctest.h>

#include "tests/cuda/engine_properties.hpp"

using namespace lapl;

namespace {

// Sizes around the columns that a strip writes (232 float, 224 double), the strip's width (256),
// the 12 or 16 steps of a pass, the 3 rows of a turn and the 4 or 2 columns of 16 bytes; grids
// narrower than the halo; single rows, columns and cells.
constexpr Shape awkward_shapes[] = {
    {1, 1},    {1, 2},    {2, 1},     {2, 3},     {3, 2},     {5, 7},    {11, 12},  {12, 11},
    {13, 24},  {24, 13},  {1, 224},   {1, 1009},  {1009, 1},  {2, 232},  {36, 233}, {37, 231},
    {38, 223}, {40, 225}, {71, 448},  {35, 243},  {72, 244},  {73, 245}, {31, 256}, {33, 257},
    {64, 464}, {65, 465}, {127, 209}, {129, 697}, {251, 127},
};

}  // namespace

TEST_CASE_TEMPLATE("streaming equals the reference, at any size, boundary and number of steps", T,
                   float, double) {
  test::need_cuda();
  test::check_equals_reference<T>("streaming", awkward_shapes,
                                  {12, 16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 32, 40});
}

TEST_CASE_TEMPLATE("streaming gives the same bits however steps are shared out among calls", T,
                   float, double) {
  test::need_cuda();
  const Shape shape{70, 331};
  const auto field = test::random_field<T>(shape);
  const Problem<T> problem =
      test::diffusion<T>(shape, {Boundary::periodic, Boundary::insulated}, T(0.25));
  const auto expected = test::stepped<T>("cpu", "reference", problem, field, 1000);
  const std::vector<std::vector<std::int64_t>> splits = {
      {1000}, {996, 4}, {12, 988}, {1, 999}, {0, 500, 0, 500}, {7, 24, 300, 669}};
  for (const auto& split : splits) {
    const auto streaming = make_backend<T>("cuda", "streaming", problem, 1);
    streaming->set_state(field);
    for (const std::int64_t steps : split) streaming->advance(steps);
    CAPTURE(split.size());
    CAPTURE(split.front());
    CHECK(test::stepped_state(*streaming).digest == expected.digest);
  }
}

// Enough rows for pieces of strips to end anywhere: within turns, and in two strips at once.
TEST_CASE_TEMPLATE("streaming equals the threaded engine where blocks share out long strips", T,
                   float, double) {
  test::need_cuda();
  for (const Shape shape : {Shape{10007, 300}, Shape{2503, 1201}})
    for (const Boundary boundary : test::all_boundaries) {
      CAPTURE(shape.rows);
      CAPTURE(static_cast<int>(boundary));
      const Problem<T> problem = test::diffusion<T>(shape, {boundary, boundary}, T(0.25));
      const auto field = test::random_field<T>(shape);
      CHECK(test::stepped<T>("cuda", "streaming", problem, field, 31).digest ==
            test::stepped<T>("cpu", "threaded", problem, field, 31).digest);
    }
}

TEST_CASE_TEMPLATE("streaming does not depend on what was in memory before" *
                       doctest::test_suite("sanitizer"),
                   T, float, double) {
  test::need_cuda();
  test::check_forgets_memory<T>("streaming", {61, 267}, 27, 29);
}
