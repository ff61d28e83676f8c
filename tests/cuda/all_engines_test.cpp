// All CUDA engines against the CPU: random sizes, large grids after 1000 steps, repeats.
#include <doctest/doctest.h>

#include <random>

#include "kernels/engines.hpp"
#include "kernels/error.hpp"
#include "tests/cuda/need_cuda.hpp"
#include "tests/test_field.hpp"

using namespace lapl;

namespace {

std::vector<std::string> cuda_engines() {
  std::vector<std::string> names = {"auto"};
  for (const EngineInfo& engine : engine_table)
    if (engine.backend == "cuda") names.emplace_back(engine.name);
  return names;
}

}  // namespace

TEST_CASE_TEMPLATE("all CUDA engines equal the reference at random sizes up to 300", T, float,
                   double) {
  test::need_cuda();
  std::mt19937 random(17);
  const auto up_to = [&](int most) { return 1 + static_cast<int>(random() % most); };
  for (int trial = 0; trial < 100; ++trial) {
    const Shape shape{up_to(300), up_to(300)};
    const Boundaries boundaries{test::all_boundaries[random() % 3],
                                test::all_boundaries[random() % 3]};
    const Problem<T> problem = test::diffusion<T>(shape, boundaries, T(0.21));
    const auto field = test::random_field<T>(shape);
    const int steps = up_to(40);
    const auto expected = test::stepped<T>("cpu", "reference", problem, field, steps);
    for (const std::string& engine : cuda_engines()) {
      CAPTURE(engine);
      CAPTURE(shape.rows);
      CAPTURE(shape.columns);
      CAPTURE(steps);
      const auto found = test::stepped<T>("cuda", engine, problem, field, steps);
      REQUIRE(test::same_bits<T>(found.field, expected.field));
    }
  }
}

TEST_CASE_TEMPLATE("all CUDA engines equal the CPU after 1000 steps of large grids", T, float,
                   double) {
  test::need_cuda();
  const auto check = [](Shape shape, Boundaries boundaries) {
    const Problem<T> problem = test::diffusion<T>(shape, boundaries, T(0.25));
    const auto field = test::random_field<T>(shape);
    const auto expected = test::stepped<T>("cpu", "blocked", problem, field, 1000, 16).digest;
    for (const std::string& engine : cuda_engines()) {
      CAPTURE(engine);
      CAPTURE(shape.rows);
      try {
        const auto found = test::stepped<T>("cuda", engine, problem, field, 1000).digest;
        CHECK(found == expected);
      } catch (const DeviceError& error) {
        CHECK(engine == "resident");
        CHECK(std::string(error.what()).find("does not fit") != std::string::npos);
      }
    }
  };
  for (const Boundary boundary : test::all_boundaries) {
    check({2000, 2000}, {boundary, Boundary::zero});
    check({4097, 2049}, {Boundary::periodic, boundary});
  }
  check({16384, 16384}, {Boundary::insulated, Boundary::zero});
}

TEST_CASE("resident gives the same digest a hundred times") {
  test::need_cuda();
  const Problem<float> problem = test::diffusion<float>({2000, 2000}, {}, 0.25f);
  const auto field = test::random_field<float>(problem.shape);
  const auto expected = test::stepped<float>("cuda", "tile", problem, field, 1001).digest;
  const auto backend = make_backend<float>("cuda", "resident", problem, 1);
  for (int repeat = 0; repeat < 100; ++repeat) {
    backend->set_state(field);
    backend->advance(1001);
    REQUIRE(backend->capture().wait().digest == expected);
  }
}
