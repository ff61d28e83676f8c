// Equations over the grid on a GPU, of a state in memory of the host, as the first of several ranks
// solves them.
#include "kernels/cuda/solve/device_equations.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/cuda/need_cuda.hpp"
#include "tests/solver/config_run.hpp"
#include "tests/test_field.hpp"

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
    const auto solve = make_device_solve<double>(dynamic_cast<GridSystem&>(*by_device), nullptr);
    std::vector<double> expected(2 * run.shape.cells(), 0.0);
    for (std::size_t i = 0; i < expected.size() / 2; ++i)
      expected[i] = std::sin(0.01 * static_cast<double>(i));
    std::vector<double> found = expected;
    for (const double time : {0.3, 0.7}) {
      by_host->solve(expected, {.time = time});
      REQUIRE((*solve)(found, time));
      CHECK(found == expected);
      CHECK(by_device->report().iterations == by_host->report().iterations);
      CHECK(by_device->report().by.contains("multigrid on the GPU"));
    }
  }
}

TEST_CASE_TEMPLATE("a state in memory of the host is convolved on a GPU" *
                       doctest::test_suite("sanitizer"),
                   T, float, double) {
  test::need_cuda();
  const std::string two = "grid: {shape: [37, 101]}\n", formula = "kernel: formula, formula: ";
  for (const std::string& text : {
           two + "boundary: periodic\nkernels: {w: {" + formula + "\"x - 2*y*y + x*y\", size: 31}}",
           two + "boundary: insulated\nkernels: {w: {kernel: box, size: 11}}",
           two + "boundary: {x: periodic, y: {value: t + x}}\nkernels: {w: {kernel: disc, radius: "
                 "4}}",
           two + "boundary: {left: {derivative: y*t}, right: {value: u}, top: {value: t}, "
                 "bottom: insulated}\nkernels: {w: {kernel: gaussian, sigma: 3}}",
           std::string("grid: {shape: [5, 7]}\nboundary: {x: periodic, y: {derivative: 3}}\n"
                       "kernels: {w: {kernel: box, size: [9, 33]}}"),
           std::string("grid: {shape: [2000]}\nboundary: zero\nkernels: {w: {kernel: box, size: "
                       "127}}"),
           "grid: {shape: [9, 11, 13]}\nboundary: {x: {value: y + t}, y: periodic, z: insulated}\n"
           "kernels: {w: {" +
               formula + "\"x*y*(z - 1)\", size: [5, 7, 3]}}",
       }) {
    CAPTURE(text);
    const RunConfig run = test::config_run(text +
                                           "\nequation: {u: \"convolve(w, u)\"}\ninitial: random\n"
                                           "time: {step: 0.1, steps: 1}\n");
    const Problem<T> problem = make_problem<T>(Model(run), load_coefficients(run));
    auto& host = dynamic_cast<GridConvolution<T>&>(*problem.systems.back());
    const auto device = make_device_convolution<T>(host, nullptr);
    std::size_t arrays = 0;
    for (const Stage& stage : problem.stages)
      for (const GridSolve& solve : stage.solves) arrays = solve.state.size();
    std::vector<double> expected(arrays * run.shape.cells());
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected[i] = static_cast<double>(static_cast<T>(std::sin(0.01 * static_cast<double>(i))));
    std::vector<double> found = expected;
    for (const double time : {0.3, 0.7}) {
      host.solve(expected, {.time = time});
      REQUIRE((*device)(found, time));
      CHECK(test::same_bits<double>(found, expected));
    }
  }
}
