// Properties of the CUDA backend that do not depend on the engine: copies that overlap with
// stepping, checks, errors.
#include <doctest/doctest.h>

#include <limits>
#include <thread>

#include "kernels/error.hpp"
#include "tests/cuda/need_cuda.hpp"
#include "tests/test_field.hpp"

using namespace lapl;

TEST_CASE_TEMPLATE("a capture holds its step while stepping goes on" *
                       doctest::test_suite("sanitizer"),
                   T, float, double) {
  test::need_cuda();
  const Shape shape{500, 701};
  const Problem<T> problem =
      test::diffusion<T>(shape, {Boundary::zero, Boundary::periodic}, T(0.2));
  const auto field = test::random_field<T>(shape);
  const auto cuda = make_backend<T>("cuda", "auto", problem, 1);
  const auto cpu = make_backend<T>("cpu", "auto", problem, 2);
  for (const auto* backend : {&cuda, &cpu}) {
    (*backend)->set_derived(test::laplacian_output(problem));
    (*backend)->set_state(field);
  }
  for (const bool with_laplacian : {true, false, true}) {
    const auto capture = cuda->capture(with_laplacian);
    cuda->advance(90);
    cuda->advance(31);
    const auto expected = test::stepped_state(*cpu);
    std::thread([&] {  // in another thread, as when files are written
      const Captured<T> captured = capture.wait();
      CHECK(test::same_bits<T>(captured.state, expected.field));
      CHECK(captured.digest == expected.digest);
      CHECK(!captured.first_not_finite);
      if (with_laplacian)
        CHECK(test::same_bits<T>(captured.derived.front(), expected.laplacian));
      else
        CHECK(captured.derived.empty());
    })
        .join();
    cpu->advance(121);
  }
  CHECK(test::stepped_state(*cuda).digest == test::stepped_state(*cpu).digest);
}

TEST_CASE_TEMPLATE("the first cell that is not finite is found, while stepping goes on" *
                       doctest::test_suite("sanitizer"),
                   T, float, double) {
  test::need_cuda();
  const Shape shape{300, 517};
  auto field = test::random_field<T>(shape);
  const auto backend = make_backend<T>("cuda", "auto", test::diffusion<T>(shape, {}, T(0.2)), 1);
  const auto found = [&] {
    backend->set_state(field);
    const auto capture = backend->capture();
    const auto search = backend->reduce({}, std::numeric_limits<double>::infinity());
    backend->advance(5);  // spreads a NaN to cells with lower indices
    const auto checked = search().first;
    const auto first = capture.wait().first_not_finite;
    REQUIRE(first.has_value() == checked.has_value());
    if (checked) CHECK(test::holds_values_around(*checked, field, shape));
    return first;
  };
  CHECK(!found());
  const auto last = field.size() - 1;
  field[last] = std::numeric_limits<T>::infinity();
  CHECK(found() == static_cast<std::int64_t>(last));
  field[70001] = std::numeric_limits<T>::quiet_NaN();
  CHECK(found() == 70001);
  field[70000] = -std::numeric_limits<T>::infinity();
  CHECK(found() == 70000);
  field[0] = std::numeric_limits<T>::quiet_NaN();
  CHECK(found() == 0);
}

TEST_CASE("the backend describes itself and counts the time of steps alone") {
  test::need_cuda();
  const auto backend =
      make_backend<float>("cuda", "auto", test::diffusion<float>({64, 64}, {}, 0.2f), 1);
  const BackendDescription description = backend->description();
  CHECK(description.backend == "cuda");
  CHECK(description.reason.starts_with("the fastest here"));
  CHECK(!description.device.empty());
  CHECK(description.driver.starts_with("CUDA driver "));
  CHECK(description.threads == 0);
  const std::vector<float> field(64 * 64, 1.f);
  backend->set_state(field);
  const auto held = backend->capture(true);
  CHECK(backend->stepping_seconds() == 0);
  double before = 0;
  for (int i = 0; i < 3; ++i) {
    backend->advance(100);
    const double after = backend->stepping_seconds();
    CHECK(after > before);
    before = after;
  }
  CHECK(backend->stepping_seconds() == before);
}

TEST_CASE("a grid beyond the memory of the device is refused with both numbers") {
  test::need_cuda();
  const Problem<double> problem = test::diffusion<double>({1 << 20, 1 << 20}, {}, 0.2);
  CHECK_THROWS_WITH_AS(
      make_backend<double>("cuda", "auto", problem, 1),
      doctest::Contains("the grid of 1048576 x 1048576 cells needs 26.4 TB on the device ("),
      DeviceError);
  CHECK_THROWS_WITH_AS(make_backend<double>("cuda", "auto", problem, 1),
                       doctest::Contains(" are available"), DeviceError);
}

TEST_CASE("an engine of the CPU is refused") {
  test::need_cuda();
  CHECK_THROWS_AS(
      make_backend<float>("cuda", "threaded", test::diffusion<float>({4, 4}, {}, 0.2f), 1),
      ConfigError);
}
