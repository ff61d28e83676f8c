// Elliptic equations that transforms solve (kernels/solve/mode_solver.hpp).
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "solver/equation/formula_system.hpp"
#include "tests/solver/config_run.hpp"
#include "tests/text.hpp"

using namespace lapl;

namespace {

// Conditions of s at the sides of an axis. The modes of all are known but for the last two.
constexpr std::array pairs = {
    "periodic",
    "{first: {s: {value: 1}, u: 0}, last: {s: {value: 2}, u: 0}}",
    "{first: {s: {value: 1}, u: 0}, last: {s: {derivative: 2}, u: 0}}",
    "{first: {s: {derivative: 1}, u: 0}, last: {s: {value: x}, u: 0}}",
    "{first: {s: {derivative: 1}, u: 0}, last: {s: {derivative: 2}, u: 0}}",
    "{first: {s: {value: 1, at: face}, u: 0}, last: {s: {value: x, at: face}, u: 0}}",
    "{first: {s: {value: 1, at: face}, u: 0}, last: {s: {derivative: 2}, u: 0}}",
    "{first: {s: {derivative: 1}, u: 0}, last: {s: {value: 2, at: face}, u: 0}}",
    "{first: {s: {value: 1, at: node}, u: 0}, last: {s: {value: x, at: node}, u: 0}}",
    "{first: {s: {derivative: 1}, u: 0}, last: {s: {value: 2, at: node}, u: 0}}",
    "{first: {s: {value: 1}, u: 0}, last: {s: {value: 2, at: face}, u: 0}}",
    "{first: {s: {mixed: {value: 1, factor: 2}}, u: 0}, last: {s: {value: 2}, u: 0}}"};
constexpr std::size_t known = pairs.size() - 2;

struct TransformSolution {
  std::vector<double> state;
  int iterations = 0;
};
TransformSolution solution_by(const std::string& method, const std::string& grid_and_sides,
                              const std::string& left, const std::string& more = "") {
  const RunConfig run = test::config_run(fmt::format(
      "{}equation:\n  let: {{s: {{solve: \"{}\", equals: \"sin(3*x) + u\", method: {}{}}}}}\n"
      "  u: 0*s\ninitial: {{u: random}}\ntime: {{step: 1, steps: 0}}\n"
      "compute: {{precision: float64}}\n",
      grid_and_sides, left, method, more));
  const auto systems = grid_systems(run, make_system(run), load_coefficients(run));
  TransformSolution solution{std::vector<double>(2 * run.shape.cells())};
  for (std::int64_t cell = 0; cell < run.shape.cells(); ++cell)
    solution.state[cell] = std::cos(static_cast<double>(cell * cell));
  systems.front()->solve(solution.state, {});
  solution.iterations = systems.front()->report().iterations;
  return solution;
}

void check_same(const std::string& grid_and_sides, const std::string& left,
                const std::string& more = "") {
  CAPTURE(grid_and_sides);
  const TransformSolution expected = solution_by("multigrid", grid_and_sides, left, more);
  const TransformSolution found = solution_by("transforms", grid_and_sides, left, more);
  CHECK(found.iterations <= 2);
  double most = 0, error = 0;
  for (std::size_t i = 0; i < expected.state.size(); ++i) {
    most = std::max(most, std::abs(expected.state[i]));
    error = std::max(error, std::abs(found.state[i] - expected.state[i]));
  }
  CHECK(error <= 1e-8 * most);
  CHECK(solution_by("auto", grid_and_sides, left, more).state == found.state);
}

}  // namespace

TEST_CASE("solves: transforms find what multigrid does, for all conditions with known modes") {
  for (std::size_t rows = 0; rows < known; ++rows)
    for (std::size_t columns = 0; columns < known; ++columns)
      check_same(fmt::format("grid: {{shape: [{}, 12], spacing: [0.2, 0.1]}}\nboundary:\n"
                             "  rows: {}\n  columns: {}\n",
                             rows % 2 == 0 ? 9 : 10, pairs.at(rows), pairs.at(columns)),
                 "2*laplacian(s) - 0.3*s");
  for (std::size_t pair = 0; pair < known; ++pair) {
    const std::string columns = fmt::format("  columns: {}\n", pairs.at(pair));
    check_same("grid: {shape: [40], spacing: 0.1}\nboundary:\n" + columns, "d2_dx2(s) - s");
    check_same("grid: {shape: [7, 8, 9], spacing: 0.1}\nboundary:\n  rows: periodic\n  planes: " +
                   std::string(pairs.at(known - 1 - pair)) + "\n" + columns,
               "laplacian(s) - s");
  }
}

TEST_CASE("solves: transforms find fields that are determined up to a constant") {
  for (const char* const sides : {"periodic", "insulated"})
    check_same(fmt::format("grid: {{shape: [16, 30], spacing: 0.1}}\nboundary: {}\n", sides),
               "laplacian(s)", ", mean: removed");
  // Only rounding is left of a right side without its mean.
  for (const char* const method : {"auto", "multigrid"})
    for (const char* const shape : {"[7]", "[7, 1]", "[12, 12]"}) {
      const std::vector<double> state = test::stepped<double>(test::config_run(fmt::format(
          "grid: {{shape: {}, spacing: 1}}\nboundary: periodic\nequation: {{let: {{p: {{solve: "
          "laplacian(p), equals: u, mean: removed, method: {}}}}}, u: -0.3*u}}\ninitial: {{u: "
          "1.1}}\ntime: {{step: 0.1, steps: 3}}\ncompute: {{precision: float64}}\n",
          shape, method)));
      CHECK(std::ranges::all_of(state.begin() + std::ssize(state) / 2, state.end(),
                                [](double p) { return p == 0; }));
    }
  // A Helmholtz equation between two resonances is not definite.
  const std::string sides = "grid: {shape: [30, 30], spacing: 0.1}\nboundary: zero\n";
  CHECK(solution_by("transforms", sides, "laplacian(s) + 3.5*s").iterations <= 3);
}

TEST_CASE("solves: transforms are refused where modes are not known, and auto does without") {
  const auto refused = [](const std::string& grid_and_sides, const std::string& left) {
    CAPTURE(grid_and_sides);
    CAPTURE(left);
    CHECK(test::has(test::text_thrown([&] { solution_by("transforms", grid_and_sides, left); }),
                    "found transforms, which need constant coefficients"));
    CHECK(solution_by("auto", grid_and_sides, left).state ==
          solution_by("multigrid", grid_and_sides, left).state);
  };
  const std::string grid = "grid: {shape: [10, 12], spacing: 0.1", zero = "}\nboundary: zero\n";
  refused(grid + zero, "divergence((1 + x)*gradient(s))");
  refused(grid + zero, "laplacian(s) - x*s");
  refused(grid + zero, "laplacian(s) + d_dx(s)");
  refused(grid + ", mask: {formula: \"where(x > 0.5 and y > 0.5, 0, 1)\"}" + zero,
          "laplacian(s) - s");
  for (std::size_t pair = known; pair < pairs.size(); ++pair)
    refused(grid + fmt::format("}}\nboundary:\n  rows: periodic\n  columns: {}\n", pairs.at(pair)),
            "laplacian(s) - s");
  // The sums of rows decide on the slowest mode, far below the entries.
  const std::string line = "grid: {shape: [1000], spacing: 0.001}\nboundary: insulated\n";
  refused(line, "laplacian(s) - where(x > 0.9, 1e-3, 0)*s");
  refused(line, "laplacian(s) - where(x > 0.9, 1e-3, 1e-9)*s");
}
