// Properties of every CUDA engine, compared with the CPU's reference engine.
#pragma once

#include <doctest/doctest.h>

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tests/cuda/need_cuda.hpp"
#include "tests/test_field.hpp"

namespace lapl::test {

template <class T>
void check_same_state(Backend<T>& found, Backend<T>& expected) {
  const auto a = stepped_state(found), b = stepped_state(expected);
  REQUIRE(same_bits<T>(a.field, b.field));
  REQUIRE(same_bits<T>(a.laplacian, b.laplacian));
  REQUIRE(a.digest == b.digest);
}

/// Checks, for all shapes and boundaries, that `engine` has the reference's digest after each of
/// `calls`, numbers of steps, and the reference's state before and after all of them.
template <class T>
void check_equals_reference(const std::string& engine, std::span<const Shape> shapes,
                            const std::vector<std::int64_t>& calls) {
  for (const Shape shape : shapes)
    for (const Boundary rows : all_boundaries)
      for (const Boundary columns : all_boundaries) {
        CAPTURE(shape.rows);
        CAPTURE(shape.columns);
        CAPTURE(static_cast<int>(rows));
        CAPTURE(static_cast<int>(columns));
        const Problem<T> problem = test::diffusion<T>(shape, {rows, columns}, T(0.23));
        const auto field = random_field<T>(shape);
        const auto found = make_backend<T>("cuda", engine, problem, 1);
        const auto reference = make_backend<T>("cpu", "reference", problem, 1);
        found->set_state(field);
        reference->set_state(field);
        check_same_state(*found, *reference);
        std::int64_t step = 0;
        for (const std::int64_t steps : calls) {
          found->advance(steps);
          reference->advance(steps);
          step += steps;
          CAPTURE(step);
          REQUIRE(found->capture().wait().digest == reference->capture().wait().digest);
        }
        check_same_state(*found, *reference);
      }
}

/// Checks that `steps` steps give the reference's bits even if `steps_before` steps from a field of
/// NaN have left values in memory.
template <class T>
void check_forgets_memory(const std::string& engine, Shape shape, std::int64_t steps_before,
                          std::int64_t steps) {
  for (const Boundary boundary : all_boundaries) {
    const Problem<T> problem = test::diffusion<T>(shape, {boundary, boundary}, T(0.25));
    const auto field = random_field<T>(shape);
    const auto backend = make_backend<T>("cuda", engine, problem, 1);
    const std::vector<T> poison(field.size(), std::numeric_limits<T>::quiet_NaN());
    backend->set_state(poison);
    backend->advance(steps_before);
    backend->set_state(field);
    backend->advance(steps);
    const auto found = stepped_state(*backend);
    const auto expected = stepped<T>("cpu", "reference", problem, field, steps);
    CHECK(same_bits<T>(found.field, expected.field));
    CHECK(found.digest == expected.digest);
  }
}

}  // namespace lapl::test
