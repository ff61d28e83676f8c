// Solves over the grid on a GPU.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/cuda/need_cuda.hpp"
#include "tests/solver/config_run.hpp"

using namespace lapl;

namespace {

struct Solved {
  std::uint64_t digest = 0;
  SolveReport report;
};

template <class T>
Solved solved(const RunConfig& run, const std::string& backend, const std::string& engine) {
  const CoefficientFields coefficients = load_coefficients(run);
  const auto made = make_backend<T>(backend, engine, make_problem<T>(Model(run), coefficients), 2);
  made->settle();
  set_initial_state(*made, run, coefficients, load_initial_fields(run));
  for (std::int64_t step = 0; step < run.steps; ++step) made->advance(1);
  return {made->capture().wait().digest, made->last_solves()};
}

// Steps a config on the CPU and on a GPU, in both precisions; `by` is what solves there.
void compare(const std::string& text, const std::string& by = "multigrid on the GPU") {
  CAPTURE(text);
  const auto in = [&]<class T>(const std::string& precision, T) {
    const RunConfig run = test::config_run(text + "compute: {precision: " + precision + "}\n");
    const Solved expected = solved<T>(run, "cpu", "reference");
    const Solved found = solved<T>(run, "cuda", "tile");
    CHECK(found.digest == expected.digest);
    CHECK(found.report.iterations == expected.report.iterations);
    CHECK(found.report.residual == expected.report.residual);
    CHECK(found.report.by.contains(by));
    CHECK(found.report.solves >= run.steps);
  };
  in("float32", 0.0f);
  in("float64", 0.0);
}

std::string equation(const std::string& solve, const std::string& rate) {
  return "equation: {let: {p: {" + solve + ", method: multigrid}}, u: '" + rate + "'}\n" +
         "initial: random\ntime: {step: 0.01, steps: 3, scheme: heun}\n";
}

}  // namespace

TEST_CASE("solves on a GPU have the bits of the CPU's") {
  test::need_cuda();
  const std::string poisson = equation("solve: laplacian(p), equals: -u", "laplacian(u) - p");
  compare("grid: {shape: [64, 96]}\nboundary: {x: {first: zero, last: insulated}, y: zero}\n" +
          poisson);
  compare(
      "grid: {shape: [37, 101], spacing: [1, 0.3]}\nboundary: {x: {value: 1, at: node}, y: "
      "{first: {mixed: {value: 1, factor: 2}}, last: {derivative: u}}}\n" +
      poisson);
  compare("grid: {shape: [19, 5000]}\nboundary: {x: periodic, y: zero}\n" + poisson);
  compare("grid: {shape: [33, 45]}\nboundary: {x: periodic, y: {value: t, at: face}}\n" + poisson);
  compare("grid: {shape: [21, 1031]}\nboundary: {x: periodic, y: zero}\n" + poisson);
  compare("grid: {shape: [300, 256]}\nboundary: {x: insulated, y: zero}\n" + poisson);
  compare("grid: {shape: [301]}\nboundary: {x: {first: {value: cos(t)}, last: insulated}}\n" +
          poisson);
  compare("grid: {shape: [11, 18, 23]}\nboundary: {x: periodic, y: zero, z: insulated}\n" +
          poisson);
  compare(
      "grid: {shape: [16, 15, 14], spacing: [1, 2, 0.3]}\nboundary: {x: periodic, y: "
      "periodic, z: {value: x}}\n" +
      poisson);
}

TEST_CASE("solves on a GPU: means, masks, coefficients and advection") {
  test::need_cuda();
  const std::string kept = equation("solve: laplacian(p), equals: -u, mean: removed", "u - p");
  compare("grid: {shape: [64, 48]}\nboundary: periodic\n" + kept);
  compare("grid: {shape: [35, 77]}\nboundary: insulated\n" + kept);
  compare(
      "grid: {shape: [150, 257]}\nboundary: {x: zero, y: insulated}\n"
      "parameters: {k: {formula: 'where(sin(x) * sin(y) > 0.3, 1000, 1)'}}\n" +
      equation("solve: divergence(k * gradient(p)), equals: -u", "laplacian(u) - p"));
  compare(
      "grid: {shape: [50, 60], mask: {formula: '(x - 20)^2 + (y - 25)^2 > 90'}}\n"
      "boundary: {x: zero, y: insulated, mask: {value: 1}}\n" +
      equation("solve: laplacian(p) - p, equals: -u", "laplacian(u) - p"));
  compare("grid: {shape: [40, 44]}\nboundary: {x: zero, y: periodic}\n" +
          equation("solve: laplacian(p) - d_dx(p) - 0.1 * p, equals: -u", "laplacian(u) - p"));
  compare("grid: {shape: [24, 28]}\nboundary: {x: zero, y: insulated}\n" +
          equation("solve: divergence((1 + u^2) * gradient(p)) - (1 + t) * p, equals: mean(u) - u",
                   "laplacian(u) + d_dx(p)"));
  // two regions, and transforms: the host solves
  compare("grid: {shape: [24, 30], mask: {formula: abs(x - 15) > 2}}\nboundary: insulated\n" + kept,
          "multigrid");
  compare(
      "grid: {shape: [24, 30]}\nboundary: {x: zero, y: insulated}\n"
      "equation: {let: {p: {solve: laplacian(p), equals: -u, method: transforms}}, u: -p}\n"
      "initial: random\ntime: {step: 0.01, steps: 3}\n",
      "transforms");
}

TEST_CASE("solves on a GPU on small grids for the sanitizer" * doctest::test_suite("sanitizer")) {
  test::need_cuda();
  const std::string once =
      "equation: {let: {p: {solve: laplacian(p) - p, equals: -u, method: multigrid}}, u: -p}\n"
      "initial: random\ntime: {step: 0.01, steps: 1}\n";
  compare("grid: {shape: [66, 70]}\nboundary: periodic\n" + once);
  compare("grid: {shape: [19, 301]}\nboundary: {x: periodic, y: zero}\n" + once);
  compare("grid: {shape: [5, 7, 131]}\nboundary: insulated\n" + once);
}

TEST_CASE("a solve that fails on a GPU says what it says on the CPU") {
  test::need_cuda();
  const std::string text =
      "grid: {shape: [24, 30]}\nboundary: insulated\n"
      "equation: {let: {p: {solve: laplacian(p), equals: -u, method: multigrid}}, u: p}\n"
      "initial: {u: x}\ntime: {step: 0.01, steps: 1}\ncompute: {precision: float64}\n";
  RunConfig run = test::config_run(text);
  const auto problem = make_problem<double>(Model(run), load_coefficients(run));
  const std::vector<double> state(2 * 24 * 30, 1);
  const auto message = [&](const std::string& backend, const std::string& engine) {
    return test::text_thrown([&] {
      const auto made = make_backend<double>(backend, engine, problem, 2);
      made->set_state(state);
      made->advance(1);
    });
  };
  const std::string expected = message("cpu", "reference");
  CHECK(expected.find("has no solution") != std::string::npos);
  CHECK(message("cuda", "tile") == expected);
}
