// A solve on a GPU of a state in memory of the host, as the first of several ranks solves.
#include "kernels/cuda/solve/device_solve.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/cuda/need_cuda.hpp"
#include "tests/solver/config_run.hpp"

using namespace lapl;

TEST_CASE("a state in memory of the host is solved for on a GPU") {
  test::need_cuda();
  for (const char* const left : {"laplacian(p) - p", "divergence((1 + u^2) * gradient(p))"}) {
    CAPTURE(left);
    const RunConfig run = test::config_run(
        std::string("grid: {shape: [37, 101]}\nboundary: {x: insulated, y: {value: t}}\n"
                    "equation: {let: {p: {solve: ") +
        left +
        ", equals: -u, method: multigrid}}, u: p}\n"
        "initial: random\ntime: {step: 0.1, steps: 1}\ncompute: {precision: float64}\n");
    const auto system = [&] {
      return make_problem<double>(Model(run), load_coefficients(run)).systems.at(0);
    };
    const auto by_host = system(), by_device = system();
    DeviceSolve solve(dynamic_cast<GridSystem&>(*by_device), nullptr);
    std::vector<double> expected(2 * run.shape.cells(), 0.0);
    for (std::size_t i = 0; i < expected.size() / 2; ++i)
      expected[i] = std::sin(0.01 * static_cast<double>(i));
    std::vector<double> found = expected;
    for (const double time : {0.3, 0.7}) {
      by_host->solve(expected, {.time = time});
      REQUIRE(solve(found, time));
      CHECK(found == expected);
      CHECK(by_device->report().iterations == by_host->report().iterations);
      CHECK(by_device->report().by.contains("multigrid on the GPU"));
    }
  }
}
