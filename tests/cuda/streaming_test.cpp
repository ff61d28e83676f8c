// The engine "streaming" against the CPU's reference engine, to the bit.
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

// Sizes about the columns that a strip keeps (232 float, 224 double), about the strip itself (256),
// about the 12 or 16 steps of a pass, the 3 rows of a turn and the 4 or 2 columns of 16 bytes;
// grids narrower than the halo, which are extended several times; single rows, columns and cells.
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
  for (const Shape shape : awkward_shapes)
    for (const Boundary rows : test::all_boundaries)
      for (const Boundary columns : test::all_boundaries) {
        CAPTURE(shape.rows);
        CAPTURE(shape.columns);
        CAPTURE(static_cast<int>(rows));
        CAPTURE(static_cast<int>(columns));
        const Problem<T> problem{shape, {rows, columns}, T(0.23), T(0.7)};
        const auto field = test::random_field<T>(shape);
        const auto streaming = make_backend<T>("cuda", "streaming", problem, 1);
        const auto reference = make_backend<T>("cpu", "reference", problem, 1);
        streaming->set_state(field);
        reference->set_state(field);
        for (const int steps : {12, 16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 32, 40}) {
          streaming->advance(steps);
          reference->advance(steps);
          streaming->capture(false);
          reference->capture(false);
          CAPTURE(steps);
          REQUIRE(streaming->captured().digest == reference->captured().digest);
        }
        check_same_state(*streaming, *reference);
      }
}

TEST_CASE_TEMPLATE("streaming gives the same bits however steps are shared out among calls", T,
                   float, double) {
  test::need_cuda();
  const Shape shape{70, 331};
  const auto field = test::random_field<T>(shape);
  const Problem<T> problem{shape, {Boundary::periodic, Boundary::insulated}, T(0.25), T(1)};
  const auto expected = test::stepped<T>("cpu", "reference", problem, field, 1000);
  const std::vector<std::vector<std::int64_t>> splits = {
      {1000}, {996, 4}, {12, 988}, {1, 999}, {0, 500, 0, 500}, {7, 24, 300, 669}};
  for (const auto& split : splits) {
    const auto streaming = make_backend<T>("cuda", "streaming", problem, 1);
    streaming->set_state(field);
    for (const std::int64_t steps : split) streaming->advance(steps);
    CAPTURE(split.size());
    CAPTURE(split.front());
    CHECK(test::state_of(*streaming).digest == expected.digest);
  }
}

// So many rows that pieces of strips end everywhere: inside turns, and in two strips at once.
TEST_CASE_TEMPLATE("streaming equals the threaded engine where blocks share out long strips", T,
                   float, double) {
  test::need_cuda();
  for (const Shape shape : {Shape{10007, 300}, Shape{2503, 1201}})
    for (const Boundary boundary : test::all_boundaries) {
      CAPTURE(shape.rows);
      CAPTURE(static_cast<int>(boundary));
      const Problem<T> problem{shape, {boundary, boundary}, T(0.25), T(1)};
      const auto field = test::random_field<T>(shape);
      CHECK(test::stepped<T>("cuda", "streaming", problem, field, 31).digest ==
            test::stepped<T>("cpu", "threaded", problem, field, 31).digest);
    }
}

TEST_CASE_TEMPLATE("streaming does not depend on what was in memory before", T, float, double) {
  test::need_cuda();
  const Shape shape{61, 267};
  for (const Boundary boundary : test::all_boundaries) {
    const Problem<T> problem{shape, {boundary, boundary}, T(0.25), T(1)};
    const auto field = test::random_field<T>(shape);
    const auto streaming = make_backend<T>("cuda", "streaming", problem, 1);
    const std::vector<T> poison(field.size(), std::numeric_limits<T>::quiet_NaN());
    streaming->set_state(poison);
    streaming->advance(27);
    streaming->set_state(field);
    streaming->advance(29);
    const auto expected = test::stepped<T>("cpu", "reference", problem, field, 29);
    CHECK(test::same_bits<T>(test::state_of(*streaming).field, expected.field));
  }
}
